import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct DecisionTests {
    let meeting: Meeting
    var tablet: Device { self.meeting.tablet }

    init() throws {
        self.meeting = try Meeting(configuration: SyncConfiguration(rules: .init(tactic: .askUser)))
        try self.meeting.phone.create(["title": "Milk", "count": 1], pk: "42")
        try self.meeting.settle()
        try self.meeting.phone.edit("42") { $0.title = "Oat milk" }
        try self.meeting.sync(self.meeting.phone)
        try self.meeting.tablet.edit("42") { $0.title = "Soy milk" }
        try self.meeting.sync(self.meeting.tablet)
    }

    private func conflict() throws -> RecordConflict {
        try #require(try self.tablet.engine.conflict(of: "42", in: Meeting.collection))
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

    @Test func `a conflict waits for a person with base, server, client and clash`() throws {
        #expect(self.tablet.reports.last?.outcome == .conflicts)
        let conflict = try self.conflict()
        #expect(conflict.kind == .editEdit)
        #expect(conflict.base == ["title": "Milk", "count": 1])
        #expect(conflict.server == ["title": "Oat milk", "count": 1])
        #expect(conflict.client == ["title": "Soy milk", "count": 1])
        #expect(conflict.clashes.map(\.path.text) == ["/title"])
    }

    @Test func `ask-survives-restart, and the question is not asked of the server`() throws {
        try self.tablet.restart()
        #expect(try self.conflict().server == ["title": "Oat milk", "count": 1])
        try self.meeting.sync(self.tablet)
        #expect(self.tablet.reports.last?.requests == 1)
        #expect(self.tablet.reports.last?.outcome == .conflicts)
    }

    @Test func `editing-a-record-that-is-asked-about keeps the question, with the new facts`() throws {
        try self.tablet.edit("42") { $0.count = 9 }
        #expect(try self.conflict().client == ["title": "Soy milk", "count": 9])
        try self.tablet.edit("42") { $0.title = "Oat milk" }
        #expect(try self.tablet.phase("42") == .edited(.idle), "the two sides agree now, so no one has to decide")
    }

    @Test func `R22 ask-goes-stale: a decision about facts that have moved on is refused, and asked again`() throws {
        let stale = try self.conflict()
        try self.meeting.phone.edit("42") { $0.title = "Rice milk" }
        try self.meeting.sync(self.meeting.phone)
        try self.meeting.sync(self.tablet)
        #expect(try self.resolve(stale, .takeServer) == .stale)
        #expect(try self.tablet.phase("42") == .edited(.deciding))
        #expect(try self.conflict().server == ["title": "Rice milk", "count": 1])
        #expect(self.tablet.changes.last?.origin == .conflict)
    }

    @Test(arguments: [
        (Verdict.takeServer, "Oat milk"), (.takeClient, "Soy milk"), (.merge(["title": "Both", "count": 1]), "Both"),
    ])
    func `a person decides, both devices agree, and what lost is in the journal`(
        verdict: Verdict, title: String
    ) throws {
        #expect(try self.resolve(try self.conflict(), verdict) == .settled)
        try self.meeting.settle()
        let expected = JSON.string(JSONString(title))
        #expect(try self.meeting.onServer("42")?.title == expected)
        #expect(try self.meeting.phone.view("42")?.title == expected)
        #expect(try self.tablet.view("42")?.title == expected)
        let lost = try self.tablet.journal().compactMap { $0.raw.value.map { String(decoding: $0, as: UTF8.self) } }
        let losers = ["\"Oat milk\"", "\"Soy milk\""].filter { $0 != "\"\(title)\"" }
        #expect(Set(lost) == Set(losers))
    }

    @Test func `fork: keepBoth makes two records, both synced`() throws {
        #expect(try self.resolve(try self.conflict(), .keepBoth(newPK: "43")) == .settled)
        try self.meeting.settle()
        #expect(try self.meeting.onServer("42")?.title == "Oat milk")
        #expect(try self.meeting.onServer("43")?.title == "Soy milk")
        #expect(try self.meeting.phone.view("43")?.title == "Soy milk")
    }

    @Test func `undo-a-merge: what lost can be restored`() throws {
        _ = try self.resolve(try self.conflict(), .takeServer)
        let entry = try #require(try self.tablet.journal().first)
        #expect(entry.reason == .takeServer)
        #expect(entry.lostSide == .client)
        try self.tablet.run { (engine) throws(TidemarkError) in
            try engine.restore(entry.number, in: Meeting.collection)
        }
        try self.meeting.settle()
        #expect(try self.meeting.onServer("42")?.title == "Soy milk")
    }

    @Test func `R19 a resigned edit goes back to data, and is in the journal`() throws {
        _ = try self.resolve(try self.conflict(), .takeServer)
        try self.tablet.edit("42") { $0.count = 5 }
        try self.tablet.run { (engine) throws(TidemarkError) in try engine.resign("42", in: Meeting.collection) }
        #expect(try self.tablet.view("42") == ["title": "Oat milk", "count": 1])
        let entry = try #require(try self.tablet.journal().last)
        #expect(entry.reason == .resign)
        #expect(entry.path.text == "/count")
        #expect(entry.raw.value == Array("5".utf8))
    }

    @Test func `R21 I11 a resigned create that was maybe sent is deleted there`() throws {
        try self.tablet.create(["n": 1], pk: "ghost")
        try self.tablet.sync(Meeting.collection)
        try self.meeting.loseAnswer(self.tablet)
        #expect(try self.meeting.onServer("ghost") == ["n": 1])
        try self.tablet.run { (engine) throws(TidemarkError) in try engine.resign("ghost", in: Meeting.collection) }
        try self.meeting.settle()
        #expect(try self.meeting.onServer("ghost") == nil)
        #expect(try self.tablet.phase("ghost") == .absent)
    }

    @Test func `R19 an edit that is resigned while it is out, and taken, is what both devices have`() throws {
        let phone = self.meeting.phone
        try phone.edit("42") { $0.count = 5 }
        try phone.sync(Meeting.collection)
        try phone.run { (engine) throws(TidemarkError) in try engine.resign("42", in: Meeting.collection) }
        #expect(try phone.view("42")?["count"] == 1)
        try self.meeting.carry(phone)
        #expect(try self.meeting.onServer("42")?["count"] == 5)
        #expect(try phone.view("42")?["count"] == 5, "the answer's row need not come again in the feed (W6)")
        #expect(try phone.phase("42") == .synced)
    }

    @Test func `R19 a deletion that is resigned while it is out, and taken, stands`() throws {
        let phone = self.meeting.phone
        try phone.delete("42")
        try phone.sync(Meeting.collection)
        try phone.run { (engine) throws(TidemarkError) in try engine.resign("42", in: Meeting.collection) }
        #expect(try phone.phase("42") == .synced)
        try self.meeting.carry(phone)
        #expect(try self.meeting.onServer("42") == nil)
        #expect(try phone.phase("42") == .absent)
    }

    @Test func `R20 a resigned create that was never sent is gone, and in the journal`() throws {
        try self.tablet.create(["n": 1], pk: "new")
        try self.tablet.run { (engine) throws(TidemarkError) in try engine.resign("new", in: Meeting.collection) }
        #expect(try self.tablet.phase("new") == .absent)
        #expect(try self.tablet.journal().last?.raw.value == Array(#"{"n":1}"#.utf8))
    }
}
