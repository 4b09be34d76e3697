import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkServer
import TidemarkTesting
import Testing

/// What is lost, comes twice, or comes late.
@Suite struct RepeatedTests {
    let meeting: Meeting
    var phone: Device { self.meeting.phone }
    var tablet: Device { self.meeting.tablet }

    init() throws {
        self.meeting = try Meeting()
        try self.meeting.phone.create(["title": "Milk", "count": 1], pk: "42")
        try self.meeting.settle()
    }

    @Test(arguments: 1...4)
    func `lost-ack-create: however often, it is made once, and the next edit is an edit`(losses: Int) throws {
        try self.phone.create(["n": 1], pk: "new")
        for _ in 0..<losses {
            try self.phone.sync(Meeting.collection)
            try self.meeting.loseAnswer(self.phone)
        }
        try self.phone.edit("new") { $0.n = 2 }
        try self.meeting.sync(self.phone)
        #expect(try self.phone.phase("new") == .synced)
        #expect(!self.phone.events("new").contains(.clashed))
        try self.meeting.settle()
        #expect(try self.meeting.onServer("new") == ["n": 2])
        try self.meeting.expectAgreement("new")
    }

    @Test(arguments: [false, true])
    func `lost-ack-edit: another device writes on it before it is known, and neither is lost`(isSameField: Bool) throws
    {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(Meeting.collection)
        try self.meeting.loseAnswer(self.phone)
        try self.meeting.sync(self.tablet)
        try self.tablet.edit("42") { $0[isSameField ? "title" : "count"] = "tablet" }
        try self.meeting.sync(self.tablet)
        try self.phone.restart()
        try self.meeting.settle()
        try self.meeting.expectAgreement("42")
        #expect(try self.meeting.onServer("42")?[isSameField ? "title" : "count"] == "tablet")
        #expect(try self.meeting.onServer("42")?.title == (isSameField ? "tablet" : "Oat milk"))
    }

    @Test(arguments: [false, true])
    func `lost-ack-delete is done when the server no longer has it`(isPurged: Bool) throws {
        try self.phone.delete("42")
        try self.phone.sync(Meeting.collection)
        try self.meeting.loseAnswer(self.phone)
        #expect(try self.meeting.onServer("42") == nil)
        if isPurged {
            self.meeting.server.clock.advance(by: .seconds(200 * 86_400))
            try self.meeting.server.purge(olderThan: .seconds(1))
        }
        try self.meeting.sync(self.phone)
        #expect(try self.phone.phase("42") == .absent)
        #expect(self.phone.reports.last?.outcome == .inStep)
        try self.meeting.settle()
        try self.meeting.expectAgreement("42")
    }

    @Test func `lost-ack-delete: made again elsewhere before it is known, the new record stays`() throws {
        try self.phone.delete("42")
        try self.phone.sync(Meeting.collection)
        try self.meeting.loseAnswer(self.phone)
        try self.meeting.sync(self.tablet)
        try self.tablet.create(["title": "Again"], pk: "42")
        try self.meeting.sync(self.tablet)
        try self.meeting.settle()
        #expect(try self.meeting.onServer("42") == ["title": "Again"])
        try self.meeting.expectAgreement("42")
    }

    @Test func `late-duplicate-of-refused-create does not land after it was deleted`() throws {
        var limits = ServerLimits()
        limits.record = 100
        let meeting = try Meeting(limits: limits)
        let large = JSON.string(JSONString(String(repeating: "x", count: 200)))
        try meeting.phone.create(["n": large], pk: "new")
        try meeting.phone.sync(Meeting.collection)
        let duplicate = try #require(meeting.phone.outbox.first).request
        try meeting.carry(meeting.phone)
        #expect(try meeting.phone.phase("new") == .created(.held))
        try meeting.phone.delete("new")
        try meeting.sync(meeting.phone)
        #expect(try meeting.phone.phase("new") == .absent)
        _ = try meeting.remote.exchangeNow(duplicate)
        #expect(try meeting.onServer("new") == nil)
    }

    @Test func `late-duplicate-of-refused-create: one that was sent again is not done again after its delete`() throws {
        try self.phone.create(["n": 1], pk: "new")
        try self.phone.sync(Meeting.collection)
        let duplicate = try #require(self.phone.outbox.first).request
        try self.phone.failNext(RemoteFailure(.offline, "lost, or only late"))
        try self.phone.delete("new")
        try self.meeting.sync(self.phone)
        #expect(try self.phone.phase("new") == .absent)
        _ = try self.meeting.remote.exchangeNow(duplicate)
        #expect(try self.meeting.onServer("new") == nil)
        try self.meeting.settle()
        try self.meeting.expectAgreement("new")
    }

    @Test func `stale-cache-200: an answer of yesterday passes, and what is pending goes over what is new`() throws {
        let stale = try self.meeting.remote.exchangeNow(
            ExchangeRequest(collection: Meeting.collection, watermark: nil, limit: 500))
        try self.tablet.edit("42") { $0.count = 2 }
        try self.tablet.create(["n": 1], pk: "new")
        try self.meeting.settle()
        try self.phone.sync(Meeting.collection)
        let sent = self.phone.outbox.removeFirst()
        try self.phone.receive(stale, for: sent.token)
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.meeting.settle()
        #expect(try self.meeting.onServer("42") == ["title": "Oat milk", "count": 2])
        try self.meeting.expectAgreement("42")
        try self.meeting.expectAgreement("new")
    }

    @Test func `stale-cache-200: for a listing from the start it brings nothing back, and loses nothing unsent`() throws
    {
        let stale = try self.meeting.remote.exchangeNow(
            ExchangeRequest(collection: Meeting.collection, watermark: nil, limit: 500))
        try self.tablet.create(["n": 1], pk: "new")
        try self.tablet.delete("42")
        try self.meeting.settle()
        try self.phone.edit("new") { $0.n = 2 }
        try self.phone.sync(Meeting.collection)
        try self.phone.failNext(RemoteFailure(.historyLost, "410"))
        let sent = self.phone.outbox.removeFirst()
        try self.phone.receive(stale, for: sent.token)
        try self.meeting.carry(self.phone)
        try self.meeting.settle()
        #expect(try self.meeting.onServer("42") == nil)
        #expect(try self.meeting.onServer("new") == ["n": 2])
        try self.meeting.expectAgreement("42")
        try self.meeting.expectAgreement("new")
    }

    @Test(arguments: ["", "{}", "[]", "null", #"{"items":null,"max_updated_at":"w","more":false}"#, "<html></html>"])
    func `empty-answer-is-not-no-rows: nothing is taken for gone, in the middle of a listing either`(
        body: String
    ) throws {
        let before = self.phone.reports.last?.watermark
        try self.phone.sync(Meeting.collection)
        try self.phone.answerNext(body)
        #expect(self.phone.reports.last?.outcome != .inStep)
        #expect(self.phone.reports.last?.watermark == before)
        try self.phone.renew()
        try self.phone.sync(Meeting.collection)
        try self.phone.failNext(RemoteFailure(.historyLost, "410"))
        try self.phone.answerNext(body)
        #expect(try self.phone.phase("42") == .synced)
        try self.phone.renew()
        try self.meeting.settle()
        try self.meeting.expectAgreement("42")
    }
}
