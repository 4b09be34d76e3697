import TidemarkJSON
package import TidemarkMachine
package import TidemarkRules

// The app's reads.

extension SyncEngine {
    /// Returns a record; nil if it is absent.
    package func snapshot(of pk: String, in collection: String) throws(TidemarkError) -> RecordSnapshot? {
        guard let stored = try self.store.record(pk, in: collection) else { return nil }
        return try self.look(in: collection) { (transaction) throws(TidemarkError) in
            try transaction.snapshot(of: stored)
        }
    }

    /// Returns records in the order of the UTF-8 bytes of their pk.
    package func snapshots(
        in collection: String, states: Set<SyncState>, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [RecordSnapshot] {
        try self.look(in: collection) { (transaction) throws(TidemarkError) in
            var snapshots: [RecordSnapshot] = []
            for stored in try self.store.records(in: collection, states: states, after: pk, limit: limit) {
                snapshots.append(try transaction.snapshot(of: stored))
            }
            return snapshots
        }
    }

    /// Returns the conflicts that wait for the user, in the order in which the records were changed.
    package func conflicts(in collection: String) throws(TidemarkError) -> [RecordConflict] {
        try self.openConflicts(of: try self.openPKs(in: collection)[...], in: collection).map(\.conflict)
    }

    /// The records with a conflict that waits for the user, in the order in which they were changed.
    func openPKs(in collection: String) throws(TidemarkError) -> [String] {
        try self.store.waiting(in: collection).deciding
    }

    /// Returns the conflicts of some of these records. One that has none any more is left out.
    ///
    /// - Parameter last: The conflicts that were read before, by pk: one whose record did not change is not merged again.
    func openConflicts(
        of pks: ArraySlice<String>, in collection: String, after last: [CodePointString: StoredConflict] = [:]
    ) throws(TidemarkError) -> [StoredConflict] {
        try self.look(in: collection) { (transaction) throws(TidemarkError) in
            var conflicts: [StoredConflict] = []
            for pk in pks {
                // A damaged record does not hide other records.
                _ = try transaction.damage { () throws(TidemarkError) in
                    guard let stored = try self.store.record(pk, in: collection) else { return }
                    if let known = last[CodePointString(pk)], known.stored == stored { return conflicts.append(known) }
                    let record = try transaction.revive(stored)
                    if let conflict = try ConflictResolution(transaction: transaction).conflict(of: record) {
                        conflicts.append(StoredConflict(stored: stored, conflict: conflict))
                    }
                }
            }
            return conflicts
        }
    }

    /// Returns the conflict of one record; nil if it has none.
    package func conflict(of pk: String, in collection: String) throws(TidemarkError) -> RecordConflict? {
        try self.look(in: collection) { (transaction) throws(TidemarkError) in
            try ConflictResolution(transaction: transaction).conflict(of: try transaction.load(pk))
        }
    }

    /// Returns the edits of a collection's next POST, in their order: unconfirmed ones, or else idle ones.
    ///
    /// It sends and changes nothing. The server's answer may lead to further edits, which can't be known in advance.
    package func preview(of collection: String) throws(TidemarkError) -> [SyncClient.PlannedUpload] {
        try self.look(in: collection) { (transaction) throws(TidemarkError) in
            try Outbox(transaction: transaction).preview()
        }
    }

    /// Whether the next sync of a collection would send an edit.
    package func hasSomethingToSend(in collection: String) throws(TidemarkError) -> Bool {
        try self.look(in: collection) { (transaction) throws(TidemarkError) in
            try !Outbox(transaction: transaction).due().isEmpty
        }
    }

    /// Returns the first changes of a collection that wait for another record.
    func waiting(in collection: String) throws(TidemarkError) -> [CollectionReport.Waiting] {
        try self.look(in: collection) { (transaction) throws(TidemarkError) in
            try ReferenceRule(transaction)?.waiting() ?? []
        }
    }

    /// Explains the phase of a record, also of an unknown pk.
    package func explain(_ pk: String, in collection: String) throws(TidemarkError) -> RecordExplanation {
        try self.look(in: collection) { (transaction) throws(TidemarkError) in
            try Explainer(transaction: transaction).explain(pk)
        }
    }

    /// Explains the phases of records; nil for a damaged one.
    func explanations(of pks: [String], in collection: String) throws(TidemarkError) -> [RecordExplanation?] {
        try self.look(in: collection) { (transaction) throws(TidemarkError) in
            let explainer = try Explainer(transaction: transaction)
            var explanations: [RecordExplanation?] = []
            for pk in pks {
                var explanation: RecordExplanation?
                _ = try transaction.damage { () throws(TidemarkError) in explanation = try explainer.explain(pk) }
                explanations.append(explanation)
            }
            return explanations
        }
    }

    /// Returns the collections in the store or the configuration.
    package func collections() throws(TidemarkError) -> [String] {
        let names = try self.store.collections().map { CodePointString($0) }
        return Set(names + self.configuration.collections.keys).sorted().map(\.value)
    }

    /// Returns the collections that may be paused, including those without stored data.
    func collectionsToResume() throws(TidemarkError) -> [String] {
        let names = try self.collections().map { CodePointString($0) }
        return Set(names + self.exchanges.keys).sorted().map(\.value)
    }

    package func status(of collection: String) throws(TidemarkError) -> SyncStatus.Collection {
        let state = try self.store.state(of: collection)
        let waiting = try self.store.waiting(in: collection)
        let held = waiting.held.map { record in
            let hold = record.hold.map { RecordHold(stored: $0) } ?? .unknown
            return QuarantinedItem(pk: record.pk, reason: hold.reason, hold: hold)
        }
        return SyncStatus.Collection(
            collection: collection,
            counts: try self.store.counts(in: collection),
            conflicts: waiting.deciding,
            held: held + (try self.store.quarantinedItems(in: collection)),
            lostByServer: try self.store.lostByServer(in: collection, limit: .max), cursor: state.cursor,
            lastInSync: state.lastInSync)
    }

    /// Returns the cursor of a collection; nil if its feed was not read yet, or is to be read from the start.
    package func cursor(of collection: String) throws(TidemarkError) -> String? {
        let state = try self.store.state(of: collection)
        return state.startsOver ? nil : state.cursor
    }

    /// Returns the lost values of a collection, or of one record, from the oldest to the newest.
    package func journal(of pk: String?, in collection: String) throws(TidemarkError) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        for stored in try self.store.journal(of: pk, in: collection) {
            entries.append(try JournalEntry(stored, in: collection))
        }
        return entries
    }

    /// Returns a setting of a tool that stores its settings in addition to the records.
    package func setting(_ key: String) throws(TidemarkError) -> String? {
        try Self.setting(key, in: self.store)
    }

    /// Returns the same setting without an engine.
    package static func setting(_ key: String, in store: some RecordStore) throws(TidemarkError) -> String? {
        try store.setting("app/\(key)")
    }

    /// Sets a setting of a tool, or removes it (nil).
    package func set(_ key: String, to value: String?) throws(TidemarkError) {
        try self.store.transaction { () throws(TidemarkError) in try self.store.set("app/\(key)", to: value) }
    }
}

extension EngineTransaction {
    /// Makes a snapshot of a record that an index offers.
    func snapshot(of record: IndexedRecord) throws(TidemarkError) -> RecordSnapshot {
        switch record {
        case .synced(let pk, let version, let data):
            RecordSnapshot(synced: pk, version: version, data, in: self.collection)
        case .stored(let stored): try self.snapshot(of: stored)
        }
    }

    /// Makes a snapshot. A damaged record is shown as far as it can be read, so that it does not hide other records.
    func snapshot(of stored: StoredRecord) throws(TidemarkError) -> RecordSnapshot {
        // Nothing has to be applied to a SYNCD record, as most are.
        if stored.phase == .synced, let view = stored.confirmed.data, stored.editedData == nil, stored.upload == nil,
            stored.base == nil
        {
            return RecordSnapshot(stored, in: self.collection, view: view)
        }
        // The view of a whole SYNCD record is its payload, and lists have many of them.
        if stored.isPlain { return RecordSnapshot(stored, in: self.collection, view: stored.confirmed.data) }
        var snapshot = RecordSnapshot(stored, in: self.collection, view: nil)
        let damage = try self.damage { () throws(TidemarkError) in
            let record = try self.revive(stored)
            snapshot = try self.naming(stored.pk) { () throws(TidemarkError) in
                RecordSnapshot(
                    record.stored, in: self.collection, view: try record.machine.view(self.algebra)?.bytes)
            }
        }
        snapshot.damage = damage?.message
        return snapshot
    }
}

extension StoredRecord {
    /// Whether the record is SYNCD with a payload, and without parts that only a damaged record has in this state.
    fileprivate var isPlain: Bool {
        self.phase == .synced && self.confirmed.version != nil && self.confirmed.data != nil && self.editedData == nil
            && self.upload == nil && self.seen == nil && self.base == nil && self.hold == nil
    }
}

/// An open conflict with the record that it was made of.
struct StoredConflict: Sendable {
    let stored: StoredRecord
    let conflict: RecordConflict
}
