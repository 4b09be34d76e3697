import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `An answer that says more` {
    private let meeting: Meeting
    private var phone: Device { self.meeting.phone }

    init() throws {
        self.meeting = try Meeting()
        for number in 1...3 { try self.meeting.tablet.create(["n": 1], pk: "t\(number)") }
        try self.meeting.settle()
    }

    /// Carries the next request, and changes what the server answers.
    @discardableResult
    private func carryOne(_ change: (inout ExchangeAnswer) -> Void) throws -> ExchangeRequest {
        let sent = self.phone.outbox.removeFirst()
        self.meeting.server.clock.advance(by: .milliseconds(1))
        var answer = try self.meeting.remote.exchangeNow(sent.request)
        change(&answer)
        try self.phone.receive(answer, for: sent.token)
        return sent.request
    }

    private var report: CollectionReport {
        get throws { try #require(self.phone.reports.last) }
    }

    // MARK: A failure after partial results

    @Test(arguments: [FailureClass.offline, .busy, .auth, .portal, .protocol])
    func `R17 what has a result counts, and the rest goes out again as it was`(failure: FailureClass) throws {
        for pk in ["a", "b"] { try self.phone.create(["n": 1], pk: pk) }
        try self.phone.sync(Meeting.collection)
        let watermark = self.phone.outbox.first?.request.watermark
        let sent = try self.carryOne { answer in
            answer.results.removeLast()
            answer.watermark = ""
            answer.failure = RemoteFailure(failure, "It broke off.")
        }
        #expect(try self.phone.phase("a") == .synced)
        #expect(try self.phone.phase("b") == .created(.unconfirmed))
        #expect(try self.report.pushed == ["a"])
        #expect(try self.report.failure?.failureClass == failure)
        #expect(try self.report.outcome == (failure == .auth ? .unauthorised : .unreachable))
        #expect(try self.report.watermark == watermark)
        try self.phone.run { (engine) throws(TidemarkError) in try engine.renew(Meeting.collection) }
        try self.phone.sync(Meeting.collection)
        while self.phone.outbox.first?.request.uploads.isEmpty == true { try self.meeting.carryOne(self.phone) }
        #expect(self.phone.outbox.first?.request.frozen == [sent.frozen[1]])
        try self.meeting.carry(self.phone)
        try self.meeting.settle()
        try self.meeting.expectAgreement("b")
    }

    @Test func `a failure without any result is the failure of the exchange`() throws {
        try self.phone.create(["n": 1], pk: "a")
        try self.phone.sync(Meeting.collection)
        try self.carryOne { answer in
            answer.results = []
            answer.failure = RemoteFailure(.busy, "It broke off.")
        }
        #expect(try self.phone.phase("a") == .created(.unconfirmed))
        #expect(try self.report.nextTry != nil)
    }

    @Test func `SPEC 3.6 a server that takes some before it breaks off is not backed off from further each time`()
        throws
    {
        var waits: [Duration] = []
        for number in 0..<6 {
            for pk in ["a\(number)", "b\(number)"] { try self.phone.create(["n": 1], pk: pk) }
            try self.phone.sync(Meeting.collection)
            while self.phone.outbox.first?.request.uploads.isEmpty == true { try self.meeting.carryOne(self.phone) }
            try self.carryOne { answer in
                if answer.results.count > 1 { answer.results.removeLast() }
                answer.failure = RemoteFailure(.busy, "It broke off.")
            }
            waits.append(try #require(try self.report.nextTry) - self.meeting.server.clock.now)
        }
        #expect(waits.allSatisfy { $0 <= .seconds(2) }, "\(waits)")
    }

    @Test func `SPEC 6 a history that is lost after some results begins a listing, and the rest waits for its end`()
        throws
    {
        for pk in ["a", "b"] { try self.phone.create(["n": 1], pk: pk) }
        try self.phone.sync(Meeting.collection)
        try self.carryOne { answer in
            answer.results.removeLast()
            answer.failure = RemoteFailure(.historyLost, "The cursor has died.")
        }
        #expect(self.phone.outbox.first?.request.watermark == nil)
        #expect(self.phone.outbox.first?.request.uploads.isEmpty == true)
        try self.meeting.carry(self.phone)
        #expect(try self.report.outcome == .inStep)
        try self.meeting.settle()
        for pk in ["a", "b", "t1"] { try self.meeting.expectAgreement(pk) }
    }

    // MARK: A listing that the remote begins

    /// A page that lists some of the records of the server, and no tombstone.
    private func listing(_ pks: Set<String>) throws -> FeedPage {
        let all = try self.meeting.remote.exchangeNow(
            ExchangeRequest(collection: Meeting.collection, watermark: nil, limit: 100))
        let rows = all.page.rows.filter { pks.contains(all.page.pk(of: $0)) }
        return FeedPage(bytes: all.page.bytes, rows: rows)
    }

    @Test func `SPEC 6 what it does not name by its end is gone, in one exchange`() throws {
        try self.phone.sync(Meeting.collection)
        let page = try self.listing(["t1", "t2"])
        try self.carryOne { answer in
            answer.page = page
            answer.beginsListing = true
        }
        #expect(self.phone.outbox.isEmpty)
        #expect(try self.phone.view("t3") == nil)
        #expect(try self.phone.view("t1") == ["n": 1])
        #expect(try self.report.outcome == .inStep)
        #expect(try self.report.requests == 1)
    }

    @Test func `SPEC 6 it goes on over pages, and nothing is dropped before its end, nor what is unsent`() throws {
        try self.phone.sync(Meeting.collection)
        try self.phone.edit("t3") { $0.n = 3 }
        let first = try self.listing(["t1"])
        try self.carryOne { answer in
            answer.page = first
            answer.beginsListing = true
            answer.hasMore = true
            answer.watermark = "page 1"
        }
        #expect(try self.phone.view("t2") == ["n": 1])
        let next = self.phone.outbox.removeFirst()
        #expect(next.request.watermark == "page 1")
        #expect(next.request.uploads.isEmpty, "nothing is sent while a listing is under way")
        try self.phone.receive(
            ExchangeAnswer(
                watermark: "end", epoch: next.request.known.epoch ?? "", account: next.request.known.account ?? ""),
            for: next.token)
        #expect(try self.phone.view("t2") == nil)
        #expect(try self.phone.view("t3") == ["n": 3], "what is unsent is not dropped")
    }

    @Test func `R17 a listing that an answer to a POST begins keeps what no one knows of, and sends it again after`()
        throws
    {
        for pk in ["a", "b"] { try self.phone.create(["n": 1], pk: pk) }
        let page = try self.listing(["t1"])
        try self.phone.sync(Meeting.collection)
        let sent = try self.carryOne { answer in
            answer.results[1].outcome = .unknown
            answer.page = page
            answer.beginsListing = true
            answer.hasMore = true
            answer.watermark = "page 1"
        }
        let next = self.phone.outbox.removeFirst()
        #expect(next.request.uploads.isEmpty, "nothing is sent while a listing is under way")
        try self.phone.receive(
            ExchangeAnswer(
                watermark: "end", epoch: next.request.known.epoch ?? "", account: next.request.known.account ?? ""),
            for: next.token)
        #expect(try self.phone.view("t2") == nil, "it was not listed")
        #expect(try self.phone.phase("a") == .synced, "its result showed it")
        #expect(try self.phone.view("b") == ["n": 1], "what is in doubt is not dropped")
        while self.phone.outbox.first?.request.uploads.isEmpty == true { try self.meeting.carryOne(self.phone) }
        if self.phone.outbox.isEmpty { try self.phone.sync(Meeting.collection) }
        #expect(self.phone.outbox.first?.request.frozen == [sent.frozen[1]])
    }

    @Test func `I8 listings that begin again and again come to an end`() throws {
        try self.phone.sync(Meeting.collection)
        var requests = 0
        while !self.phone.outbox.isEmpty {
            requests += 1
            try #require(requests < 20)
            let sent = self.phone.outbox.removeFirst()
            var answer = ExchangeAnswer(
                watermark: "page \(requests)", hasMore: true, epoch: sent.request.known.epoch ?? "",
                account: sent.request.known.account ?? "")
            answer.beginsListing = true
            try self.phone.receive(answer, for: sent.token)
        }
        #expect(try self.report.failure?.failureClass == .protocol)
        #expect(try self.phone.view("t1") == ["n": 1], "no listing came to its end")
    }

    @Test func `a server that lists everything each time may do so as often as it is asked`() throws {
        let names = Set((1...3).map { "t\($0)" } + (0..<8).map { "n\($0)" })
        for number in 0..<8 {
            try self.phone.create(["n": 1], pk: "n\(number)")
            try self.phone.sync(Meeting.collection)
            while let sent = self.phone.outbox.first?.request {
                let isPost = !sent.uploads.isEmpty
                var page = FeedPage.empty
                if !isPost { page = try self.listing(names) }
                try self.carryOne { answer in
                    answer.page = page
                    answer.beginsListing = !isPost
                    answer.hasMore = isPost
                }
            }
            #expect(try self.report.failure == nil)
        }
        try self.meeting.settle()
        for name in names { try self.meeting.expectAgreement(name) }
    }

    // MARK: Being left alone

    @Test func `what is left to do waits as long as the server asks, and nothing is counted as a failure`() throws {
        try self.phone.sync(Meeting.collection)
        try self.carryOne { answer in
            answer.hasMore = true
            answer.wait = .seconds(30)
            answer.page = .empty
            answer.watermark = "further"
        }
        let now = self.meeting.server.clock.now
        #expect(self.phone.outbox.isEmpty)
        #expect(try self.report.nextTry == now + .seconds(30))
        #expect(self.phone.wakes[Meeting.collection] == now + .seconds(30))
        #expect(try self.report.failure?.failureClass == .busy)
    }

    @Test func `a sync before its time asks nothing and says when, and one after it does`() throws {
        try self.phone.sync(Meeting.collection)
        try self.carryOne { $0.wait = .seconds(30) }
        #expect(try self.report.outcome == .inStep, "all was done")
        #expect(try self.report.nextTry == nil)
        try self.phone.create(["n": 1], pk: "a")
        let end = self.meeting.server.clock.now + .seconds(30)
        self.meeting.server.clock.advance(by: .seconds(10))
        try self.phone.sync(Meeting.collection)
        #expect(self.phone.outbox.isEmpty)
        #expect(try self.report.nextTry == end)
        #expect(try self.report.outcome == .unreachable)
        self.meeting.server.clock.advance(by: .seconds(20))
        try self.phone.run { [clock = self.meeting.server.clock] (engine) throws(TidemarkError) in
            try engine.wake(Meeting.collection, now: clock.now)
        }
        #expect(self.phone.outbox.first?.request.uploads.count == 1)
        try self.meeting.carry(self.phone)
        #expect(try self.report.outcome == .inStep)
        #expect(try self.report.failure == nil)
    }

    @Test func `a back-off is not made shorter by it, and a server can't ask for ever`() throws {
        try self.phone.sync(Meeting.collection)
        try self.carryOne { $0.wait = .seconds(10_000_000) }
        try self.phone.sync(Meeting.collection)
        #expect(try self.report.nextTry == self.meeting.server.clock.now + SyncLimits().longestRetryAfter)
    }

    // MARK: Asides

    @Test func `I8 requests are those that the remote counts`() throws {
        try self.phone.create(["n": 1], pk: "a")
        try self.phone.sync(Meeting.collection)
        try self.carryOne { $0.requests = 4 }
        try self.meeting.carry(self.phone)
        #expect(try self.report.requests == 4)
    }

    @Test func `what the server tells a person is in the report, each sentence once, and not without end`() throws {
        try self.phone.sync(Meeting.collection)
        let long = String(repeating: "x", count: 5_000)
        try self.carryOne { $0.notices = ["It ends in May.", "It ends in May.", long] }
        #expect(try self.report.notices == ["It ends in May.", String(long.prefix(1_024))])
        try self.phone.sync(Meeting.collection)
        try self.carryOne { $0.notices = (0..<100).map { "\($0)" } }
        #expect(try self.report.notices.count == 10)
    }
}
