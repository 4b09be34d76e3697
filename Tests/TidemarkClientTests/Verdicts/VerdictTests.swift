import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// A tactic that always returns the same verdict.
private struct Always: Tactic {
    var verdict: Verdict

    func decide(_ conflict: RecordConflict) -> Verdict? { self.verdict }
}

@Suite struct VerdictTests {
    /// Two devices; the tablet has an open conflict about "42", and also a record "taken".
    private func scenario(_ verdict: Verdict) throws -> SyncScenario {
        let configuration = SyncConfiguration(rules: .init(tactic: Always(verdict: verdict)))
        let scenario = try SyncScenario(configuration: configuration)
        try scenario.phone.create(["title": "Milk"], pk: "42")
        try scenario.phone.create(["title": "Bread"], pk: "taken")
        try scenario.settle()
        try scenario.phone.edit("42") { $0.title = "Oat milk" }
        try scenario.sync(scenario.phone)
        try scenario.tablet.edit("42") { $0.title = "Soy milk" }
        try scenario.tablet.create(["n": 1], pk: "other")
        try scenario.sync(scenario.tablet)
        return scenario
    }

    @Test(arguments: [
        (Verdict.merge([1, 2]), "A record is a JSON object"), (.merge(.null), "A record is a JSON object"),
        (.keepBoth(newPK: "taken"), "already"), (.keepBoth(newPK: "42"), "already"),
        (.keepBoth(newPK: ""), "An empty string is not a pk"),
    ])
    func `a tactic's invalid verdict leaves the conflict open, and the app is told why`(
        verdict: Verdict, why: String
    ) throws {
        let scenario = try self.scenario(verdict)
        let tablet = scenario.tablet
        #expect(try tablet.phase("42") == .edited(.deciding))
        #expect(try tablet.view("42") == ["title": "Soy milk"])
        #expect(try tablet.view("taken") == ["title": "Bread"])
        #expect(try scenario.onServer("other") == ["n": 1], "other records are sent")
        #expect(tablet.reports.last?.outcome == .conflicts)
        let change = try #require(tablet.changes.last { $0.pk == "42" })
        #expect(change.origin == .conflict)
        #expect(change.problem?.contains(why) == true)
        #expect(try tablet.engine.explain("42", in: SyncScenario.collection).why.contains(why))
        try tablet.restart()
        #expect(try tablet.engine.explain("42", in: SyncScenario.collection).why.contains(why))
        #expect(try tablet.journal().isEmpty)
    }

    @Test func `a conflict that a tactic leaves to the user has no problem`() throws {
        let tablet = try self.scenario(.ask).tablet
        let change = try #require(tablet.changes.last { $0.pk == "42" })
        #expect(change.origin == .conflict)
        #expect(change.problem == nil)
        let why = try tablet.engine.explain("42", in: SyncScenario.collection).why
        #expect(why == "It was changed here and on the server, and the two changes conflict.")
    }

    @Test(arguments: [
        (Verdict.merge([1, 2]), TidemarkError.Code.invalidContent), (.keepBoth(newPK: "taken"), .recordExists),
        (.keepBoth(newPK: "42"), .recordExists), (.keepBoth(newPK: ""), .invalidName),
    ])
    func `a user's invalid verdict throws, and the conflict stays open`(
        verdict: Verdict, code: TidemarkError.Code
    ) throws {
        let tablet = try self.scenario(.ask).tablet
        let conflict = try #require(try tablet.engine.conflict(of: "42", in: SyncScenario.collection))
        let error = #expect(throws: TidemarkError.self) {
            try tablet.run { (engine) throws(TidemarkError) in try engine.resolve(conflict, verdict).effects }
        }
        #expect(error?.code == code)
        #expect(try tablet.phase("42") == .edited(.deciding))
        try tablet.run { (engine) throws(TidemarkError) in try engine.resolve(conflict, .takeClient).effects }
        #expect(try tablet.phase("42") == .edited(.idle))
    }
}
