import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Says the same whatever it is asked.
private struct Always: Tactic {
    var verdict: Verdict

    func decide(_ conflict: RecordConflict) -> Verdict? { self.verdict }
}

@Suite struct VerdictTests {
    /// Two devices, of which the tablet is in conflict about "42" and has a record "taken", too.
    private func meeting(_ verdict: Verdict) throws -> Meeting {
        let meeting = try Meeting(configuration: SyncConfiguration(rules: .init(tactic: Always(verdict: verdict))))
        try meeting.phone.create(["title": "Milk"], pk: "42")
        try meeting.phone.create(["title": "Bread"], pk: "taken")
        try meeting.settle()
        try meeting.phone.edit("42") { $0.title = "Oat milk" }
        try meeting.sync(meeting.phone)
        try meeting.tablet.edit("42") { $0.title = "Soy milk" }
        try meeting.tablet.create(["n": 1], pk: "other")
        try meeting.sync(meeting.tablet)
        return meeting
    }

    @Test(arguments: [
        (Verdict.merge([1, 2]), "A record is a JSON object"), (.merge(.null), "A record is a JSON object"),
        (.keepBoth(newPK: "taken"), "already"), (.keepBoth(newPK: "42"), "already"),
        (.keepBoth(newPK: ""), "An empty string is not a pk"),
    ])
    func `a tactic's verdict that can't be carried out leaves the conflict open, and the app is told why`(
        verdict: Verdict, why: String
    ) throws {
        let meeting = try self.meeting(verdict)
        let tablet = meeting.tablet
        #expect(try tablet.phase("42") == .edited(.deciding))
        #expect(try tablet.view("42") == ["title": "Soy milk"])
        #expect(try tablet.view("taken") == ["title": "Bread"])
        #expect(try meeting.onServer("other") == ["n": 1], "the rest goes through")
        #expect(tablet.reports.last?.outcome == .conflicts)
        let change = try #require(tablet.changes.last { $0.pk == "42" })
        #expect(change.origin == .conflict)
        #expect(change.problem?.contains(why) == true)
        #expect(try tablet.engine.explain("42", in: Meeting.collection).why.contains(why))
        try tablet.restart()
        #expect(try tablet.engine.explain("42", in: Meeting.collection).why.contains(why))
        #expect(try tablet.journal().isEmpty)
    }

    @Test func `a conflict that a tactic leaves to a person comes without a problem`() throws {
        let tablet = try self.meeting(.ask).tablet
        let change = try #require(tablet.changes.last { $0.pk == "42" })
        #expect(change.origin == .conflict)
        #expect(change.problem == nil)
        let why = try tablet.engine.explain("42", in: Meeting.collection).why
        #expect(why == "It was changed here and on the server, and the two don't agree.")
    }

    @Test(arguments: [
        (Verdict.merge([1, 2]), TidemarkError.Code.invalidContent), (.keepBoth(newPK: "taken"), .recordExists),
        (.keepBoth(newPK: "42"), .recordExists), (.keepBoth(newPK: ""), .invalidName),
    ])
    func `a person's verdict that can't be carried out is an error, and the conflict stays open`(
        verdict: Verdict, code: TidemarkError.Code
    ) throws {
        let tablet = try self.meeting(.ask).tablet
        let conflict = try #require(try tablet.engine.conflict(of: "42", in: Meeting.collection))
        let error = #expect(throws: TidemarkError.self) {
            try tablet.run { (engine) throws(TidemarkError) in try engine.resolve(conflict, verdict).effects }
        }
        #expect(error?.code == code)
        #expect(try tablet.phase("42") == .edited(.deciding))
        try tablet.run { (engine) throws(TidemarkError) in try engine.resolve(conflict, .takeClient).effects }
        #expect(try tablet.phase("42") == .edited(.idle))
    }
}
