import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct UnaskedListingTests {
    private let meeting: Meeting
    private var phone: Device { self.meeting.phone }

    init() throws {
        self.meeting = try Meeting()
        for number in 1...3 { try self.meeting.tablet.create(["n": 1], pk: "t\(number)") }
        try self.meeting.settle()
    }

    private func carryOne(_ change: (inout ExchangeAnswer) throws -> Void) throws {
        let sent = self.phone.outbox.removeFirst()
        self.meeting.server.clock.advance(by: .milliseconds(1))
        var answer = try self.meeting.remote.exchangeNow(sent.request)
        try change(&answer)
        try self.phone.receive(answer, for: sent.token)
    }

    private func listing(_ pks: Set<String>) throws -> FeedPage {
        let all = try self.meeting.remote.exchangeNow(
            ExchangeRequest(collection: Meeting.collection, watermark: nil, limit: 100))
        let rows = all.page.rows.filter { pks.contains(all.page.pk(of: $0)) }
        return FeedPage(bytes: all.page.bytes, rows: rows)
    }

    @Test func `SPEC 6 a listing that begins with an answer applied in part drops nothing that it has not read`() throws
    {
        try self.phone.edit("t3") { $0.a = 2 }
        try self.phone.sync(Meeting.collection)
        try self.phone.failNext(RemoteFailure(.offline, "It broke off."))
        try self.meeting.tablet.edit("t3") { $0.b = 2 }
        try self.meeting.sync(self.meeting.tablet)
        try self.phone.sync(Meeting.collection)
        try self.carryOne { #expect($0.results.isEmpty, "a GET shows a row of the record whose upload is unconfirmed") }
        #expect(self.phone.outbox.first?.request.uploads.count == 1)
        try self.meeting.tablet.edit("t3") { $0.b = 3 }
        try self.meeting.sync(self.meeting.tablet)
        try self.carryOne { answer in
            answer.page = try self.listing(["t1", "t3"])
            answer.beginsListing = true
            answer.hasMore = true
        }
        try self.meeting.carry(self.phone)
        try self.meeting.settle()
        for pk in ["t1", "t2", "t3"] { try self.meeting.expectAgreement(pk) }
    }

    @Test func `SPEC 3.5 a failure that another account's server adds to an answer of ours is turned away`() throws {
        for pk in ["a", "b"] { try self.phone.create(["n": 1], pk: pk) }
        try self.phone.sync(Meeting.collection)
        let former = try self.phone.store.state(of: Meeting.collection)
        try self.carryOne { answer in
            answer.results.removeLast()
            var failure = RemoteFailure(.historyLost, "The cursor has died.", serverWentBack: true)
            failure.account = "another"
            answer.failure = failure
        }
        #expect(self.phone.reports.last?.failure?.failureClass == .identityChanged)
        #expect(self.phone.outbox.isEmpty)
        #expect(try self.phone.store.state(of: Meeting.collection).claim == nil)
        #expect(try self.phone.store.state(of: Meeting.collection).watermark == former.watermark)
    }
}
