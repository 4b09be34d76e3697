import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// A client loses its store to another one, and gets it again with another engine (Contract §14).
@Suite struct HandoverTests {
    private static let notes = SyncScenario.collection

    let scenario: SyncScenario
    var phone: Device { self.scenario.phone }

    init() throws {
        var configuration = SyncConfiguration()
        configuration.limits.batchSize = 1
        self.scenario = try SyncScenario(configuration: configuration)
        for pk in ["1", "2", "3"] { try self.phone.create(["title": "Milk"], pk: pk) }
        try self.scenario.settle()
        try self.phone.edit("1") { $0.title = "Oat milk" }
    }

    private func await(_ pk: String) throws -> Int {
        guard case .awaited(let number) = try self.phone.engine.awaitOutcome(of: pk, in: Self.notes) else {
            throw TidemarkError(.nothingToDecide, "nothing is awaited")
        }
        return number
    }

    /// Lets another client have the store.
    private func handOver(_ acts: () throws -> Void = {}) throws {
        let former = self.phone.engine.former
        try self.open(after: nil)
        try acts()
        try self.open(after: former)
    }

    private func open(after former: SyncEngine.Former?) throws {
        var configuration = SyncConfiguration()
        configuration.limits.batchSize = 1
        _ = try self.phone.handOver(to: configuration, capabilities: .native, after: former)
    }

    @Test func `a wait for a change that no other client has touched continues (R32)`() throws {
        let number = try self.await("1")
        try self.handOver { try self.phone.edit("2") { $0.done = true } }
        #expect(self.phone.engine.reviewWaits().isEmpty)
        try self.scenario.settle()
        #expect(self.phone.outcomes[number] == .accepted)
    }

    @Test func `no wait ends with the outcome of another client's later change (R32)`() throws {
        let number = try self.await("1")
        try self.handOver {
            try self.phone.run { (engine) throws(TidemarkError) in try engine.resign("1", in: Self.notes) }
            try self.phone.edit("1") { $0.title = "Rice milk" }
        }
        let ended = self.phone.engine.reviewWaits()
        #expect(ended.map(\.0) == [number])
        #expect(ended.allSatisfy { $0.1 == nil })
        try self.scenario.settle()
        #expect(self.phone.outcomes[number] == nil)
    }

    @Test func `no wait ends as accepted if another client has merged the change (R32)`() throws {
        let (number, tablet) = (try self.await("1"), self.scenario.devices[1])
        try tablet.edit("1") { $0.title = "Rice milk" }
        try self.scenario.sync(tablet)
        try self.handOver {
            try self.phone.sync(Self.notes)
            try self.scenario.carryOne(self.phone)
            #expect(try self.phone.phase("1").activity != nil)
        }
        #expect(self.phone.engine.reviewWaits().map(\.0) == [number])
    }

    @Test func `a damaged record keeps no wait for another record from its end (R32)`() throws {
        try self.phone.edit("2") { $0.title = "Oat milk" }
        let numbers = [try self.await("1"), try self.await("2")]
        try self.handOver {
            try self.scenario.settle()
            let store = self.phone.store
            try store.transaction { () throws(TidemarkError) in
                guard var record = try store.record("2", in: Self.notes) else { return }
                (record.phase, record.editedData) = (.edited(.idle), Array("[{".utf8))
                try store.save(record, in: Self.notes)
            }
        }
        #expect(self.phone.engine.reviewWaits().map(\.0).sorted() == numbers)
    }

    @Test func `the report of a sync has the results from before two handovers (R32)`() throws {
        for pk in ["2", "3"] { try self.phone.edit(pk) { $0.title = "Oat milk" } }
        try self.phone.sync(Self.notes)
        try self.scenario.carryOne(self.phone)
        #expect(self.phone.outbox.count == 1)
        try self.handOver()
        try self.handOver()
        try self.scenario.sync(self.phone)
        #expect(self.phone.reports.last?.pushed == ["1", "2", "3"])
    }
}
