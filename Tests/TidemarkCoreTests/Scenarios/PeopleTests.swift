import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// What people must be able to rely on.
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

    /// The sides as they meet: what the phone has is on the server, and the tablet does not know it.
    private static func clash(_ kind: Kind, _ meeting: Meeting) throws {
        if kind != .createCreate {
            try meeting.phone.create(["title": "base", "n": 1], pk: "42")
            try meeting.settle()
        }
        switch kind {
        case .editEdit, .deleteEdit: try meeting.phone.edit("42") { $0.title = "phone" }
        case .editDelete: try meeting.phone.delete("42")
        case .createCreate: try meeting.phone.create(["title": "phone"], pk: "42")
        }
        try meeting.sync(meeting.phone)
        switch kind {
        case .editEdit, .editDelete: try meeting.tablet.edit("42") { $0.title = "tablet" }
        case .deleteEdit: try meeting.tablet.delete("42")
        case .createCreate: try meeting.tablet.create(["title": "tablet"], pk: "42")
        }
    }

    @Test(arguments: Kind.allCases, 0..<4)
    func `I2 nothing-vanishes-without-a-journal-line, whatever meets what under each tactic`(
        kind: Kind, tactic: Int
    ) throws {
        let meeting = try Meeting(configuration: SyncConfiguration(rules: .init(tactic: Self.tactics[tactic])))
        try Self.clash(kind, meeting)
        try meeting.tablet.sync(Meeting.collection)
        try meeting.loseAnswer(meeting.tablet)
        try meeting.tablet.restart()
        try meeting.settle()
        try meeting.expectAgreement("42")
        let final = try meeting.onServer("42")
        let journal = try meeting.tablet.journal()
        let lines = journal.map { $0.raw.value.map { String(decoding: $0, as: UTF8.self) } ?? "deleted" }
        func isKept(_ word: String) -> Bool {
            final?.title?.text == "\"\(word)\"" || lines.contains { $0.contains("\"\(word)\"") }
        }
        if kind != .editDelete { #expect(isKept("phone"), "\(lines)") }
        if kind != .deleteEdit { #expect(isKept("tablet"), "\(lines)") }
        if kind == .editDelete || kind == .deleteEdit { #expect(final == nil || lines.contains("deleted"), "\(lines)") }
        #expect(journal.count == 1, "what lost is told once: \(lines)")
    }

    @Test(arguments: Kind.allCases, 0..<4)
    func `undo-a-merge: the loser of each kind of conflict comes back as an edit of now`(
        kind: Kind, tactic: Int
    ) throws {
        let meeting = try Meeting(configuration: SyncConfiguration(rules: .init(tactic: Self.tactics[tactic])))
        try Self.clash(kind, meeting)
        try meeting.settle()
        let before = try meeting.onServer("42")
        let entry = try #require(try meeting.tablet.journal().last)
        try meeting.tablet.run { (engine) throws(TidemarkError) in
            try engine.restore(entry.number, in: Meeting.collection)
        }
        try meeting.settle()
        try meeting.expectAgreement("42")
        #expect(try meeting.onServer("42") != before)
    }

    @Test(arguments: Kind.allCases, 0..<4)
    func `R22 ask-goes-stale in each kind of conflict: the answer is refused, nothing is lost, and it is asked again`(
        kind: Kind, verdict: Int
    ) throws {
        let verdicts: [Verdict] = [.takeServer, .takeClient, .merge(["title": "merged"]), .keepBoth(newPK: "43")]
        let meeting = try Meeting(configuration: SyncConfiguration(rules: .init(tactic: .askUser)))
        try Self.clash(kind, meeting)
        try meeting.sync(meeting.tablet)
        let stale = try #require(try meeting.tablet.engine.conflict(of: "42", in: Meeting.collection))
        if kind == .editDelete {
            try meeting.phone.create(["title": "phone 2"], pk: "42")
        } else {
            try meeting.phone.edit("42") { $0.title = "phone 2" }
        }
        try meeting.sync(meeting.phone)
        try meeting.sync(meeting.tablet)
        try meeting.tablet.restart()
        var resolution = SyncEngine.Resolution.settled
        try meeting.tablet.run { (engine) throws(TidemarkError) in
            let outcome = try engine.resolve(stale, verdicts[verdict])
            resolution = outcome.value
            return outcome.effects
        }
        #expect(resolution == .stale)
        #expect(try meeting.tablet.phase("43") == .absent)
        #expect(try meeting.onServer("42") == (try meeting.phone.view("42")))
        let fresh = try #require(try meeting.tablet.engine.conflict(of: "42", in: Meeting.collection))
        #expect(fresh.server?.title == "phone 2")
        try meeting.tablet.run { (engine) throws(TidemarkError) in
            try engine.resolve(fresh, verdicts[verdict]).effects
        }
        try meeting.settle()
        try meeting.expectAgreement("42")
        try meeting.expectAgreement("43")
    }

    @Test(arguments: [
        (RecordPhase.edited(.idle), "not sent yet"), (.edited(.uploading), "on its way"),
        (.edited(.unconfirmed), "no answer has settled it"), (.edited(.held), "not today"),
        (.edited(.deciding), "don't agree"),
        (.synced, "confirmed"),
    ])
    func `why-is-this-not-synced: each phase is explained, with what happens next`(phase: RecordPhase, words: String)
        throws
    {
        let meeting = try Meeting(configuration: SyncConfiguration(rules: .init(tactic: .askUser)))
        try meeting.phone.create(["title": "Milk"], pk: "42")
        try meeting.settle()
        if phase != .synced { try meeting.phone.edit("42") { $0.title = "Oat milk" } }
        if phase == .edited(.deciding) {
            try meeting.tablet.edit("42") { $0.title = "Soy milk" }
            try meeting.sync(meeting.tablet)
            try meeting.sync(meeting.phone)
        }
        if ![.synced, .edited(.idle), .edited(.deciding)].contains(phase) {
            try meeting.phone.sync(Meeting.collection)
        }
        if phase == .edited(.unconfirmed) { try meeting.loseAnswer(meeting.phone) }
        if phase == .edited(.held) { try meeting.phone.failNext(RemoteFailure(.refused, "not today")) }
        let explanation = try meeting.phone.engine.explain("42", in: Meeting.collection)
        #expect(explanation.phase == phase)
        #expect(explanation.why.contains(words))
        #expect(!explanation.next.isEmpty)
    }
}
