import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct DecisionTests {
    let scenario: SyncScenario
    var tablet: Device { self.scenario.tablet }

    init() throws {
        self.scenario = try SyncScenario(configuration: SyncConfiguration(rules: .init(tactic: .askUser)))
        try self.scenario.phone.create(["title": "Milk", "count": 1], pk: "42")
        try self.scenario.settle()
        try self.scenario.phone.edit("42") { $0.title = "Oat milk" }
        try self.scenario.sync(self.scenario.phone)
        try self.scenario.tablet.edit("42") { $0.title = "Soy milk" }
        try self.scenario.sync(self.scenario.tablet)
    }

    private func conflict() throws -> RecordConflict {
        try #require(try self.tablet.engine.conflict(of: "42", in: SyncScenario.collection))
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

    @Test func `an open conflict has base, server, client and the conflicting field`() throws {
        #expect(self.tablet.reports.last?.outcome == .conflicts)
        let conflict = try self.conflict()
        #expect(conflict.kind == .editEdit)
        #expect(conflict.base == ["title": "Milk", "count": 1])
        #expect(conflict.server == ["title": "Oat milk", "count": 1])
        #expect(conflict.client == ["title": "Soy milk", "count": 1])
        #expect(conflict.clashes.map(\.path.text) == ["/title"])
    }

    @Test func `ask-survives-restart: an open conflict survives a restart, and is not sent`() throws {
        try self.tablet.restart()
        #expect(try self.conflict().server == ["title": "Oat milk", "count": 1])
        try self.scenario.sync(self.tablet)
        #expect(self.tablet.reports.last?.requests == 1)
        #expect(self.tablet.reports.last?.outcome == .conflicts)
    }

    @Test func `editing-a-record-that-is-asked-about updates the open conflict`() throws {
        try self.tablet.edit("42") { $0.count = 9 }
        #expect(try self.conflict().client == ["title": "Soy milk", "count": 9])
        try self.tablet.edit("42") { $0.title = "Oat milk" }
        #expect(try self.tablet.phase("42") == .edited(.idle), "both sides agree now, so the conflict is closed")
    }

    @Test func `ask-goes-stale: a verdict on outdated values is refused; the user decides again (R22)`() throws {
        let stale = try self.conflict()
        try self.scenario.phone.edit("42") { $0.title = "Rice milk" }
        try self.scenario.sync(self.scenario.phone)
        try self.scenario.sync(self.tablet)
        #expect(try self.resolve(stale, .takeServer) == .stale)
        #expect(try self.tablet.phase("42") == .edited(.deciding))
        #expect(try self.conflict().server == ["title": "Rice milk", "count": 1])
        #expect(self.tablet.changes.last?.origin == .conflict)
    }

    @Test(arguments: [
        (Verdict.takeServer, "Oat milk"), (.takeClient, "Soy milk"), (.merge(["title": "Both", "count": 1]), "Both"),
    ])
    func `a user's verdict reaches both devices, and the loser is journalled`(verdict: Verdict, title: String) throws {
        #expect(try self.resolve(try self.conflict(), verdict) == .settled)
        try self.scenario.settle()
        let expected = JSON.string(JSONString(title))
        #expect(try self.scenario.onServer("42")?.title == expected)
        #expect(try self.scenario.phone.view("42")?.title == expected)
        #expect(try self.tablet.view("42")?.title == expected)
        let lost = try self.tablet.journal().compactMap { $0.raw.value.map { String(decoding: $0, as: UTF8.self) } }
        let losers = ["\"Oat milk\"", "\"Soy milk\""].filter { $0 != "\"\(title)\"" }
        #expect(Set(lost) == Set(losers))
    }

    @Test func `fork: keepBoth makes two records, both synced`() throws {
        #expect(try self.resolve(try self.conflict(), .keepBoth(newPK: "43")) == .settled)
        try self.scenario.settle()
        #expect(try self.scenario.onServer("42")?.title == "Oat milk")
        #expect(try self.scenario.onServer("43")?.title == "Soy milk")
        #expect(try self.scenario.phone.view("43")?.title == "Soy milk")
    }

    @Test func `undo-a-merge: a value that lost can be restored`() throws {
        _ = try self.resolve(try self.conflict(), .takeServer)
        let entry = try #require(try self.tablet.journal().first)
        #expect(entry.reason == .takeServer)
        #expect(entry.lostSide == .client)
        try self.tablet.run { (engine) throws(TidemarkError) in
            try engine.restore(entry.number, in: SyncScenario.collection)
        }
        try self.scenario.settle()
        #expect(try self.scenario.onServer("42")?.title == "Soy milk")
    }

    @Test func `a resigned edit reverts to data, and is journalled (R19)`() throws {
        _ = try self.resolve(try self.conflict(), .takeServer)
        try self.tablet.edit("42") { $0.count = 5 }
        try self.tablet.run { (engine) throws(TidemarkError) in try engine.resign("42", in: SyncScenario.collection) }
        #expect(try self.tablet.view("42") == ["title": "Oat milk", "count": 1])
        let entry = try #require(try self.tablet.journal().last)
        #expect(entry.reason == .resign)
        #expect(entry.path.text == "/count")
        #expect(entry.raw.value == Array("5".utf8))
    }

    @Test func `a resigned create that may have been sent is deleted on the server (R21, I11)`() throws {
        try self.tablet.create(["n": 1], pk: "ghost")
        try self.tablet.sync(SyncScenario.collection)
        try self.scenario.loseAnswer(self.tablet)
        #expect(try self.scenario.onServer("ghost") == ["n": 1])
        try self.tablet.run { (engine) throws(TidemarkError) in try engine.resign("ghost", in: SyncScenario.collection)
        }
        try self.scenario.settle()
        #expect(try self.scenario.onServer("ghost") == nil)
        #expect(try self.tablet.phase("ghost") == .absent)
    }

    @Test func `an edit resigned during its POST stays if the server accepts it (R19)`() throws {
        let phone = self.scenario.phone
        try phone.edit("42") { $0.count = 5 }
        try phone.sync(SyncScenario.collection)
        try phone.run { (engine) throws(TidemarkError) in try engine.resign("42", in: SyncScenario.collection) }
        #expect(try phone.view("42")?["count"] == 1)
        try self.scenario.carry(phone)
        #expect(try self.scenario.onServer("42")?["count"] == 5)
        #expect(try phone.view("42")?["count"] == 5, "the answer's row need not come again in the feed (W6)")
        #expect(try phone.phase("42") == .synced)
    }

    @Test func `a deletion resigned during its POST stays if the server accepts it (R19)`() throws {
        let phone = self.scenario.phone
        try phone.delete("42")
        try phone.sync(SyncScenario.collection)
        try phone.run { (engine) throws(TidemarkError) in try engine.resign("42", in: SyncScenario.collection) }
        #expect(try phone.phase("42") == .synced)
        try self.scenario.carry(phone)
        #expect(try self.scenario.onServer("42") == nil)
        #expect(try phone.phase("42") == .absent)
    }

    @Test func `a resigned create that was never sent is gone, and journalled (R20)`() throws {
        try self.tablet.create(["n": 1], pk: "new")
        try self.tablet.run { (engine) throws(TidemarkError) in try engine.resign("new", in: SyncScenario.collection) }
        #expect(try self.tablet.phase("new") == .absent)
        #expect(try self.tablet.journal().last?.raw.value == Array(#"{"n":1}"#.utf8))
    }
}
