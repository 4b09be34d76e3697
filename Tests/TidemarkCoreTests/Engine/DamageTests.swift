import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// One record of the file is not what it should be.
@Suite struct DamageTests {
    enum Damage: String, CaseIterable, Sendable {
        case patchIsNoJSON = "[{"
        case patchIsNoPatch = #"{"title":"Oat milk"}"#
        case patchDoesNotFit = #"[{"op":"remove","path":"/nothing"}]"#
        case patchRemovesTheRecord = #"[{"op":"remove","path":""}]"#
        case contentIsNoJSON = #"{"title":"Mi"#
        case uploadIsNoJSON = #"{"request_id":"#
        case uploadHasNoState = #"{"request_id":"r","pk":"42"}"#

        func strike(_ record: inout StoredRecord) {
            let bytes = Array(self.rawValue.utf8)
            switch self {
            case .patchIsNoJSON, .patchIsNoPatch, .patchDoesNotFit, .patchRemovesTheRecord: record.editedData = bytes
            case .contentIsNoJSON: record.confirmed.data = bytes
            case .uploadIsNoJSON, .uploadHasNoState:
                record.phase = .edited(.unconfirmed)
                record.upload = StoredUpload(requestID: "r", edit: bytes, wasResent: false)
                record.editedData = nil
            }
        }
    }

    let meeting: Meeting
    var phone: Device { self.meeting.phone }

    init() throws {
        self.meeting = try Meeting()
        for pk in ["42", "7"] { try self.phone.create(["title": "Milk"], pk: pk) }
        try self.meeting.settle()
        for pk in ["42", "7"] { try self.phone.edit(pk) { $0.title = "Oat milk" } }
    }

    private func strike(_ damage: Damage) throws {
        let store = self.phone.store
        try store.transaction { () throws(TidemarkError) in
            guard var record = try store.record("42", in: Meeting.collection) else { return }
            damage.strike(&record)
            try store.save(record, in: Meeting.collection)
        }
    }

    private func error(_ body: () throws -> Void) -> TidemarkError? {
        #expect(throws: TidemarkError.self) { try body() }
    }

    @Test(arguments: Damage.allCases)
    func `damage names its record and what to do, and the records beside it go on`(damage: Damage) throws {
        try self.strike(damage)
        for error in [
            self.error { try self.phone.edit("42") { $0.title = "Soy milk" } },
            self.error { try self.phone.delete("42") },
        ] {
            #expect(error?.code == .recordDamaged)
            #expect(error?.message.contains("“42” in notes is damaged in this store") == true)
            #expect(error?.message.contains("Restore the store from a backup; or resign the record") == true)
        }
        try self.phone.edit("7") { $0.n = 1 }
        let list = try self.phone.engine.snapshots(
            in: Meeting.collection, states: Set(SyncState.allCases), after: nil, limit: 9)
        #expect(list.map(\.pk) == ["42", "7"])
        #expect(list.map { $0.damage == nil } == [false, true])
        #expect(list.first?.raw.content == nil)
        try self.meeting.sync(self.phone)
        #expect(try self.meeting.onServer("7") == ["title": "Oat milk", "n": 1])
        // What was sent can be read, and its answer brings the content anew.
        let isHealed = damage == .contentIsNoJSON
        #expect(self.phone.reports.last?.held == (isHealed ? [] : ["42"]))
        #expect(self.phone.reports.last?.outcome == (isHealed ? .inStep : .held))
        if isHealed { #expect(try self.phone.view("42") == ["title": "Oat milk"]) }
    }

    @Test(arguments: Damage.allCases)
    func `a damaged record that is given up comes again from the server, and what is left of it is journalled`(
        damage: Damage
    ) throws {
        try self.strike(damage)
        try self.phone.resign("42")
        #expect(try self.phone.phase("42") == .absent)
        #expect(self.phone.changes.last?.origin == .resignation)
        let lost = try self.phone.journal().compactMap { try $0.lostValue }.map { $0.string }
        #expect(lost.contains(damage.rawValue) || damage == .contentIsNoJSON)
        #expect(try self.phone.journal().map(\.reason) == [.resign])
        try self.meeting.settle()
        #expect(try self.phone.view("42") == ["title": "Milk"])
        #expect(try self.phone.view("7") == ["title": "Oat milk"])
        for pk in ["42", "7"] { try self.meeting.expectAgreement(pk) }
        #expect(self.phone.reports.last?.outcome == .inStep)
    }

    @Test func `content in step that can't be read can be given up, too`() throws {
        try self.meeting.settle()
        try self.strike(.contentIsNoJSON)
        #expect(try self.phone.phase("42") == .synced)
        #expect(self.error { try self.phone.edit("42") { $0.n = 1 } }?.code == .recordDamaged)
        try self.phone.resign("42")
        try self.meeting.settle()
        #expect(try self.phone.view("42") == ["title": "Oat milk"])
    }

    @Test func `a row for a damaged record is set aside, and the others of its page are taken in`() throws {
        try self.meeting.sync(self.phone)
        try self.phone.edit("42") { $0.n = 1 }
        try self.strike(.patchIsNoJSON)
        try self.meeting.sync(self.meeting.tablet)
        for pk in ["42", "7"] { try self.meeting.tablet.edit(pk) { $0.price = 3 } }
        try self.meeting.sync(self.meeting.tablet)
        try self.meeting.sync(self.phone)
        #expect(try self.phone.view("7") == ["title": "Oat milk", "price": 3])
        let status = try self.phone.engine.status(of: Meeting.collection)
        #expect(status.held.map(\.pk) == ["42"])
        #expect(status.held.first?.reason.contains("“42” in notes is damaged") == true)
        #expect(self.phone.reports.last?.held == ["42"], "named once")
        try self.phone.resign("42")
        try self.meeting.settle()
        try self.meeting.expectAgreement("42")
        #expect(try self.phone.engine.status(of: Meeting.collection).isInStep)
    }

    @Test func `a full resync sets a damaged record aside that the server does not list`() throws {
        try self.strike(.patchIsNoJSON)
        try self.meeting.sync(self.meeting.tablet)
        try self.meeting.tablet.delete("42")
        try self.meeting.sync(self.meeting.tablet)
        let store = self.phone.store
        try store.transaction { () throws(TidemarkError) in
            try store.save(
                CollectionState(resync: CollectionState.Resync(.historyLost), listing: 8), of: Meeting.collection)
        }
        try self.meeting.sync(self.phone)
        #expect(self.phone.reports.last?.held == ["42"])
        #expect(try self.phone.view("7") == ["title": "Oat milk"])
    }

    @Test func `a damaged record is not given up while a sync is going on`() throws {
        try self.strike(.patchIsNoJSON)
        try self.phone.sync(Meeting.collection)
        let error = self.error { try self.phone.resign("42") }
        #expect(error?.code == .recordDamaged)
        #expect(error?.message.contains("A sync of notes is going on: resign it once that has ended.") == true)
        try self.meeting.carry(self.phone)
        try self.phone.resign("42")
        #expect(try self.phone.phase("42") == .absent)
    }
}
