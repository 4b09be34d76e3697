import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

@Suite struct `An edit whose fate no one knows` {
    private let meeting: Meeting
    private var phone: Device { self.meeting.phone }

    init() throws {
        self.meeting = try Meeting()
        try self.meeting.sync(self.meeting.phone)
    }

    /// Carries the next request, and hides what became of the edits of some records.
    private func carryOne(hiding pks: Set<String>) throws {
        let sent = self.phone.outbox.removeFirst()
        var answer = try self.meeting.remote.exchangeNow(sent.request)
        let hidden = Set(sent.request.uploads.filter { pks.contains($0.pk) }.map(\.requestID))
        for index in answer.results.indices where hidden.contains(answer.results[index].requestID) {
            answer.results[index].outcome = .unknown
        }
        try self.phone.receive(answer, for: sent.token)
    }

    @Test func `R17 it alone goes out again as it is, and the exchange is no failure`() throws {
        try self.phone.create(["n": 1], pk: "a")
        try self.phone.create(["n": 2], pk: "b")
        try self.phone.sync(Meeting.collection)
        let first = try #require(self.phone.outbox.first).request.uploads
        try self.carryOne(hiding: ["b"])
        #expect(try self.phone.phase("a") == .synced)
        let again = try #require(self.phone.outbox.first).request.uploads
        #expect(again.map(\.frozen) == [first[1].frozen])
        #expect(again.first?.wasResent == true)
        try self.meeting.carry(self.phone)
        let report = try #require(self.phone.reports.last)
        #expect(report.outcome == .inStep)
        #expect(report.failure == nil)
        #expect(Set(report.pushed) == ["a", "b"])
        try self.meeting.settle()
        try self.meeting.expectAgreement("b")
    }

    @Test func `what was edited meanwhile stays`() throws {
        try self.phone.create(["n": 1], pk: "a")
        try self.phone.create(["n": 2], pk: "b")
        try self.phone.sync(Meeting.collection)
        try self.phone.edit("b") { $0.n = 3 }
        try self.carryOne(hiding: ["b"])
        try self.meeting.carry(self.phone)
        try self.meeting.settle()
        #expect(try self.meeting.onServer("b") == ["n": 3])
        #expect(try self.phone.journal().isEmpty)
    }

    @Test func `I8 where nothing is known of any edit, the sync waits`() throws {
        try self.phone.create(["n": 1], pk: "a")
        try self.phone.create(["n": 2], pk: "b")
        try self.phone.sync(Meeting.collection)
        try self.carryOne(hiding: ["a", "b"])
        #expect(self.phone.outbox.isEmpty)
        let report = try #require(self.phone.reports.last)
        #expect(report.outcome == .unreachable)
        #expect(report.failure?.failureClass == .busy)
        #expect(report.nextTry != nil)
        #expect(try self.phone.phase("a") == .created(.unconfirmed))
        try self.meeting.settle()
        try self.meeting.expectAgreement("a")
        try self.meeting.expectAgreement("b")
    }

    @Test func `SPEC 3.6 I8 one of which nothing is ever known is held, and the others go through`() throws {
        try self.phone.create(["n": 0], pk: "poison")
        for pk in ["a", "b", "c"] { try self.phone.create(["n": 1], pk: pk) }
        var requests = 0
        for _ in 0..<10 {
            try self.phone.sync(Meeting.collection)
            while !self.phone.outbox.isEmpty {
                requests += 1
                try self.carryOne(hiding: ["poison"])
            }
        }
        #expect(requests < 30)
        #expect(try self.phone.phase("poison") == .created(.held))
        #expect(self.phone.reports.last?.outcome == .held)
        try self.meeting.sync(self.meeting.tablet)
        for pk in ["a", "b", "c"] { try self.meeting.expectAgreement(pk) }
    }
}
