import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct TwoDevicesTests {
    let scenario: SyncScenario

    init() throws {
        self.scenario = try SyncScenario()
        try self.scenario.phone.create(["title": "Milk", "count": 1], pk: "42")
        try self.scenario.settle()
    }

    private func expectAgreement(on expected: JSON?, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let (server, phone, tablet) = (
            try self.scenario.onServer("42"), try self.scenario.phone.view("42"), try self.scenario.tablet.view("42")
        )
        #expect(server == expected, sourceLocation: sourceLocation)
        #expect(phone == expected, sourceLocation: sourceLocation)
        #expect(tablet == expected, sourceLocation: sourceLocation)
        let rest: RecordPhase = expected == nil ? .absent : .synced
        #expect(try self.scenario.phone.phase("42") == rest, sourceLocation: sourceLocation)
        #expect(try self.scenario.tablet.phase("42") == rest, sourceLocation: sourceLocation)
    }

    @Test func `a record made on one device reaches the other (R10)`() throws {
        try self.expectAgreement(on: ["title": "Milk", "count": 1])
    }

    @Test func `edits of different fields are merged without a conflict (R11)`() throws {
        try self.scenario.phone.edit("42") { $0.title = "Oat milk" }
        try self.scenario.tablet.edit("42") { $0.count = 2 }
        try self.scenario.settle()
        try self.expectAgreement(on: ["title": "Oat milk", "count": 2])
        #expect(try self.scenario.tablet.journal().isEmpty)
    }

    @Test func `same-value-both-sides: equal edits are no conflict (R12)`() throws {
        try self.scenario.phone.edit("42") { $0.title = "Oat milk" }
        try self.scenario.tablet.edit("42") { $0.title = "Oat milk" }
        try self.scenario.settle()
        try self.expectAgreement(on: ["title": "Oat milk", "count": 1])
        #expect(try self.scenario.tablet.journal().isEmpty)
    }

    @Test func `two values of the same field conflict, and the loser is journalled (R13)`() throws {
        try self.scenario.phone.edit("42") { $0.title = "Oat milk" }
        try self.scenario.tablet.edit("42") { $0.title = "Soy milk" }
        try self.scenario.settle()
        try self.expectAgreement(on: ["title": "Soy milk", "count": 1])
        let entry = try #require(try self.scenario.tablet.journal().first)
        #expect(entry.lostSide == .server)
        #expect(entry.path.text == "/title")
        #expect(entry.raw.value == Array(#""Oat milk""#.utf8))
        #expect(entry.reason == .merge)
    }

    @Test func `a reverted edit is not sent (R2)`() throws {
        try self.scenario.phone.edit("42") { $0.title = "Oat milk" }
        try self.scenario.phone.edit("42") { $0.title = "Milk" }
        #expect(try self.scenario.phone.phase("42") == .synced)
        try self.scenario.phone.sync(SyncScenario.collection)
        #expect(self.scenario.phone.outbox.first?.request.uploads.isEmpty == true)
    }

    @Test func `edit-while-posting: the edit stays when the POST is answered (R3, R4)`() throws {
        try self.scenario.phone.edit("42") { $0.title = "Oat milk" }
        try self.scenario.phone.sync(SyncScenario.collection)
        let posted = try #require(self.scenario.phone.outbox.first?.request.encodedEdit)
        try self.scenario.phone.edit("42") { $0.count = 7 }
        #expect(self.scenario.phone.outbox.first?.request.encodedEdit == posted)
        try self.scenario.carryOne(self.scenario.phone)
        #expect(try self.scenario.phone.view("42") == ["title": "Oat milk", "count": 7])
        try self.scenario.settle()
        try self.expectAgreement(on: ["title": "Oat milk", "count": 7])
    }

    @Test func `a-b-a: the client sends A (R5)`() throws {
        try self.scenario.phone.edit("42") { $0.title = "B" }
        try self.scenario.phone.sync(SyncScenario.collection)
        try self.scenario.phone.edit("42") { $0.title = "Milk" }
        try self.scenario.carryOne(self.scenario.phone)
        #expect(try self.scenario.phone.phase("42").state == .edited)
        try self.scenario.settle()
        try self.expectAgreement(on: ["title": "Milk", "count": 1])
    }

    @Test func `identical bytes follow a lost answer, and the server applies them once (R17)`() throws {
        try self.scenario.phone.edit("42") { $0.title = "Oat milk" }
        try self.scenario.phone.sync(SyncScenario.collection)
        let first = try #require(self.scenario.phone.outbox.first?.request.encodedEdit)
        try self.scenario.loseAnswer(self.scenario.phone)
        #expect(try self.scenario.phone.phase("42") == .edited(.unconfirmed))
        try self.scenario.phone.sync(SyncScenario.collection)
        // The feed is read first (Contract §3.1); "identical" means the bytes of each edit.
        #expect(self.scenario.phone.outbox.first?.request.encodedEdit == [])
        try self.scenario.phone.failNext(RemoteFailure(.invalidAnswer, "the feed can't be read"))
        try self.scenario.phone.sync(SyncScenario.collection)
        #expect(self.scenario.phone.outbox.first?.request.encodedEdit == first)
        try self.scenario.carry(self.scenario.phone)
        try self.scenario.settle()
        try self.expectAgreement(on: ["title": "Oat milk", "count": 1])
    }

    @Test func `third-edit-while-pending-restart: the first bytes go first, then the rest (R17)`() throws {
        try self.scenario.phone.edit("42") { $0.title = "1" }
        try self.scenario.phone.sync(SyncScenario.collection)
        let first = try #require(self.scenario.phone.outbox.first?.request.encodedEdit)
        try self.scenario.phone.edit("42") { $0.title = "2" }
        try self.scenario.phone.restart()
        try self.scenario.phone.edit("42") { $0.title = "3" }
        try self.scenario.phone.sync(SyncScenario.collection)
        #expect(self.scenario.phone.outbox.first?.request.encodedEdit == first)
        try self.scenario.carryOne(self.scenario.phone)
        #expect(self.scenario.phone.outbox.count == 1)
        #expect(self.scenario.phone.outbox.first?.request.uploads.count == 1)
        try self.scenario.carry(self.scenario.phone)
        try self.scenario.settle()
        try self.expectAgreement(on: ["title": "3", "count": 1])
    }

    @Test func `an edit wins over a deletion by default, and the deletion is journalled (R14)`() throws {
        try self.scenario.phone.delete("42")
        try self.scenario.tablet.edit("42") { $0.title = "Oat milk" }
        try self.scenario.settle()
        try self.expectAgreement(on: ["title": "Oat milk", "count": 1])
        let entry = try #require(try self.scenario.tablet.journal().first)
        #expect(entry.lostSide == .server)
        #expect(entry.path == .root)
        #expect(try entry.lostValue == nil)
    }

    @Test func `a deletion loses to an edit by default (R15)`() throws {
        try self.scenario.tablet.edit("42") { $0.title = "Oat milk" }
        try self.scenario.sync(self.scenario.tablet)
        try self.scenario.phone.delete("42")
        try self.scenario.settle()
        try self.expectAgreement(on: ["title": "Oat milk", "count": 1])
        #expect(try self.scenario.phone.journal().first?.lostSide == .client)
    }

    @Test func `a record that both devices deleted is gone without a conflict (R9)`() throws {
        try self.scenario.phone.delete("42")
        try self.scenario.tablet.delete("42")
        try self.scenario.settle()
        try self.expectAgreement(on: nil)
        #expect(try self.scenario.tablet.journal().isEmpty)
    }

    @Test func `a record that is made and deleted offline is never sent (R6)`() throws {
        try self.scenario.phone.create(["title": "x"], pk: "43")
        try self.scenario.phone.delete("43")
        try self.scenario.phone.sync(SyncScenario.collection)
        #expect(self.scenario.phone.outbox.first?.request.uploads.isEmpty == true)
        #expect(try self.scenario.phone.phase("43") == .absent)
    }

    @Test func `delete-while-creating: the create is settled, then deleted (R7, I11)`() throws {
        try self.scenario.phone.create(["title": "x"], pk: "43")
        try self.scenario.phone.sync(SyncScenario.collection)
        try self.scenario.phone.delete("43")
        try self.scenario.carry(self.scenario.phone)
        #expect(try self.scenario.onServer("43") == nil)
        #expect(try self.scenario.phone.phase("43") == .absent)
        #expect(self.scenario.phone.events("43").contains(.acceptedEarlier))
    }

    @Test func `duplicate-create: two creates with equal content are no conflict (R16)`() throws {
        try self.scenario.phone.create(["a": 1.0], pk: "43")
        try self.scenario.tablet.create(["a": 1], pk: "43")
        try self.scenario.settle()
        #expect(try self.scenario.tablet.phase("43") == .synced)
        #expect(try self.scenario.tablet.journal().isEmpty)
    }

    @Test func `two creates with the same pk are merged by the tactic (R16)`() throws {
        try self.scenario.phone.create(["a": 1, "both": "phone"], pk: "43")
        try self.scenario.tablet.create(["b": 2, "both": "tablet"], pk: "43")
        try self.scenario.settle()
        #expect(try self.scenario.phone.view("43") == ["a": 1, "b": 2, "both": "tablet"])
        #expect(try self.scenario.onServer("43") == ["a": 1, "b": 2, "both": "tablet"])
        #expect(try self.scenario.tablet.journal().count == 1)
    }

    @Test func `delete-then-recreate-same-pk is sent as one replace at the root (R23)`() throws {
        try self.scenario.phone.delete("42")
        try self.scenario.phone.create(["title": "New"], pk: "42")
        let snapshot = try #require(try self.scenario.phone.snapshot("42"))
        #expect(snapshot.phase == .edited(.idle))
        #expect(snapshot.raw.pendingPatch == Array(#"[{"op":"replace","path":"","value":{"title":"New"}}]"#.utf8))
        try self.scenario.settle()
        try self.expectAgreement(on: ["title": "New"])
    }

    @Test func `create-over-unseen-tombstone is sent again with its version, and is no conflict`() throws {
        try self.scenario.phone.delete("42")
        try self.scenario.sync(self.scenario.phone)
        try self.scenario.sync(self.scenario.tablet)
        try self.scenario.phone.create(["title": "Again"], pk: "42")
        try self.scenario.sync(self.scenario.phone)
        #expect(self.scenario.phone.reports.last?.conflicts == [])
        #expect(self.scenario.phone.reports.last?.pushed == ["42"])
        try self.scenario.settle()
        try self.expectAgreement(on: ["title": "Again"])
    }

    @Test func `ack-write-fails: the edit is sent again, not sent as new`() throws {
        try self.scenario.phone.edit("42") { $0.title = "Oat milk" }
        try self.scenario.phone.sync(SyncScenario.collection)
        let sent = self.scenario.phone.outbox.removeFirst()
        let answer = try self.scenario.remote.exchangeNow(sent.request)
        self.scenario.phone.store.failNextWrite(with: TidemarkError(.storeFull, "The disk is full."))
        #expect(throws: TidemarkError.self) { try self.scenario.phone.receive(answer, for: sent.token) }
        #expect(try self.scenario.phone.phase("42") == .edited(.unconfirmed))
        try self.scenario.phone.sync(SyncScenario.collection)
        #expect(self.scenario.phone.outbox.first?.request.encodedEdit == sent.request.encodedEdit)
        try self.scenario.carry(self.scenario.phone)
        try self.scenario.settle()
        try self.expectAgreement(on: ["title": "Oat milk", "count": 1])
    }

    @Test func `data has the exact bytes that the server sent (I4)`() throws {
        let text = #"{"b":1.10,"a":"caf\u00e9 \/","n":12345678901234567890,"e":1e400,"z":-0}"#
        try self.scenario.phone.create(try JSON(parsing: text), pk: "bytes")
        try self.scenario.settle()
        #expect(try self.scenario.tablet.snapshot("bytes")?.raw.confirmed == Array(text.utf8))
        #expect(try self.scenario.phone.snapshot("bytes")?.raw.confirmed == Array(text.utf8))
    }
}
