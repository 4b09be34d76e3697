import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Properties that users rely on.
@Suite struct PeopleTests {
    enum Kind: CaseIterable {
        case editEdit
        case editDelete
        case deleteEdit
        case createCreate
    }

    private static let tactics: [any Tactic] = [
        .autoMerge, .takeServer, .takeClient, AutoMerge(editDelete: .deleteWins, deleteEdit: .deleteWins),
    ]

    /// Makes a conflict: the phone's change is on the server, and the tablet has changed the record without it.
    private static func clash(_ kind: Kind, _ scenario: SyncScenario) throws {
        if kind != .createCreate {
            try scenario.phone.create(["title": "base", "n": 1], pk: "42")
            try scenario.settle()
        }
        switch kind {
        case .editEdit, .deleteEdit: try scenario.phone.edit("42") { $0.title = "phone" }
        case .editDelete: try scenario.phone.delete("42")
        case .createCreate: try scenario.phone.create(["title": "phone"], pk: "42")
        }
        try scenario.sync(scenario.phone)
        switch kind {
        case .editEdit, .editDelete: try scenario.tablet.edit("42") { $0.title = "tablet" }
        case .deleteEdit: try scenario.tablet.delete("42")
        case .createCreate: try scenario.tablet.create(["title": "tablet"], pk: "42")
        }
    }

    @Test(arguments: Kind.allCases, 0..<4)
    func `nothing-vanishes-without-a-journal-line for each conflict and tactic (I2)`(kind: Kind, tactic: Int) throws {
        let scenario = try SyncScenario(configuration: SyncConfiguration(rules: .init(tactic: Self.tactics[tactic])))
        try Self.clash(kind, scenario)
        try scenario.tablet.sync(SyncScenario.collection)
        try scenario.loseAnswer(scenario.tablet)
        try scenario.tablet.restart()
        try scenario.settle()
        try scenario.expectAgreement("42")
        let final = try scenario.onServer("42")
        let journal = try scenario.tablet.journal()
        let lines = journal.map { $0.raw.value.map { String(decoding: $0, as: UTF8.self) } ?? "deleted" }
        func isKept(_ word: String) -> Bool {
            final?.title?.text == "\"\(word)\"" || lines.contains { $0.contains("\"\(word)\"") }
        }
        if kind != .editDelete { #expect(isKept("phone"), "\(lines)") }
        if kind != .deleteEdit { #expect(isKept("tablet"), "\(lines)") }
        if kind == .editDelete || kind == .deleteEdit { #expect(final == nil || lines.contains("deleted"), "\(lines)") }
        #expect(journal.count == 1, "the loser is journalled once: \(lines)")
    }

    @Test(arguments: Kind.allCases, 0..<4)
    func `undo-a-merge: the loser of each kind of conflict is restored by a new edit`(kind: Kind, tactic: Int) throws {
        let scenario = try SyncScenario(configuration: SyncConfiguration(rules: .init(tactic: Self.tactics[tactic])))
        try Self.clash(kind, scenario)
        try scenario.settle()
        let before = try scenario.onServer("42")
        let entry = try #require(try scenario.tablet.journal().last)
        try scenario.tablet.run { (engine) throws(TidemarkError) in
            try engine.restore(entry.number, in: SyncScenario.collection)
        }
        try scenario.settle()
        try scenario.expectAgreement("42")
        #expect(try scenario.onServer("42") != before)
    }

    @Test(arguments: Kind.allCases, 0..<4)
    func `ask-goes-stale: an outdated verdict is refused for each kind of conflict (R22)`(
        kind: Kind, verdict: Int
    ) throws {
        let verdicts: [Verdict] = [.takeServer, .takeClient, .merge(["title": "merged"]), .keepBoth(newPK: "43")]
        let scenario = try SyncScenario(configuration: SyncConfiguration(rules: .init(tactic: .askUser)))
        try Self.clash(kind, scenario)
        try scenario.sync(scenario.tablet)
        let stale = try #require(try scenario.tablet.engine.conflict(of: "42", in: SyncScenario.collection))
        if kind == .editDelete {
            try scenario.phone.create(["title": "phone 2"], pk: "42")
        } else {
            try scenario.phone.edit("42") { $0.title = "phone 2" }
        }
        try scenario.sync(scenario.phone)
        try scenario.sync(scenario.tablet)
        try scenario.tablet.restart()
        var resolution = SyncEngine.Resolution.settled
        try scenario.tablet.run { (engine) throws(TidemarkError) in
            let outcome = try engine.resolve(stale, verdicts[verdict])
            resolution = outcome.value
            return outcome.effects
        }
        #expect(resolution == .stale)
        #expect(try scenario.tablet.phase("43") == .absent)
        #expect(try scenario.onServer("42") == (try scenario.phone.view("42")))
        let fresh = try #require(try scenario.tablet.engine.conflict(of: "42", in: SyncScenario.collection))
        #expect(fresh.server?.title == "phone 2")
        try scenario.tablet.run { (engine) throws(TidemarkError) in
            try engine.resolve(fresh, verdicts[verdict]).effects
        }
        try scenario.settle()
        try scenario.expectAgreement("42")
        try scenario.expectAgreement("43")
    }

    @Test(arguments: [
        (RecordPhase.edited(.idle), "not sent yet"), (.edited(.uploading), "being sent"),
        (.edited(.unconfirmed), "the outcome is unknown"), (.edited(.held), "not today"),
        (.edited(.deciding), "the two changes conflict"),
        (.synced, "confirmed"),
    ])
    func `why-is-this-not-synced: each phase has an explanation and a next step`(phase: RecordPhase, words: String)
        throws
    {
        let scenario = try SyncScenario(configuration: SyncConfiguration(rules: .init(tactic: .askUser)))
        try scenario.phone.create(["title": "Milk"], pk: "42")
        try scenario.settle()
        if phase != .synced { try scenario.phone.edit("42") { $0.title = "Oat milk" } }
        if phase == .edited(.deciding) {
            try scenario.tablet.edit("42") { $0.title = "Soy milk" }
            try scenario.sync(scenario.tablet)
            try scenario.sync(scenario.phone)
        }
        if ![.synced, .edited(.idle), .edited(.deciding)].contains(phase) {
            try scenario.phone.sync(SyncScenario.collection)
        }
        if phase == .edited(.unconfirmed) { try scenario.loseAnswer(scenario.phone) }
        if phase == .edited(.held) { try scenario.phone.failNext(RemoteFailure(.refused, "not today")) }
        let explanation = try scenario.phone.engine.explain("42", in: SyncScenario.collection)
        #expect(explanation.phase == phase)
        #expect(explanation.why.contains(words))
        #expect(!explanation.next.isEmpty)
    }
}
