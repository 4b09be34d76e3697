import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// One stored record is damaged.
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

    let scenario: SyncScenario
    var phone: Device { self.scenario.phone }

    init() throws {
        self.scenario = try SyncScenario()
        for pk in ["42", "7"] { try self.phone.create(["title": "Milk"], pk: pk) }
        try self.scenario.settle()
        for pk in ["42", "7"] { try self.phone.edit(pk) { $0.title = "Oat milk" } }
    }

    private func strike(_ damage: Damage, _ pks: [String] = ["42"]) throws {
        let store = self.phone.store
        try store.transaction { () throws(TidemarkError) in
            for pk in pks {
                guard var record = try store.record(pk, in: SyncScenario.collection) else { return }
                damage.strike(&record)
                try store.save(record, in: SyncScenario.collection)
            }
        }
    }

    private func error(_ body: () throws -> Void) -> TidemarkError? {
        #expect(throws: TidemarkError.self) { try body() }
    }

    @Test(arguments: Damage.allCases)
    func `an error of a damaged record names it and the remedy, and other records sync`(damage: Damage) throws {
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
            in: SyncScenario.collection, states: Set(SyncState.allCases), after: nil, limit: 9)
        #expect(list.map(\.pk) == ["42", "7"])
        #expect(list.map { $0.damage == nil } == [false, true])
        #expect(list.first?.raw.content == nil)
        try self.scenario.sync(self.phone)
        #expect(try self.scenario.onServer("7") == ["title": "Oat milk", "n": 1])
        // The edit is readable, so it is sent, and its answer restores the content.
        let isHealed = damage == .contentIsNoJSON
        #expect(self.phone.reports.last?.held == (isHealed ? [] : ["42"]))
        #expect(self.phone.reports.last?.outcome == (isHealed ? .inSync : .held))
        if isHealed { #expect(try self.phone.view("42") == ["title": "Oat milk"]) }
    }

    @Test(arguments: Damage.allCases)
    func `a batch in which all records are damaged is no POST, and the feed is read (R24, I8)`(damage: Damage) throws {
        try self.scenario.sync(self.scenario.tablet)
        try self.scenario.tablet.create(["n": 1], pk: "new")
        try self.scenario.sync(self.scenario.tablet)
        try self.strike(damage, ["42", "7"])
        try self.phone.sync(SyncScenario.collection)
        // An edit that is readable is sent. Its answer restores the content, unless the server refuses the edit, too.
        let isSent = [.contentIsNoJSON, .patchDoesNotFit, .patchRemovesTheRecord].contains(damage)
        #expect(self.phone.outbox.map(\.request.uploads.count) == [isSent ? 2 : 0])
        try self.scenario.carry(self.phone)
        #expect(self.phone.reports.last?.requests == 1)
        #expect(self.phone.reports.last?.held == (damage == .contentIsNoJSON ? [] : ["42", "7"]))
        #expect(try self.phone.view("new") == ["n": 1])
        try self.scenario.sync(self.phone)
        #expect(self.phone.reports.last?.requests == 1)
    }

    @Test(arguments: Damage.allCases)
    func `a resigned damaged record is read again, and its remains are journalled`(damage: Damage) throws {
        try self.strike(damage)
        try self.phone.resign("42")
        #expect(try self.phone.phase("42") == .absent)
        #expect(self.phone.changes.last?.origin == .resignation)
        let lost = try self.phone.journal().compactMap { try $0.lostValue }.map { $0.string }
        #expect(lost.contains(damage.rawValue) || damage == .contentIsNoJSON)
        #expect(try self.phone.journal().map(\.reason) == [.resign])
        try self.scenario.settle()
        #expect(try self.phone.view("42") == ["title": "Milk"])
        #expect(try self.phone.view("7") == ["title": "Oat milk"])
        for pk in ["42", "7"] { try self.scenario.expectAgreement(pk) }
        #expect(self.phone.reports.last?.outcome == .inSync)
    }

    @Test func `a synced record with unreadable content can be resigned, too`() throws {
        try self.scenario.settle()
        try self.strike(.contentIsNoJSON)
        #expect(try self.phone.phase("42") == .synced)
        #expect(self.error { try self.phone.edit("42") { $0.n = 1 } }?.code == .recordDamaged)
        try self.phone.resign("42")
        try self.scenario.settle()
        #expect(try self.phone.view("42") == ["title": "Oat milk"])
    }

    @Test func `a row for a damaged record is quarantined, and the rest of its page is applied`() throws {
        try self.scenario.sync(self.phone)
        try self.phone.edit("42") { $0.n = 1 }
        try self.strike(.patchIsNoJSON)
        try self.scenario.sync(self.scenario.tablet)
        for pk in ["42", "7"] { try self.scenario.tablet.edit(pk) { $0.price = 3 } }
        try self.scenario.sync(self.scenario.tablet)
        try self.scenario.sync(self.phone)
        #expect(try self.phone.view("7") == ["title": "Oat milk", "price": 3])
        let status = try self.phone.engine.status(of: SyncScenario.collection)
        #expect(status.held.map(\.pk) == ["42"])
        #expect(status.held.first?.reason.contains("“42” in notes is damaged") == true)
        #expect(status.held.first?.hold == nil)
        #expect(self.phone.reports.last?.held == ["42"], "named once")
        try self.phone.resign("42")
        try self.scenario.settle()
        try self.scenario.expectAgreement("42")
        #expect(try self.phone.engine.status(of: SyncScenario.collection).isInSync)
    }

    @Test func `a full resync quarantines a damaged record that the server does not have`() throws {
        try self.strike(.patchIsNoJSON)
        try self.scenario.sync(self.scenario.tablet)
        try self.scenario.tablet.delete("42")
        try self.scenario.sync(self.scenario.tablet)
        let store = self.phone.store
        try store.transaction { () throws(TidemarkError) in
            try store.save(
                CollectionState(resync: CollectionState.Resync(.historyLost), resyncGeneration: 8),
                of: SyncScenario.collection)
        }
        try self.scenario.sync(self.phone)
        #expect(self.phone.reports.last?.held == ["42"])
        #expect(try self.phone.view("7") == ["title": "Oat milk"])
    }

    @Test func `a damaged record can't be resigned during a sync`() throws {
        try self.strike(.patchIsNoJSON)
        try self.phone.sync(SyncScenario.collection)
        let error = self.error { try self.phone.resign("42") }
        #expect(error?.code == .recordDamaged)
        #expect(error?.message.contains("A sync of notes is running: resign it when the sync has ended.") == true)
        try self.scenario.carry(self.phone)
        try self.phone.resign("42")
        #expect(try self.phone.phase("42") == .absent)
    }
}
