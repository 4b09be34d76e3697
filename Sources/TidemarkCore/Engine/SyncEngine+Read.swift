import TidemarkJSON
package import TidemarkMachine
package import TidemarkRules

// What an app can look at.

extension SyncEngine {
    /// A record, or nil when there is none.
    package func snapshot(of pk: String, in collection: String) throws(TidemarkError) -> RecordSnapshot? {
        guard let stored = try self.store.record(pk, in: collection) else { return nil }
        return try self.look(in: collection) { (turn) throws(TidemarkError) in try turn.snapshot(of: stored) }
    }

    /// Records in the order of the UTF-8 bytes of their pk.
    package func snapshots(
        in collection: String, states: Set<SyncState>, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [RecordSnapshot] {
        try self.look(in: collection) { (turn) throws(TidemarkError) in
            var snapshots: [RecordSnapshot] = []
            for stored in try self.store.records(in: collection, states: states, after: pk, limit: limit) {
                snapshots.append(try turn.snapshot(of: stored))
            }
            return snapshots
        }
    }

    /// The conflicts that wait for a person, in the order in which the records were changed.
    package func conflicts(in collection: String) throws(TidemarkError) -> [RecordConflict] {
        try self.look(in: collection) { (turn) throws(TidemarkError) in
            var conflicts: [RecordConflict] = []
            for stored in try self.store.waitingRecords(in: collection) where stored.phase.activity == .deciding {
                // One that is damaged hides no other.
                _ = try turn.damage { () throws(TidemarkError) in
                    let conflict = try Question(turn: turn).conflict(of: try turn.revive(stored))
                    if let conflict { conflicts.append(conflict) }
                }
            }
            return conflicts
        }
    }

    /// The conflict of one record; nil when it is in none.
    package func conflict(of pk: String, in collection: String) throws(TidemarkError) -> RecordConflict? {
        try self.look(in: collection) { (turn) throws(TidemarkError) in
            try Question(turn: turn).conflict(of: try turn.load(pk))
        }
    }

    /// What the next POST of a collection would send, in its order: what is unconfirmed, or else what is idle.
    ///
    /// Nothing is sent or changed. What the server's answer brings may lead to more; that can't be known before.
    package func preview(of collection: String) throws(TidemarkError) -> [PlannedUpload] {
        try self.look(in: collection) { (turn) throws(TidemarkError) in try Outbox(turn: turn).preview() }
    }

    /// Whether the next sync of a collection would send something.
    package func hasSomethingToSend(in collection: String) throws(TidemarkError) -> Bool {
        try self.look(in: collection) { (turn) throws(TidemarkError) in try Outbox(turn: turn).hasSomethingToSend() }
    }

    /// Explains where a record stands; a pk that is not known is explained, too.
    package func explain(_ pk: String, in collection: String) throws(TidemarkError) -> RecordExplanation {
        try self.look(in: collection) { (turn) throws(TidemarkError) in try Explainer(turn: turn).explain(pk) }
    }

    /// The collections that the store or the configuration names.
    package func collections() throws(TidemarkError) -> [String] {
        let names = try self.store.collections().map { CodePointString($0) }
        return Set(names + self.configuration.collections.keys).sorted().map(\.value)
    }

    /// The collections that may be paused: also one of which nothing is stored yet.
    func collectionsToResume() throws(TidemarkError) -> [String] {
        let names = try self.collections().map { CodePointString($0) }
        return Set(names + self.memory.exchanges.keys).sorted().map(\.value)
    }

    /// How a collection stands.
    package func status(of collection: String) throws(TidemarkError) -> CollectionStatus {
        let state = try self.store.state(of: collection)
        let waiting = try self.store.waitingRecords(in: collection)
        let held = waiting.filter { $0.phase.activity == .held }.map { record in
            ItemSetAside(pk: record.pk, reason: record.hold.map { RecordHold(stored: $0).reason } ?? "held")
        }
        return CollectionStatus(
            collection: collection,
            counts: try self.store.counts(in: collection),
            conflicts: waiting.filter { $0.phase.activity == .deciding }.map(\.pk),
            held: held + (try self.store.itemsSetAside(in: collection)),
            lostByServer: try self.store.lostByServer(in: collection, limit: .max), watermark: state.watermark,
            lastInStep: state.lastInStep)
    }

    /// Where the feed of a collection was read to; nil where it was not, or is to be read from the start.
    package func watermark(of collection: String) throws(TidemarkError) -> String? {
        let state = try self.store.state(of: collection)
        return state.startsOver ? nil : state.watermark
    }

    /// What lost in a collection, or of one record, from the oldest to the newest.
    package func journal(of pk: String?, in collection: String) throws(TidemarkError) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        for stored in try self.store.journal(of: pk, in: collection) {
            entries.append(try JournalEntry(stored, in: collection))
        }
        return entries
    }

    /// A value that belongs to the store as a whole: for a tool that keeps its settings beside the records.
    package func setting(_ key: String) throws(TidemarkError) -> String? {
        try self.store.setting("app/\(key)")
    }

    /// Sets or (nil) removes a value that belongs to the store as a whole.
    package func set(_ key: String, to value: String?) throws(TidemarkError) {
        try self.store.transaction { () throws(TidemarkError) in try self.store.set("app/\(key)", to: value) }
    }
}

extension Turn {
    /// A record that is damaged is shown as far as it can be, so that it hides no other.
    fileprivate func snapshot(of stored: StoredRecord) throws(TidemarkError) -> RecordSnapshot {
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
