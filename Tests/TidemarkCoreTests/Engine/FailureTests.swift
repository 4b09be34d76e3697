import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkTesting
import Testing

@Suite struct FailureTests {
    let meeting: Meeting
    var phone: Device { self.meeting.phone }

    init() throws {
        self.meeting = try Meeting()
        try self.meeting.phone.create(["title": "Milk"], pk: "42")
        try self.meeting.settle()
    }

    private func failNext(_ failure: RemoteFailure) throws {
        let sent = self.phone.outbox.removeFirst()
        try self.phone.fail(failure, for: sent.token)
    }

    @Test func `401-mid-queue drops nothing, counts no try, and goes on when the app renews`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(Meeting.collection)
        let edits = self.phone.outbox.first?.request.frozen
        try self.failNext(RemoteFailure(.auth, "who are you?"))
        #expect(self.phone.reports.last?.outcome == .unauthorised)
        try self.phone.run { (engine) throws(TidemarkError) in try engine.renew(Meeting.collection) }
        try self.phone.sync(Meeting.collection)
        #expect(self.phone.outbox.first?.request.frozen == [], "it asks first whose account this is now")
        try self.meeting.carryOne(self.phone)
        #expect(self.phone.outbox.first?.request.frozen == edits)
        try self.meeting.carry(self.phone)
        #expect(self.phone.reports.last?.outcome == .inStep)
        #expect(try self.meeting.onServer("42") == ["title": "Oat milk"])
    }

    @Test(arguments: [
        (RemoteFailure.RetryAfter.delay(.seconds(7)), Duration.seconds(7)),
        (.time(.seconds(1_763_000_100)), .seconds(100)),
    ])
    func `retry-after-seconds and retry-after-http-date are honoured`(
        retryAfter: RemoteFailure.RetryAfter, wait: Duration
    ) throws {
        self.meeting.server.clock.set(to: .seconds(1_763_000_000))
        try self.phone.sync(Meeting.collection)
        try self.failNext(RemoteFailure(.busy, "not now", retryAfter: retryAfter))
        #expect(self.phone.reports.last?.outcome == .unreachable)
        #expect(self.phone.reports.last?.nextTry == .seconds(1_763_000_000) + wait)
        #expect(self.phone.wakes[Meeting.collection] == .seconds(1_763_000_000) + wait)
    }

    @Test func `explain says when another try is worthwhile`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        #expect(try self.phone.engine.explain("42", in: Meeting.collection).nextTry == nil)
        try self.phone.sync(Meeting.collection)
        try self.failNext(RemoteFailure(.busy, "not now", retryAfter: .delay(.seconds(7))))
        let explanation = try self.phone.engine.explain("42", in: Meeting.collection)
        #expect(explanation.nextTry == self.phone.reports.last?.nextTry)
        #expect(explanation.nextTry != nil)
        #expect(explanation.next.contains("not now"))
    }

    @Test func `a wake before its time does nothing, and at its time tries again`() throws {
        try self.phone.sync(Meeting.collection)
        try self.failNext(RemoteFailure(.busy, "not now", retryAfter: .delay(.seconds(7))))
        let until = try #require(self.phone.wakes[Meeting.collection])
        try self.phone.run { (engine) throws(TidemarkError) in
            try engine.wake(Meeting.collection, now: until - .seconds(1))
        }
        #expect(self.phone.outbox.isEmpty)
        try self.phone.run { (engine) throws(TidemarkError) in try engine.wake(Meeting.collection, now: until) }
        #expect(self.phone.outbox.count == 1)
    }

    @Test(arguments: 1...12)
    func `the wait before a try is a random part of a span that doubles from 1 s to 300 s`(attempt: Int) {
        var generator = SeededGenerator(seed: UInt64(attempt))
        let span = Duration.seconds(min(300, 1 << (attempt - 1)))
        let waits = (0..<200).map { _ in Backoff().delay(attempt: attempt, using: &generator) }
        #expect(waits.allSatisfy { $0 >= .zero && $0 <= span })
        #expect((waits.max() ?? .zero) > span * 0.8)
        #expect((waits.min() ?? span) < span * 0.2)
    }

    @Test func `error-after-commit is not sent as new`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(Meeting.collection)
        let sent = try #require(self.phone.outbox.first)
        _ = try self.meeting.remote.exchangeNow(sent.request)
        try self.failNext(RemoteFailure(.busy, "500, yet it was written"))
        try self.meeting.sync(self.phone)
        #expect(try self.phone.phase("42") == .synced)
        #expect(self.phone.reports.last?.pushed == ["42"])
    }

    @Test func `duplicate-answer and answer-for-an-earlier-process change nothing`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(Meeting.collection)
        let sent = self.phone.outbox.removeFirst()
        let answer = try self.meeting.remote.exchangeNow(sent.request)
        try self.phone.receive(answer, for: sent.token)
        let before = self.phone.traces.count
        try self.phone.receive(answer, for: sent.token)
        #expect(self.phone.traces.count == before)
        try self.phone.edit("42") { $0.title = "Soy milk" }
        try self.phone.sync(Meeting.collection)
        let ghost = try #require(try self.phone.restart().first)
        try self.phone.receive(answer, for: ghost.token)
        #expect(try self.phone.view("42") == ["title": "Soy milk"])
        #expect(try self.phone.phase("42") == .edited(.unconfirmed))
    }

    @Test func `account-switch pauses, and never mixes two accounts in one store`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(Meeting.collection)
        let sent = self.phone.outbox.removeFirst()
        var answer = try self.meeting.remote.exchangeNow(ExchangeRequest(collection: "notes", watermark: nil, limit: 9))
        answer.account = "someone-else"
        try self.phone.receive(answer, for: sent.token)
        #expect(self.phone.reports.last?.outcome == .unauthorised)
        #expect(self.phone.reports.last?.failure?.failureClass == .identityChanged)
        #expect(try self.phone.view("42") == ["title": "Oat milk"])
    }

    @Test func `W8 an answer with a name that is too long does not show whose account this is`() throws {
        try self.meeting.settle()
        try self.phone.renew()
        try self.phone.edit("42") { $0.title = "Soy milk" }
        try self.phone.sync(Meeting.collection)
        let sent = self.phone.outbox.removeFirst()
        #expect(sent.request.uploads.isEmpty)
        var answer = try self.meeting.remote.exchangeNow(sent.request)
        answer.account = String(repeating: "a", count: 1_000_000)
        try self.phone.receive(answer, for: sent.token)
        try self.phone.sync(Meeting.collection)
        #expect(self.phone.outbox.map(\.request.uploads.isEmpty) == [true], "it is not known yet")
    }

    @Test(arguments: ["notes", "todos"])
    func `account-switch: a queue is never sent to another account than the one that made it`(collection: String) throws
    {
        let server = try InProcessServer(tokens: ["one", "two"])
        let device = try Device("phone", seed: 1, clock: server.clock)
        try device.sync("notes")
        try device.hear(InProcessRemote(server, token: "one"), device.outbox.removeFirst())
        try device.run { (engine) throws(TidemarkError) in
            try engine.create(["secret": true], pk: "42", in: collection).effects
        }
        try device.sync(collection)
        while !device.outbox.isEmpty {
            try device.hear(InProcessRemote(server, token: "two"), device.outbox.removeFirst())
        }
        #expect(device.reports.last?.failure?.failureClass == .identityChanged)
        let there = server.handle(
            ServerRequest(
                method: "GET", target: "/v1/\(collection)/42", headers: [("Authorization", "Bearer two")]))
        #expect(there.status == 404)
        #expect(try device.engine.snapshot(of: "42", in: collection)?.raw.content == Array(#"{"secret":true}"#.utf8))
    }

    @Test func `the server leaves out a result, and the edit is sent again after a wait, not at once`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(Meeting.collection)
        let sent = self.phone.outbox.removeFirst()
        var answer = try self.meeting.remote.exchangeNow(sent.request)
        answer.results = []
        answer.page = .empty
        try self.phone.receive(answer, for: sent.token)
        #expect(self.phone.outbox.isEmpty)
        #expect(self.phone.reports.last?.outcome == .unreachable)
        #expect(try self.phone.phase("42") == .edited(.unconfirmed))
        try self.meeting.settle()
        #expect(try self.phone.phase("42") == .synced)
    }
}

@Suite struct PoisonTests {
    @Test func `too-large-record is held alone, and the rest goes through`() throws {
        var limits = ServerLimits()
        limits.record = 200
        let meeting = try Meeting(devices: ["phone"], limits: limits)
        for pk in ["a", "b", "c"] { try meeting.phone.create(["n": 1], pk: pk) }
        let large = JSON.string(JSONString(String(repeating: "x", count: 500)))
        try meeting.phone.edit("b") { $0.n = large }
        try meeting.sync(meeting.phone)
        #expect(try meeting.phone.phase("a") == .synced)
        #expect(try meeting.phone.phase("c") == .synced)
        #expect(try meeting.phone.phase("b") == .created(.held))
        #expect(meeting.phone.reports.last?.held == ["b"])
        #expect(meeting.phone.reports.last?.outcome == .held)
        let why = try meeting.phone.engine.explain("b", in: Meeting.collection)
        #expect(why.why.contains("held"))

        try meeting.phone.edit("b") { $0.n = 2 }
        try meeting.sync(meeting.phone)
        #expect(try meeting.phone.phase("b") == .synced)
    }

    @Test func `a body over the limit is bisected until only what is too large is held`() throws {
        var limits = ServerLimits()
        limits.body = 900
        let meeting = try Meeting(devices: ["phone"], limits: limits)
        for pk in ["a", "b", "c", "d", "e", "f"] { try meeting.phone.create(["n": 1], pk: pk) }
        let large = JSON.string(JSONString(String(repeating: "x", count: 1_000)))
        try meeting.phone.edit("d") { $0.n = large }
        for _ in 0..<3 { try meeting.sync(meeting.phone) }
        for pk in ["a", "b", "c", "e", "f"] { #expect(try meeting.phone.phase(pk) == .synced) }
        #expect(try meeting.phone.phase("d") == .created(.held))
    }

    @Test func `poison-in-batch is isolated by bisection and held, and the rest goes through`() throws {
        let meeting = try Meeting(devices: ["phone"])
        for pk in ["a", "b", "poison", "d", "e"] { try meeting.phone.create(["n": 1], pk: pk) }
        var exchanges = 0
        for _ in 0..<40 where try meeting.phone.phase("poison") != .created(.held) {
            try meeting.phone.sync(Meeting.collection)
            while !meeting.phone.outbox.isEmpty {
                exchanges += 1
                let sent = meeting.phone.outbox.removeFirst()
                let isPoisoned = sent.request.frozen.contains { String(decoding: $0, as: UTF8.self).contains("poison") }
                if isPoisoned {
                    try meeting.phone.fail(RemoteFailure(.busy, "503, for ever"), for: sent.token)
                } else {
                    try meeting.phone.receive(try meeting.remote.exchangeNow(sent.request), for: sent.token)
                }
            }
        }
        for pk in ["a", "b", "d", "e"] { #expect(try meeting.phone.phase(pk) == .synced) }
        #expect(try meeting.phone.phase("poison") == .created(.held))
        #expect(exchanges < 40)
        #expect(
            try meeting.phone.snapshot("poison")?.raw.upload != nil, "its fate is unknown, so its bytes are kept (I5)")
    }

    @Test func `SPEC 3.6 results end the count of POSTs that failed, though an item beside them makes no sense`() throws
    {
        let meeting = try Meeting(devices: ["phone"])
        let pks = ["a", "b", "c", "d"]
        for pk in pks { try meeting.phone.create(["n": 1], pk: pk) }
        /// Begins a sync, and reads until it posts.
        func post() throws -> Device.Outgoing {
            try meeting.phone.sync(Meeting.collection)
            while meeting.phone.outbox.first?.request.frozen.isEmpty == true { try meeting.carryOne(meeting.phone) }
            return meeting.phone.outbox.removeFirst()
        }
        try meeting.phone.fail(RemoteFailure(.busy, "503"), for: post().token)
        let sent = try post()
        var answer = try meeting.remote.exchangeNow(sent.request)
        answer.page = FeedPage(
            bytes: answer.page.bytes, rows: [], malformed: [ItemSetAside(pk: "odd", reason: "data is a number")])
        try meeting.phone.receive(answer, for: sent.token)
        #expect(meeting.phone.reports.last?.pushed == pks)
        #expect(meeting.phone.reports.last?.outcome == .unreachable)
        for pk in pks { try meeting.phone.edit(pk) { $0.n = 2 } }
        try meeting.phone.fail(RemoteFailure(.busy, "503"), for: post().token)
        #expect(try post().request.frozen.count == 4, "one failed POST halves nothing")
    }
}

@Suite struct ResyncTests {
    let meeting: Meeting

    init() throws {
        self.meeting = try Meeting()
        for pk in ["gone", "kept", "edited"] { try self.meeting.phone.create(["n": 1], pk: pk) }
        try self.meeting.settle()
    }

    @Test func `tombstones-purged: a full listing is a replacement, and nothing unsent is dropped`() throws {
        try self.meeting.phone.delete("gone")
        try self.meeting.phone.delete("edited")
        try self.meeting.sync(self.meeting.phone)
        self.meeting.server.clock.advance(by: .seconds(200 * 86_400))
        try self.meeting.server.purge(olderThan: .seconds(90 * 86_400))
        try self.meeting.tablet.edit("edited") { $0.n = 2 }
        try self.meeting.tablet.create(["n": 3], pk: "new")
        try self.meeting.sync(self.meeting.tablet)
        #expect(try self.meeting.tablet.phase("gone") == .absent)
        #expect(try self.meeting.tablet.phase("kept") == .synced)
        #expect(try self.meeting.onServer("new") == ["n": 3])
        #expect(try self.meeting.onServer("edited") == ["n": 2], "an edit wins over a deletion by default")
        #expect(try self.meeting.tablet.phase("edited") == .synced)
        #expect(self.meeting.tablet.reports.last?.outcome == .inStep)
    }

    @Test func `watermark-goes-back: another epoch is read from the start`() throws {
        let restored = try InProcessServer(clock: self.meeting.server.clock, epoch: "epoch-2")
        try self.meeting.tablet.edit("edited") { $0.n = 2 }
        try self.meeting.tablet.sync(Meeting.collection)
        var count = 0
        while !self.meeting.tablet.outbox.isEmpty {
            count += 1
            try #require(count < 20)
            let sent = self.meeting.tablet.outbox.removeFirst()
            try self.meeting.tablet.hear(InProcessRemote(restored), sent)
        }
        #expect(try self.meeting.tablet.phase("kept") == .absent)
        #expect(try self.meeting.tablet.view("edited") == ["n": 2])
        #expect(try self.meeting.tablet.phase("edited") == .synced)
    }

    @Test func `one-bad-row-in-a-page is quarantined after 3 tries, the watermark goes on, a newer version clears it`()
        throws
    {
        let tablet = self.meeting.tablet
        try self.meeting.phone.edit("kept") { $0.n = 5 }
        try self.meeting.sync(self.meeting.phone)
        for attempt in 1...3 {
            try tablet.sync(Meeting.collection)
            let sent = tablet.outbox.removeFirst()
            let answer = try self.meeting.remote.exchangeNow(sent.request)
            let bad = FeedPage(
                bytes: answer.page.bytes, rows: [], malformed: [ItemSetAside(pk: "kept", reason: "data is a number")])
            var spoilt = answer
            spoilt.page = bad
            try tablet.receive(spoilt, for: sent.token)
            #expect(tablet.reports.last?.outcome == (attempt < 3 ? .unreachable : .held))
        }
        #expect(tablet.reports.last?.held == ["kept"])
        let explanation = try tablet.engine.explain("kept", in: Meeting.collection)
        #expect(explanation.why == "The server sent a version that makes no sense: data is a number.")
        #expect(explanation.next == "The next version that the server sends replaces it.")
        try self.meeting.phone.edit("kept") { $0.n = 6 }
        try self.meeting.settle()
        #expect(tablet.reports.last?.outcome == .inStep)
        #expect(try tablet.view("kept") == ["n": 6])
    }
}
