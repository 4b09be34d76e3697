import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

/// A conflict is open when the next version of the app comes with other rules (R22).
@Suite struct LaterRulesTests {
    let scenario: SyncScenario
    var tablet: Device { self.scenario.tablet }

    init() throws {
        self.scenario = try SyncScenario(configuration: SyncConfiguration(rules: .init(tactic: .askUser)))
        try self.scenario.phone.create(["n": 0], pk: "42")
        try self.scenario.settle()
        try self.scenario.phone.edit("42") { $0.n = 5 }
        try self.scenario.sync(self.scenario.phone)
        try self.scenario.tablet.edit("42") { $0.n = 7 }
        try self.scenario.sync(self.scenario.tablet)
    }

    private func restart(_ rules: CollectionRules) throws {
        try self.tablet.restart(configuration: SyncConfiguration(rules: rules))
    }

    private static func summing() throws -> CollectionRules {
        CollectionRules(tactic: .askUser, fields: try FieldRules([("/n", .sum)]))
    }

    @Test func `a sync with a new field rule settles an open conflict (I3, R22)`() throws {
        try self.restart(try Self.summing())
        try self.scenario.settle()
        #expect(self.tablet.reports.last?.outcome == .inSync)
        #expect(try self.scenario.onServer("42") == ["n": 12])
        try self.scenario.expectAgreement(on: "42")
    }

    @Test func `a sync with a new tactic settles an open conflict (R22)`() throws {
        try self.restart(CollectionRules(tactic: .takeServer))
        try self.scenario.settle()
        try self.scenario.expectAgreement(on: "42")
        #expect(try self.scenario.onServer("42") == ["n": 5])
        #expect(try self.tablet.journal().map(\.raw.value) == [Array("7".utf8)], "the loser is journalled (I2)")
    }

    @Test func `a conflict that a new rule would settle is listed, and can be decided (I3)`() throws {
        try self.restart(try Self.summing())
        let conflict = try #require(try self.tablet.engine.conflicts(in: SyncScenario.collection).first)
        try self.tablet.run { (engine) throws(TidemarkError) in try engine.resolve(conflict, .takeClient).effects }
        try self.scenario.settle()
        try self.scenario.expectAgreement(on: "42")
        #expect(try self.scenario.onServer("42") == ["n": 7])
    }

    @Test func `a process with the same rules does not report an open conflict again`() throws {
        let count = self.tablet.changes.count
        try self.tablet.restart()
        try self.scenario.sync(self.tablet)
        #expect(self.tablet.changes.count == count)
        #expect(self.tablet.reports.last?.outcome == .conflicts)
        #expect(try self.tablet.engine.conflicts(in: SyncScenario.collection).map(\.pk) == ["42"])
    }
}
