import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `Optional parts of an answer` {
    private let scenario: SyncScenario
    private var phone: Device { self.scenario.phone }

    init() throws {
        self.scenario = try SyncScenario()
        for number in 1...3 { try self.scenario.tablet.create(["n": 1], pk: "t\(number)") }
        try self.scenario.settle()
    }

    /// Carries the next request, and changes the server's answer.
    @discardableResult
    private func carryOne(_ change: (inout ExchangeAnswer) -> Void) throws -> ExchangeRequest {
        let sent = self.phone.outbox.removeFirst()
        self.scenario.server.clock.advance(by: .milliseconds(1))
        var answer = try self.scenario.remote.exchangeNow(sent.request)
        change(&answer)
        try self.phone.receive(answer, for: sent.token)
        return sent.request
    }

    private var report: CollectionReport {
        get throws { try #require(self.phone.reports.last) }
    }

    // MARK: A failure after partial results

    @Test(arguments: [FailureClass.offline, .busy, .auth, .portal, .invalidAnswer])
    func `results before a failure count, and the rest is sent again unchanged (R17)`(failure: FailureClass) throws {
        for pk in ["a", "b"] { try self.phone.create(["n": 1], pk: pk) }
        try self.phone.sync(SyncScenario.collection)
        let cursor = self.phone.outbox.first?.request.cursor
        let sent = try self.carryOne { answer in
            answer.results.removeLast()
            answer.cursor = ""
            answer.failure = RemoteFailure(failure, "It broke off.")
        }
        #expect(try self.phone.phase("a") == .synced)
        #expect(try self.phone.phase("b") == .created(.unconfirmed))
        #expect(try self.report.pushed == ["a"])
        #expect(try self.report.failure?.failureClass == failure)
        #expect(try self.report.outcome == (failure == .auth ? .unauthorized : .unreachable))
        #expect(try self.report.cursor == cursor)
        try self.phone.run { (engine) throws(TidemarkError) in try engine.renew(SyncScenario.collection) }
        try self.phone.sync(SyncScenario.collection)
        while self.phone.outbox.first?.request.uploads.isEmpty == true { try self.scenario.carryOne(self.phone) }
        #expect(self.phone.outbox.first?.request.encodedEdit == [sent.encodedEdit[1]])
        try self.scenario.carry(self.phone)
        try self.scenario.settle()
        try self.scenario.expectAgreement("b")
    }

    @Test func `a failure without any result is the failure of the exchange`() throws {
        try self.phone.create(["n": 1], pk: "a")
        try self.phone.sync(SyncScenario.collection)
        try self.carryOne { answer in
            answer.results = []
            answer.failure = RemoteFailure(.busy, "It broke off.")
        }
        #expect(try self.phone.phase("a") == .created(.unconfirmed))
        #expect(try self.report.nextTry != nil)
    }

    @Test func `partial results before each failure keep the back-off short (Contract §3.6)`() throws {
        var waits: [Duration] = []
        for number in 0..<6 {
            for pk in ["a\(number)", "b\(number)"] { try self.phone.create(["n": 1], pk: pk) }
            try self.phone.sync(SyncScenario.collection)
            while self.phone.outbox.first?.request.uploads.isEmpty == true { try self.scenario.carryOne(self.phone) }
            try self.carryOne { answer in
                if answer.results.count > 1 { answer.results.removeLast() }
                answer.failure = RemoteFailure(.busy, "It broke off.")
            }
            waits.append(try #require(try self.report.nextTry) - self.scenario.server.clock.now)
        }
        #expect(waits.allSatisfy { $0 <= .seconds(2) }, "\(waits)")
    }

    @Test func `a lost history after some results begins a full resync first (Contract §6)`() throws {
        for pk in ["a", "b"] { try self.phone.create(["n": 1], pk: pk) }
        try self.phone.sync(SyncScenario.collection)
        try self.carryOne { answer in
            answer.results.removeLast()
            answer.failure = RemoteFailure(.historyLost, "The cursor has died.")
        }
        #expect(self.phone.outbox.first?.request.cursor == nil)
        #expect(self.phone.outbox.first?.request.uploads.isEmpty == true)
        try self.scenario.carry(self.phone)
        #expect(try self.report.outcome == .inSync)
        try self.scenario.settle()
        for pk in ["a", "b", "t1"] { try self.scenario.expectAgreement(pk) }
    }

    // MARK: A full resync that the remote begins

    /// A page that lists some of the records of the server, and no tombstone.
    private func page(of pks: Set<String>) throws -> FeedPage {
        let all = try self.scenario.remote.exchangeNow(
            ExchangeRequest(collection: SyncScenario.collection, cursor: nil, limit: 100))
        let rows = all.page.rows.filter { pks.contains(all.page.pk(of: $0)) }
        return FeedPage(bytes: all.page.bytes, rows: rows)
    }

    @Test func `a full resync removes the records that it does not list (Contract §6)`() throws {
        try self.phone.sync(SyncScenario.collection)
        let page = try self.page(of: ["t1", "t2"])
        try self.carryOne { answer in
            answer.page = page
            answer.beginsResync = true
        }
        #expect(self.phone.outbox.isEmpty)
        #expect(try self.phone.view("t3") == nil)
        #expect(try self.phone.view("t1") == ["n": 1])
        #expect(try self.report.outcome == .inSync)
        #expect(try self.report.requests == 1)
    }

    @Test func `a full resync over pages drops records at its end, and none unsent (Contract §6)`() throws {
        try self.phone.sync(SyncScenario.collection)
        try self.phone.edit("t3") { $0.n = 3 }
        let first = try self.page(of: ["t1"])
        try self.carryOne { answer in
            answer.page = first
            answer.beginsResync = true
            answer.hasMore = true
            answer.cursor = "page 1"
        }
        #expect(try self.phone.view("t2") == ["n": 1])
        let next = self.phone.outbox.removeFirst()
        #expect(next.request.cursor == "page 1")
        #expect(next.request.uploads.isEmpty, "no edit is sent during a full resync")
        try self.phone.receive(
            ExchangeAnswer(
                cursor: "end", epoch: next.request.known.epoch ?? "", account: next.request.known.account ?? ""),
            for: next.token)
        #expect(try self.phone.view("t2") == nil)
        #expect(try self.phone.view("t3") == ["n": 3], "an unsent edit is not dropped")
    }

    @Test func `a full resync begun by a POST keeps and resends unconfirmed uploads (R17)`() throws {
        for pk in ["a", "b"] { try self.phone.create(["n": 1], pk: pk) }
        let page = try self.page(of: ["t1"])
        try self.phone.sync(SyncScenario.collection)
        let sent = try self.carryOne { answer in
            answer.results[1].outcome = .unknown
            answer.page = page
            answer.beginsResync = true
            answer.hasMore = true
            answer.cursor = "page 1"
        }
        let next = self.phone.outbox.removeFirst()
        #expect(next.request.uploads.isEmpty, "no edit is sent during a full resync")
        try self.phone.receive(
            ExchangeAnswer(
                cursor: "end", epoch: next.request.known.epoch ?? "", account: next.request.known.account ?? ""),
            for: next.token)
        #expect(try self.phone.view("t2") == nil, "the full resync did not list it")
        #expect(try self.phone.phase("a") == .synced, "its result showed it")
        #expect(try self.phone.view("b") == ["n": 1], "an unconfirmed edit is not dropped")
        while self.phone.outbox.first?.request.uploads.isEmpty == true { try self.scenario.carryOne(self.phone) }
        if self.phone.outbox.isEmpty { try self.phone.sync(SyncScenario.collection) }
        #expect(self.phone.outbox.first?.request.encodedEdit == [sent.encodedEdit[1]])
    }

    @Test func `full resyncs that restart again and again end in a failure (I8)`() throws {
        try self.phone.sync(SyncScenario.collection)
        var requests = 0
        while !self.phone.outbox.isEmpty {
            requests += 1
            try #require(requests < 20)
            let sent = self.phone.outbox.removeFirst()
            var answer = ExchangeAnswer(
                cursor: "page \(requests)", hasMore: true, epoch: sent.request.known.epoch ?? "",
                account: sent.request.known.account ?? "")
            answer.beginsResync = true
            try self.phone.receive(answer, for: sent.token)
        }
        #expect(try self.report.failure?.failureClass == .invalidAnswer)
        #expect(try self.phone.view("t1") == ["n": 1], "no full resync was completed")
    }

    @Test func `a server may begin a full resync in every GET`() throws {
        let names = Set((1...3).map { "t\($0)" } + (0..<8).map { "n\($0)" })
        for number in 0..<8 {
            try self.phone.create(["n": 1], pk: "n\(number)")
            try self.phone.sync(SyncScenario.collection)
            while let sent = self.phone.outbox.first?.request {
                let isPost = !sent.uploads.isEmpty
                var page = FeedPage.empty
                if !isPost { page = try self.page(of: names) }
                try self.carryOne { answer in
                    answer.page = page
                    answer.beginsResync = !isPost
                    answer.hasMore = isPost
                }
            }
            #expect(try self.report.failure == nil)
        }
        try self.scenario.settle()
        for name in names { try self.scenario.expectAgreement(name) }
    }

    // MARK: A wait that the server asks for

    @Test func `the client waits as long as the answer asks when more is left to do`() throws {
        try self.phone.sync(SyncScenario.collection)
        try self.carryOne { answer in
            answer.hasMore = true
            answer.wait = .seconds(30)
            answer.page = .empty
            answer.cursor = "further"
        }
        let now = self.scenario.server.clock.now
        #expect(self.phone.outbox.isEmpty)
        #expect(try self.report.nextTry == now + .seconds(30))
        #expect(self.phone.wakes[SyncScenario.collection] == now + .seconds(30))
        #expect(try self.report.failure?.failureClass == .busy)
    }

    @Test func `a sync before the end of the wait sends nothing, and one after it does`() throws {
        try self.phone.sync(SyncScenario.collection)
        try self.carryOne { $0.wait = .seconds(30) }
        #expect(try self.report.outcome == .inSync, "all was done")
        #expect(try self.report.nextTry == nil)
        try self.phone.create(["n": 1], pk: "a")
        let end = self.scenario.server.clock.now + .seconds(30)
        self.scenario.server.clock.advance(by: .seconds(10))
        try self.phone.sync(SyncScenario.collection)
        #expect(self.phone.outbox.isEmpty)
        #expect(try self.report.nextTry == end)
        #expect(try self.report.outcome == .unreachable)
        self.scenario.server.clock.advance(by: .seconds(20))
        try self.phone.run { [clock = self.scenario.server.clock] (engine) throws(TidemarkError) in
            try engine.wake(SyncScenario.collection, now: clock.now)
        }
        #expect(self.phone.outbox.first?.request.uploads.count == 1)
        try self.scenario.carry(self.phone)
        #expect(try self.report.outcome == .inSync)
        #expect(try self.report.failure == nil)
    }

    @Test func `a wait that a server asks for has a limit`() throws {
        try self.phone.sync(SyncScenario.collection)
        try self.carryOne { $0.wait = .seconds(10_000_000) }
        try self.phone.sync(SyncScenario.collection)
        #expect(try self.report.nextTry == self.scenario.server.clock.now + SyncLimits().longestRetryAfter)
    }

    // MARK: Request counts and notices

    @Test func `the report counts the requests that the remote counted (I8)`() throws {
        try self.phone.create(["n": 1], pk: "a")
        try self.phone.sync(SyncScenario.collection)
        try self.carryOne { $0.requests = 4 }
        try self.scenario.carry(self.phone)
        #expect(try self.report.requests == 4)
    }

    @Test func `the report has the server's notices, each once, limited in length and number`() throws {
        try self.phone.sync(SyncScenario.collection)
        let long = String(repeating: "x", count: 5_000)
        try self.carryOne { $0.notices = ["It ends in May.", "It ends in May.", long] }
        #expect(try self.report.notices == ["It ends in May.", String(repeating: "x", count: 1_024) + "…"])
        try self.phone.sync(SyncScenario.collection)
        try self.carryOne { $0.notices = (0..<100).map { "\($0)" } }
        #expect(try self.report.notices.count == 10)
    }
}
