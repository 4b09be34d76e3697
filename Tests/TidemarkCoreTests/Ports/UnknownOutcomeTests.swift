import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

@Suite struct `Edits with an unknown outcome` {
    private let scenario: SyncScenario
    private var phone: Device { self.scenario.phone }

    init() throws {
        self.scenario = try SyncScenario()
        try self.scenario.sync(self.scenario.phone)
    }

    /// Carries the next request; the outcomes of some records' edits are unknown in its answer.
    private func carryOne(hiding pks: Set<String>) throws {
        let sent = self.phone.outbox.removeFirst()
        var answer = try self.scenario.remote.exchangeNow(sent.request)
        let hidden = Set(sent.request.uploads.filter { pks.contains($0.pk) }.map(\.requestID))
        for index in answer.results.indices where hidden.contains(answer.results[index].requestID) {
            answer.results[index].outcome = .unknown
        }
        try self.phone.receive(answer, for: sent.token)
    }

    @Test func `an edit with an unknown outcome is sent again alone, without a failure (R17)`() throws {
        try self.phone.create(["n": 1], pk: "a")
        try self.phone.create(["n": 2], pk: "b")
        try self.phone.sync(SyncScenario.collection)
        let first = try #require(self.phone.outbox.first).request.uploads
        try self.carryOne(hiding: ["b"])
        #expect(try self.phone.phase("a") == .synced)
        let again = try #require(self.phone.outbox.first).request.uploads
        #expect(again.map(\.encodedEdit) == [first[1].encodedEdit])
        #expect(again.first?.wasResent == true)
        try self.scenario.carry(self.phone)
        let report = try #require(self.phone.reports.last)
        #expect(report.outcome == .inSync)
        #expect(report.failure == nil)
        #expect(Set(report.pushed) == ["a", "b"])
        try self.scenario.settle()
        try self.scenario.expectAgreement("b")
    }

    @Test func `a later edit of a record with an unknown outcome is kept`() throws {
        try self.phone.create(["n": 1], pk: "a")
        try self.phone.create(["n": 2], pk: "b")
        try self.phone.sync(SyncScenario.collection)
        try self.phone.edit("b") { $0.n = 3 }
        try self.carryOne(hiding: ["b"])
        try self.scenario.carry(self.phone)
        try self.scenario.settle()
        #expect(try self.scenario.onServer("b") == ["n": 3])
        #expect(try self.phone.journal().isEmpty)
    }

    @Test func `a sync waits if the outcome of every edit is unknown (I8)`() throws {
        try self.phone.create(["n": 1], pk: "a")
        try self.phone.create(["n": 2], pk: "b")
        try self.phone.sync(SyncScenario.collection)
        try self.carryOne(hiding: ["a", "b"])
        #expect(self.phone.outbox.isEmpty)
        let report = try #require(self.phone.reports.last)
        #expect(report.outcome == .unreachable)
        #expect(report.failure?.failureClass == .busy)
        #expect(report.nextTry != nil)
        #expect(try self.phone.phase("a") == .created(.unconfirmed))
        try self.scenario.settle()
        try self.scenario.expectAgreement("a")
        try self.scenario.expectAgreement("b")
    }

    @Test func `an edit whose outcome stays unknown is held, other edits are sent (Contract §3.6, I8)`() throws {
        try self.phone.create(["n": 0], pk: "poison")
        for pk in ["a", "b", "c"] { try self.phone.create(["n": 1], pk: pk) }
        var requests = 0
        for _ in 0..<10 {
            try self.phone.sync(SyncScenario.collection)
            while !self.phone.outbox.isEmpty {
                requests += 1
                try self.carryOne(hiding: ["poison"])
            }
        }
        #expect(requests < 30)
        #expect(try self.phone.phase("poison") == .created(.held))
        #expect(self.phone.reports.last?.outcome == .held)
        try self.scenario.sync(self.scenario.tablet)
        for pk in ["a", "b", "c"] { try self.scenario.expectAgreement(pk) }
    }
}
