import TestSupport
import Testing
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkServer
import TidemarkTesting

/// What is larger, or longer, than one answer or one name may be.
@Suite struct SizeTests {
    private static func meeting(results: Int) throws -> Meeting {
        var limits = ServerLimits()
        limits.results = results
        return try Meeting(limits: limits)
    }

    @Test func `answer-too-large: a batch whose results do not fit is sent in parts, in one sync without a failure`()
        throws
    {
        let meeting = try Self.meeting(results: 10_000)
        let text = JSON.string(JSONString(String(repeating: "x", count: 2_000)))
        for number in 0..<20 { try meeting.phone.create(["text": text], pk: "p\(number)") }
        try meeting.sync(meeting.phone)
        #expect(meeting.phone.reports.last?.outcome == .inStep)
        #expect(meeting.phone.reports.last?.pushed.count == 20)
        try meeting.settle()
        for number in 0..<20 { try meeting.expectAgreement("p\(number)") }
        // Small edits of large records that both devices changed: the answers are large, the requests are not.
        for number in 0..<20 {
            try meeting.phone.edit("p\(number)") { $0.a = 1 }
            try meeting.tablet.edit("p\(number)") { $0.b = 2 }
        }
        try meeting.sync(meeting.phone)
        try meeting.sync(meeting.tablet)
        #expect(meeting.tablet.reports.last?.outcome == .inStep)
        try meeting.settle()
        for number in 0..<20 {
            try meeting.expectAgreement("p\(number)")
            #expect(try meeting.onServer("p\(number)")?.b == 2)
        }
    }

    @Test func `what the server did not come to goes out again with the same bytes, and may be edited meanwhile (R17)`()
        throws
    {
        let meeting = try Self.meeting(results: 10)
        try meeting.phone.create(["n": 1], pk: "a")
        try meeting.phone.create(["n": 1], pk: "b")
        try meeting.phone.sync(Meeting.collection)
        let first = try #require(meeting.phone.outbox.first?.request.frozen)
        try meeting.carryOne(meeting.phone)
        let second = try #require(meeting.phone.outbox.first?.request.frozen)
        #expect(first.count == 2)
        #expect(second == [first[1]])
        try meeting.phone.edit("b") { $0.n = 2 }
        try meeting.carry(meeting.phone)
        try meeting.settle()
        #expect(try meeting.onServer("b") == ["n": 2])
        try meeting.expectAgreement("b")
    }

    @Test func `a server that comes to nothing of what it is sent is no progress, and is asked again later (I8)`()
        throws
    {
        let phone = try Device("phone", seed: 1, clock: ManualClock())
        try phone.sync(Meeting.collection)
        try phone.answerNext(answerBody(items: ""))
        try phone.create(["n": 1], pk: "a")
        try phone.sync(Meeting.collection)
        let id = try #require(
            try phone.outbox.first?.request.frozen.first.map { try JSON(parsing: $0) }?.request_id?.text)
        let problem = #"{"status":503,"title":"full"}"#
        let result = #"{"request_id":\#(id),"pk":"a","is_conflicted":false,"item":null,"error":\#(problem)}"#
        try phone.answerNext(answerBody(results: result, items: ""))
        #expect(phone.outbox.isEmpty)
        #expect(phone.reports.last?.outcome == .unreachable)
        #expect(try phone.phase("a") == .created(.unconfirmed))
    }

    @Test(arguments: [(512, true), (513, false)])
    func `an item whose pk is over the limit is set aside as any that makes no sense`(
        _ count: Int, _ isAllowed: Bool
    ) throws {
        let phone = try Device("phone", seed: 1, clock: ManualClock())
        let pk = String(repeating: "k", count: count)
        let items = #"{"pk":"\#(pk)","updated_at":5,"is_active":true,"data":{"n":1}}"#
        let good = #"{"pk":"good","updated_at":6,"is_active":true,"data":{}}"#
        for _ in 0..<3 {
            try phone.sync(Meeting.collection)
            try phone.answerNext(answerBody(items: "\(items),\(good)"))
        }
        #expect(try phone.view("good") == [:])
        #expect(try phone.view(pk) == (isAllowed ? ["n": 1] : nil))
        #expect(phone.reports.last?.outcome == (isAllowed ? .inStep : .held))
        #expect((phone.reports.last?.held.first?.utf8.count ?? 0) < 100)
    }

    @Test func `names have one limit on both sides`() {
        let limits = ServerLimits()
        #expect(limits.pk == SyncLimits().nameSize)
        #expect(limits.collectionName == SyncLimits().nameSize)
    }
}
