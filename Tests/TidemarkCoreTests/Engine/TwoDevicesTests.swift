import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct TwoDevicesTests {
    let meeting: Meeting

    init() throws {
        self.meeting = try Meeting()
        try self.meeting.phone.create(["title": "Milk", "count": 1], pk: "42")
        try self.meeting.settle()
    }

    private func expectAgreement(on expected: JSON?, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let (server, phone, tablet) = (
            try self.meeting.onServer("42"), try self.meeting.phone.view("42"), try self.meeting.tablet.view("42")
        )
        #expect(server == expected, sourceLocation: sourceLocation)
        #expect(phone == expected, sourceLocation: sourceLocation)
        #expect(tablet == expected, sourceLocation: sourceLocation)
        let rest: RecordPhase = expected == nil ? .absent : .synced
        #expect(try self.meeting.phone.phase("42") == rest, sourceLocation: sourceLocation)
        #expect(try self.meeting.tablet.phase("42") == rest, sourceLocation: sourceLocation)
    }

    @Test func `R10 what one device makes the other one gets`() throws {
        try self.expectAgreement(on: ["title": "Milk", "count": 1])
    }

    @Test func `R11 edits of different fields are merged without a conflict`() throws {
        try self.meeting.phone.edit("42") { $0.title = "Oat milk" }
        try self.meeting.tablet.edit("42") { $0.count = 2 }
        try self.meeting.settle()
        try self.expectAgreement(on: ["title": "Oat milk", "count": 2])
        #expect(try self.meeting.tablet.journal().isEmpty)
    }

    @Test func `R12 same-value-both-sides is dropped without a conflict`() throws {
        try self.meeting.phone.edit("42") { $0.title = "Oat milk" }
        try self.meeting.tablet.edit("42") { $0.title = "Oat milk" }
        try self.meeting.settle()
        try self.expectAgreement(on: ["title": "Oat milk", "count": 1])
        #expect(try self.meeting.tablet.journal().isEmpty)
    }

    @Test func `R13 one field changed to two values is a conflict, and the loser is in the journal`() throws {
        try self.meeting.phone.edit("42") { $0.title = "Oat milk" }
        try self.meeting.tablet.edit("42") { $0.title = "Soy milk" }
        try self.meeting.settle()
        try self.expectAgreement(on: ["title": "Soy milk", "count": 1])
        let entry = try #require(try self.meeting.tablet.journal().first)
        #expect(entry.lostSide == .server)
        #expect(entry.path.text == "/title")
        #expect(entry.raw.value == Array(#""Oat milk""#.utf8))
        #expect(entry.reason == .merge)
    }

    @Test func `R2 an edit that is taken back is not sent`() throws {
        try self.meeting.phone.edit("42") { $0.title = "Oat milk" }
        try self.meeting.phone.edit("42") { $0.title = "Milk" }
        #expect(try self.meeting.phone.phase("42") == .synced)
        try self.meeting.phone.sync(Meeting.collection)
        #expect(self.meeting.phone.outbox.first?.request.uploads.isEmpty == true)
    }

    @Test func `R3 R4 edit-while-posting stays when the POST is answered`() throws {
        try self.meeting.phone.edit("42") { $0.title = "Oat milk" }
        try self.meeting.phone.sync(Meeting.collection)
        let posted = try #require(self.meeting.phone.outbox.first?.request.frozen)
        try self.meeting.phone.edit("42") { $0.count = 7 }
        #expect(self.meeting.phone.outbox.first?.request.frozen == posted)
        try self.meeting.carryOne(self.meeting.phone)
        #expect(try self.meeting.phone.view("42") == ["title": "Oat milk", "count": 7])
        try self.meeting.settle()
        try self.expectAgreement(on: ["title": "Oat milk", "count": 7])
    }

    @Test func `R5 a-b-a sends A`() throws {
        try self.meeting.phone.edit("42") { $0.title = "B" }
        try self.meeting.phone.sync(Meeting.collection)
        try self.meeting.phone.edit("42") { $0.title = "Milk" }
        try self.meeting.carryOne(self.meeting.phone)
        #expect(try self.meeting.phone.phase("42").state == .edited)
        try self.meeting.settle()
        try self.expectAgreement(on: ["title": "Milk", "count": 1])
    }

    @Test func `R17 a lost answer is followed by the identical bytes, and the server takes them once`() throws {
        try self.meeting.phone.edit("42") { $0.title = "Oat milk" }
        try self.meeting.phone.sync(Meeting.collection)
        let first = try #require(self.meeting.phone.outbox.first?.request.frozen)
        try self.meeting.loseAnswer(self.meeting.phone)
        #expect(try self.meeting.phone.phase("42") == .edited(.unconfirmed))
        try self.meeting.phone.sync(Meeting.collection)
        // The feed is read first (SPEC §3.1); "identical" means the bytes of each edit.
        #expect(self.meeting.phone.outbox.first?.request.frozen == [])
        try self.meeting.phone.failNext(RemoteFailure(.protocol, "the feed can't be read"))
        try self.meeting.phone.sync(Meeting.collection)
        #expect(self.meeting.phone.outbox.first?.request.frozen == first)
        try self.meeting.carry(self.meeting.phone)
        try self.meeting.settle()
        try self.expectAgreement(on: ["title": "Oat milk", "count": 1])
    }

    @Test func `R17 third-edit-while-pending-restart resends the first bytes, then one POST of the rest`() throws {
        try self.meeting.phone.edit("42") { $0.title = "1" }
        try self.meeting.phone.sync(Meeting.collection)
        let first = try #require(self.meeting.phone.outbox.first?.request.frozen)
        try self.meeting.phone.edit("42") { $0.title = "2" }
        try self.meeting.phone.restart()
        try self.meeting.phone.edit("42") { $0.title = "3" }
        try self.meeting.phone.sync(Meeting.collection)
        #expect(self.meeting.phone.outbox.first?.request.frozen == first)
        try self.meeting.carryOne(self.meeting.phone)
        #expect(self.meeting.phone.outbox.count == 1)
        #expect(self.meeting.phone.outbox.first?.request.uploads.count == 1)
        try self.meeting.carry(self.meeting.phone)
        try self.meeting.settle()
        try self.expectAgreement(on: ["title": "3", "count": 1])
    }

    @Test func `R14 an edit wins over a deletion by default, and the deletion is in the journal`() throws {
        try self.meeting.phone.delete("42")
        try self.meeting.tablet.edit("42") { $0.title = "Oat milk" }
        try self.meeting.settle()
        try self.expectAgreement(on: ["title": "Oat milk", "count": 1])
        let entry = try #require(try self.meeting.tablet.journal().first)
        #expect(entry.lostSide == .server)
        #expect(entry.path == .root)
        #expect(try entry.lostValue == nil)
    }

    @Test func `R15 a deletion gives way to an edit by default`() throws {
        try self.meeting.tablet.edit("42") { $0.title = "Oat milk" }
        try self.meeting.sync(self.meeting.tablet)
        try self.meeting.phone.delete("42")
        try self.meeting.settle()
        try self.expectAgreement(on: ["title": "Oat milk", "count": 1])
        #expect(try self.meeting.phone.journal().first?.lostSide == .client)
    }

    @Test func `R9 a record that both sides deleted is gone without a conflict`() throws {
        try self.meeting.phone.delete("42")
        try self.meeting.tablet.delete("42")
        try self.meeting.settle()
        try self.expectAgreement(on: nil)
        #expect(try self.meeting.tablet.journal().isEmpty)
    }

    @Test func `R6 what is made and deleted offline is never sent`() throws {
        try self.meeting.phone.create(["title": "x"], pk: "43")
        try self.meeting.phone.delete("43")
        try self.meeting.phone.sync(Meeting.collection)
        #expect(self.meeting.phone.outbox.first?.request.uploads.isEmpty == true)
        #expect(try self.meeting.phone.phase("43") == .absent)
    }

    @Test func `R7 I11 delete-while-creating settles the create, then deletes it there`() throws {
        try self.meeting.phone.create(["title": "x"], pk: "43")
        try self.meeting.phone.sync(Meeting.collection)
        try self.meeting.phone.delete("43")
        try self.meeting.carry(self.meeting.phone)
        #expect(try self.meeting.onServer("43") == nil)
        #expect(try self.meeting.phone.phase("43") == .absent)
        #expect(self.meeting.phone.events("43").contains(.acceptedEarlier))
    }

    @Test func `R16 duplicate-create of equal content is no question`() throws {
        try self.meeting.phone.create(["a": 1.0], pk: "43")
        try self.meeting.tablet.create(["a": 1], pk: "43")
        try self.meeting.settle()
        #expect(try self.meeting.tablet.phase("43") == .synced)
        #expect(try self.meeting.tablet.journal().isEmpty)
    }

    @Test func `R16 two creates under one pk are merged by the tactic`() throws {
        try self.meeting.phone.create(["a": 1, "both": "phone"], pk: "43")
        try self.meeting.tablet.create(["b": 2, "both": "tablet"], pk: "43")
        try self.meeting.settle()
        #expect(try self.meeting.phone.view("43") == ["a": 1, "b": 2, "both": "tablet"])
        #expect(try self.meeting.onServer("43") == ["a": 1, "b": 2, "both": "tablet"])
        #expect(try self.meeting.tablet.journal().count == 1)
    }

    @Test func `R23 delete-then-recreate-same-pk is one replace at the root`() throws {
        try self.meeting.phone.delete("42")
        try self.meeting.phone.create(["title": "New"], pk: "42")
        let snapshot = try #require(try self.meeting.phone.snapshot("42"))
        #expect(snapshot.phase == .edited(.idle))
        #expect(snapshot.raw.pendingPatch == Array(#"[{"op":"replace","path":"","value":{"title":"New"}}]"#.utf8))
        try self.meeting.settle()
        try self.expectAgreement(on: ["title": "New"])
    }

    @Test func `create-over-unseen-tombstone is sent again with its version, and is no conflict`() throws {
        try self.meeting.phone.delete("42")
        try self.meeting.sync(self.meeting.phone)
        try self.meeting.sync(self.meeting.tablet)
        try self.meeting.phone.create(["title": "Again"], pk: "42")
        try self.meeting.sync(self.meeting.phone)
        #expect(self.meeting.phone.reports.last?.conflicts == [])
        #expect(self.meeting.phone.reports.last?.pushed == ["42"])
        try self.meeting.settle()
        try self.expectAgreement(on: ["title": "Again"])
    }

    @Test func `ack-write-fails is replayed, not sent as new`() throws {
        try self.meeting.phone.edit("42") { $0.title = "Oat milk" }
        try self.meeting.phone.sync(Meeting.collection)
        let sent = self.meeting.phone.outbox.removeFirst()
        let answer = try self.meeting.remote.exchangeNow(sent.request)
        self.meeting.phone.store.failNextWrite(with: TidemarkError(.storeFull, "The disk is full."))
        #expect(throws: TidemarkError.self) { try self.meeting.phone.receive(answer, for: sent.token) }
        #expect(try self.meeting.phone.phase("42") == .edited(.unconfirmed))
        try self.meeting.phone.sync(Meeting.collection)
        #expect(self.meeting.phone.outbox.first?.request.frozen == sent.request.frozen)
        try self.meeting.carry(self.meeting.phone)
        try self.meeting.settle()
        try self.expectAgreement(on: ["title": "Oat milk", "count": 1])
    }

    @Test func `I4 data is byte for byte what the server sent`() throws {
        let text = #"{"b":1.10,"a":"caf\u00e9 \/","n":12345678901234567890,"e":1e400,"z":-0}"#
        try self.meeting.phone.create(try JSON(parsing: text), pk: "bytes")
        try self.meeting.settle()
        #expect(try self.meeting.tablet.snapshot("bytes")?.raw.confirmed == Array(text.utf8))
        #expect(try self.meeting.phone.snapshot("bytes")?.raw.confirmed == Array(text.utf8))
    }
}
