import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkTesting
import Testing

@Suite struct FailureTests {
    let scenario: SyncScenario
    var phone: Device { self.scenario.phone }

    init() throws {
        self.scenario = try SyncScenario()
        try self.scenario.phone.create(["title": "Milk"], pk: "42")
        try self.scenario.settle()
    }

    private func failNext(_ failure: RemoteFailure) throws {
        let sent = self.phone.outbox.removeFirst()
        try self.phone.fail(failure, for: sent.token)
    }

    @Test func `401-mid-queue: a 401 drops nothing, and the sync resumes when the app renews`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(SyncScenario.collection)
        let edits = self.phone.outbox.first?.request.encodedEdit
        try self.failNext(RemoteFailure(.auth, "who are you?"))
        #expect(self.phone.reports.last?.outcome == .unauthorized)
        try self.phone.run { (engine) throws(TidemarkError) in try engine.renew(SyncScenario.collection) }
        try self.phone.sync(SyncScenario.collection)
        #expect(self.phone.outbox.first?.request.encodedEdit == [], "the first request only asks for the account")
        try self.scenario.carryOne(self.phone)
        #expect(self.phone.outbox.first?.request.encodedEdit == edits)
        try self.scenario.carry(self.phone)
        #expect(self.phone.reports.last?.outcome == .inSync)
        #expect(try self.scenario.onServer("42") == ["title": "Oat milk"])
    }

    @Test(arguments: [
        (RemoteFailure.RetryAfter.delay(.seconds(7)), Duration.seconds(7)),
        (.time(.seconds(1_763_000_100)), .seconds(100)),
    ])
    func `retry-after-seconds and retry-after-http-date are honored`(
        retryAfter: RemoteFailure.RetryAfter, wait: Duration
    ) throws {
        self.scenario.server.clock.set(to: .seconds(1_763_000_000))
        try self.phone.sync(SyncScenario.collection)
        try self.failNext(RemoteFailure(.busy, "not now", retryAfter: retryAfter))
        #expect(self.phone.reports.last?.outcome == .unreachable)
        #expect(self.phone.reports.last?.nextTry == .seconds(1_763_000_000) + wait)
        #expect(self.phone.wakes[SyncScenario.collection] == .seconds(1_763_000_000) + wait)
    }

    @Test func `explain returns the time of the next try`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        #expect(try self.phone.engine.explain("42", in: SyncScenario.collection).nextTry == nil)
        try self.phone.sync(SyncScenario.collection)
        try self.failNext(RemoteFailure(.busy, "not now", retryAfter: .delay(.seconds(7))))
        let explanation = try self.phone.engine.explain("42", in: SyncScenario.collection)
        #expect(explanation.nextTry == self.phone.reports.last?.nextTry)
        #expect(explanation.nextTry != nil)
        #expect(explanation.next.contains("not now"))
    }

    @Test func `a wake does nothing before the back-off ends, and then tries again`() throws {
        try self.phone.sync(SyncScenario.collection)
        try self.failNext(RemoteFailure(.busy, "not now", retryAfter: .delay(.seconds(7))))
        let until = try #require(self.phone.wakes[SyncScenario.collection])
        try self.phone.run { (engine) throws(TidemarkError) in
            try engine.wake(SyncScenario.collection, now: until - .seconds(1))
        }
        #expect(self.phone.outbox.isEmpty)
        try self.phone.run { (engine) throws(TidemarkError) in try engine.wake(SyncScenario.collection, now: until) }
        #expect(self.phone.outbox.count == 1)
    }

    @Test(arguments: 1...12)
    func `the back-off is a random part of a span that doubles from 1 s to 300 s`(attempt: Int) {
        var generator = SeededGenerator(seed: UInt64(attempt))
        let span = Duration.seconds(min(300, 1 << (attempt - 1)))
        let waits = (0..<200).map { _ in Backoff().delay(attempt: attempt, using: &generator) }
        #expect(waits.allSatisfy { $0 >= .zero && $0 <= span })
        #expect((waits.max() ?? .zero) > span * 0.8)
        #expect((waits.min() ?? span) < span * 0.2)
    }

    @Test func `error-after-commit: an edit committed before an error is not sent as new`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(SyncScenario.collection)
        let sent = try #require(self.phone.outbox.first)
        _ = try self.scenario.remote.exchangeNow(sent.request)
        try self.failNext(RemoteFailure(.busy, "500, yet it was written"))
        try self.scenario.sync(self.phone)
        #expect(try self.phone.phase("42") == .synced)
        #expect(self.phone.reports.last?.pushed == ["42"])
    }

    @Test func `duplicate-answer and answer-for-an-earlier-process change nothing`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(SyncScenario.collection)
        let sent = self.phone.outbox.removeFirst()
        let answer = try self.scenario.remote.exchangeNow(sent.request)
        try self.phone.receive(answer, for: sent.token)
        let before = self.phone.traces.count
        try self.phone.receive(answer, for: sent.token)
        #expect(self.phone.traces.count == before)
        try self.phone.edit("42") { $0.title = "Soy milk" }
        try self.phone.sync(SyncScenario.collection)
        let ghost = try #require(try self.phone.restart().first)
        try self.phone.receive(answer, for: ghost.token)
        #expect(try self.phone.view("42") == ["title": "Soy milk"])
        #expect(try self.phone.phase("42") == .edited(.unconfirmed))
    }

    @Test func `account-switch: another account's answer pauses, and is never applied`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(SyncScenario.collection)
        let sent = self.phone.outbox.removeFirst()
        var answer = try self.scenario.remote.exchangeNow(ExchangeRequest(collection: "notes", cursor: nil, limit: 9))
        answer.account = "someone-else"
        try self.phone.receive(answer, for: sent.token)
        #expect(self.phone.reports.last?.outcome == .unauthorized)
        #expect(self.phone.reports.last?.failure?.failureClass == .identityChanged)
        #expect(try self.phone.view("42") == ["title": "Oat milk"])
    }

    @Test func `an answer with too long an account name does not identify the account (W8)`() throws {
        try self.scenario.settle()
        try self.phone.renew()
        try self.phone.edit("42") { $0.title = "Soy milk" }
        try self.phone.sync(SyncScenario.collection)
        let sent = self.phone.outbox.removeFirst()
        #expect(sent.request.uploads.isEmpty)
        var answer = try self.scenario.remote.exchangeNow(sent.request)
        answer.account = String(repeating: "a", count: 1_000_000)
        try self.phone.receive(answer, for: sent.token)
        try self.phone.sync(SyncScenario.collection)
        #expect(self.phone.outbox.map(\.request.uploads.isEmpty) == [true], "the account is not known yet")
    }

    @Test(arguments: ["notes", "todos"])
    func `account-switch: a queue is never sent to another account`(collection: String) throws {
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

    @Test func `an edit without a result in the answer is sent again after a back-off`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(SyncScenario.collection)
        let sent = self.phone.outbox.removeFirst()
        var answer = try self.scenario.remote.exchangeNow(sent.request)
        answer.results = []
        answer.page = .empty
        try self.phone.receive(answer, for: sent.token)
        #expect(self.phone.outbox.isEmpty)
        #expect(self.phone.reports.last?.outcome == .unreachable)
        #expect(try self.phone.phase("42") == .edited(.unconfirmed))
        try self.scenario.settle()
        #expect(try self.phone.phase("42") == .synced)
    }
}

@Suite struct PoisonTests {
    @Test func `too-large-record is held alone, and the other records are sent`() throws {
        var limits = ServerLimits()
        limits.record = 200
        let scenario = try SyncScenario(devices: ["phone"], limits: limits)
        for pk in ["a", "b", "c"] { try scenario.phone.create(["n": 1], pk: pk) }
        let large = JSON.string(JSONString(String(repeating: "x", count: 500)))
        try scenario.phone.edit("b") { $0.n = large }
        try scenario.sync(scenario.phone)
        #expect(try scenario.phone.phase("a") == .synced)
        #expect(try scenario.phone.phase("c") == .synced)
        #expect(try scenario.phone.phase("b") == .created(.held))
        #expect(scenario.phone.reports.last?.held == ["b"])
        #expect(scenario.phone.reports.last?.outcome == .held)
        let why = try scenario.phone.engine.explain("b", in: SyncScenario.collection)
        #expect(why.why.contains("held"))

        try scenario.phone.edit("b") { $0.n = 2 }
        try scenario.sync(scenario.phone)
        #expect(try scenario.phone.phase("b") == .synced)
    }

    @Test func `a body over the limit is bisected until only the too large record is held`() throws {
        var limits = ServerLimits()
        limits.body = 900
        let scenario = try SyncScenario(devices: ["phone"], limits: limits)
        for pk in ["a", "b", "c", "d", "e", "f"] { try scenario.phone.create(["n": 1], pk: pk) }
        let large = JSON.string(JSONString(String(repeating: "x", count: 1_000)))
        try scenario.phone.edit("d") { $0.n = large }
        for _ in 0..<3 { try scenario.sync(scenario.phone) }
        for pk in ["a", "b", "c", "e", "f"] { #expect(try scenario.phone.phase(pk) == .synced) }
        #expect(try scenario.phone.phase("d") == .created(.held))
    }

    @Test func `poison-in-batch is isolated by bisection and held, and the rest is sent`() throws {
        let scenario = try SyncScenario(devices: ["phone"])
        for pk in ["a", "b", "poison", "d", "e"] { try scenario.phone.create(["n": 1], pk: pk) }
        var exchanges = 0
        for _ in 0..<40 where try scenario.phone.phase("poison") != .created(.held) {
            try scenario.phone.sync(SyncScenario.collection)
            while !scenario.phone.outbox.isEmpty {
                exchanges += 1
                let sent = scenario.phone.outbox.removeFirst()
                let isPoisoned = sent.request.encodedEdit.contains {
                    String(decoding: $0, as: UTF8.self).contains("poison")
                }
                if isPoisoned {
                    try scenario.phone.fail(RemoteFailure(.busy, "503, always"), for: sent.token)
                } else {
                    try scenario.phone.receive(try scenario.remote.exchangeNow(sent.request), for: sent.token)
                }
            }
        }
        for pk in ["a", "b", "d", "e"] { #expect(try scenario.phone.phase(pk) == .synced) }
        #expect(try scenario.phone.phase("poison") == .created(.held))
        #expect(exchanges < 40)
        #expect(
            try scenario.phone.snapshot("poison")?.raw.upload != nil, "it is unconfirmed, so its bytes are kept (I5)")
    }

    @Test func `results clear the count of failed POSTs despite a malformed item (Contract §3.6)`() throws {
        let scenario = try SyncScenario(devices: ["phone"])
        let pks = ["a", "b", "c", "d"]
        for pk in pks { try scenario.phone.create(["n": 1], pk: pk) }
        /// Begins a sync, carries its GETs, and returns its POST.
        func post() throws -> Device.Outgoing {
            try scenario.phone.sync(SyncScenario.collection)
            while scenario.phone.outbox.first?.request.encodedEdit.isEmpty == true {
                try scenario.carryOne(scenario.phone)
            }
            return scenario.phone.outbox.removeFirst()
        }
        try scenario.phone.fail(RemoteFailure(.busy, "503"), for: post().token)
        let sent = try post()
        var answer = try scenario.remote.exchangeNow(sent.request)
        answer.page = FeedPage(
            bytes: answer.page.bytes, rows: [], malformed: [QuarantinedItem(pk: "odd", reason: "data is a number")])
        try scenario.phone.receive(answer, for: sent.token)
        #expect(scenario.phone.reports.last?.pushed == pks)
        #expect(scenario.phone.reports.last?.outcome == .unreachable)
        for pk in pks { try scenario.phone.edit(pk) { $0.n = 2 } }
        try scenario.phone.fail(RemoteFailure(.busy, "503"), for: post().token)
        #expect(try post().request.encodedEdit.count == 4, "one failed POST halves nothing")
    }
}

@Suite struct ResyncTests {
    let scenario: SyncScenario

    init() throws {
        self.scenario = try SyncScenario()
        for pk in ["gone", "kept", "edited"] { try self.scenario.phone.create(["n": 1], pk: pk) }
        try self.scenario.settle()
    }

    @Test func `tombstones-purged: a full resync drops deleted records, and no unsent change`() throws {
        try self.scenario.phone.delete("gone")
        try self.scenario.phone.delete("edited")
        try self.scenario.sync(self.scenario.phone)
        self.scenario.server.clock.advance(by: .seconds(200 * 86_400))
        try self.scenario.server.purge(olderThan: .seconds(90 * 86_400))
        try self.scenario.tablet.edit("edited") { $0.n = 2 }
        try self.scenario.tablet.create(["n": 3], pk: "new")
        try self.scenario.sync(self.scenario.tablet)
        #expect(try self.scenario.tablet.phase("gone") == .absent)
        #expect(try self.scenario.tablet.phase("kept") == .synced)
        #expect(try self.scenario.onServer("new") == ["n": 3])
        #expect(try self.scenario.onServer("edited") == ["n": 2], "an edit wins over a deletion by default")
        #expect(try self.scenario.tablet.phase("edited") == .synced)
        #expect(self.scenario.tablet.reports.last?.outcome == .inSync)
    }

    @Test func `cursor-goes-back: another epoch starts a full resync`() throws {
        let restored = try InProcessServer(clock: self.scenario.server.clock, epoch: "epoch-2")
        try self.scenario.tablet.edit("edited") { $0.n = 2 }
        try self.scenario.tablet.sync(SyncScenario.collection)
        var count = 0
        while !self.scenario.tablet.outbox.isEmpty {
            count += 1
            try #require(count < 20)
            let sent = self.scenario.tablet.outbox.removeFirst()
            try self.scenario.tablet.hear(InProcessRemote(restored), sent)
        }
        #expect(try self.scenario.tablet.phase("kept") == .absent)
        #expect(try self.scenario.tablet.view("edited") == ["n": 2])
        #expect(try self.scenario.tablet.phase("edited") == .synced)
    }

    @Test func `one-bad-row-in-a-page is quarantined after 3 tries until a newer version comes`() throws {
        let tablet = self.scenario.tablet
        try self.scenario.phone.edit("kept") { $0.n = 5 }
        try self.scenario.sync(self.scenario.phone)
        for attempt in 1...3 {
            try tablet.sync(SyncScenario.collection)
            let sent = tablet.outbox.removeFirst()
            let answer = try self.scenario.remote.exchangeNow(sent.request)
            let bad = FeedPage(
                bytes: answer.page.bytes, rows: [], malformed: [QuarantinedItem(pk: "kept", reason: "data is a number")]
            )
            var spoilt = answer
            spoilt.page = bad
            try tablet.receive(spoilt, for: sent.token)
            #expect(tablet.reports.last?.outcome == (attempt < 3 ? .unreachable : .held))
        }
        #expect(tablet.reports.last?.held == ["kept"])
        let explanation = try tablet.engine.explain("kept", in: SyncScenario.collection)
        #expect(explanation.why == "The server sent a malformed item: data is a number.")
        #expect(explanation.next == "The next valid item from the server replaces it.")
        try self.scenario.phone.edit("kept") { $0.n = 6 }
        try self.scenario.settle()
        #expect(tablet.reports.last?.outcome == .inSync)
        #expect(try tablet.view("kept") == ["n": 6])
    }
}
