import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// An app decides about a conflict that it made itself, or that it was shown under other rules (R22).
@Suite struct OtherRulesTests {
    let scenario: SyncScenario
    var tablet: Device { self.scenario.tablet }

    init() throws {
        var configuration = SyncConfiguration()
        configuration[SyncScenario.collection].fields = try Self.rules
        self.scenario = try SyncScenario(configuration: configuration)
        try self.scenario.phone.create(["n": 5, "title": "Milk"], pk: "42")
        try self.scenario.settle()
        try self.scenario.phone.edit("42") { ($0.n, $0.title) = (8, "Oat milk") }
        try self.scenario.sync(self.scenario.phone)
        try self.scenario.tablet.edit("42") { ($0.n, $0.title) = (6, "Soy milk") }
        try self.scenario.sync(self.scenario.tablet)
    }

    private static var rules: FieldRules {
        get throws { try FieldRules([("/n", .sum), ("/title", .ask)]) }
    }

    /// The open conflict, made by the app with other rules.
    private func conflict(_ fields: FieldRules) throws -> RecordConflict {
        let open = try #require(try self.tablet.engine.conflict(of: "42", in: SyncScenario.collection))
        #expect(open.asked.map(\.path.text) == ["/title"])
        return RecordConflict(
            collection: open.collection, pk: open.pk, base: open.base, server: open.server, version: open.version,
            client: open.client, fields: fields)
    }

    private func resolve(_ conflict: RecordConflict, _ verdict: Verdict) throws -> SyncEngine.Resolution {
        var resolution = SyncEngine.Resolution.settled
        try self.tablet.run { (engine) throws(TidemarkError) in
            let outcome = try engine.resolve(conflict, verdict)
            resolution = outcome.value
            return outcome.effects
        }
        return resolution
    }

    @Test(arguments: [Verdict.Side.client, .server])
    func `a decision is carried out by the rules of the engine (I2, R22)`(side: Verdict.Side) throws {
        let conflict = try self.conflict(try FieldRules([("/title", .ask)]))
        #expect(conflict.asked.map(\.path.text) == ["/title"])
        #expect(conflict.merged?.n == 6)
        #expect(try self.resolve(conflict, .clashes(side)) == .settled)
        try self.scenario.settle()
        #expect(try self.scenario.onServer("42") == ["n": 9, "title": side == .client ? "Soy milk" : "Oat milk"])
        try self.scenario.expectAgreement("42")
        let lost = side == .client ? "Oat milk" : "Soy milk"
        #expect(try self.tablet.journal().map { try $0.lostValue } == [.string(JSONString(lost))])
    }

    @Test(arguments: [Verdict.clashes(.client), .takeServer, .merge(["n": 6])])
    func `a decision about other fields than the open ones is refused, and they are asked again (R22)`(
        verdict: Verdict
    ) throws {
        let conflict = try self.conflict(FieldRules())
        #expect(conflict.asked.map(\.path.text) == ["/n", "/title"])
        let count = self.tablet.changes.count
        #expect(try self.resolve(conflict, verdict) == .stale)
        #expect(try self.tablet.phase("42") == .edited(.deciding))
        #expect(self.tablet.changes.dropFirst(count).map(\.origin) == [.conflict])
        #expect(try self.tablet.journal().isEmpty)
        let open = try self.conflict(try Self.rules)
        #expect(try self.resolve(open, .clashes(.client)) == .settled)
        try self.scenario.settle()
        #expect(try self.scenario.onServer("42") == ["n": 9, "title": "Soy milk"])
    }
}
