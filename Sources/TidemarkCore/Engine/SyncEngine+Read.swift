import TidemarkJSON
public import TidemarkMachine

// What an app can look at.

extension SyncEngine {
    /// A record, or nil when there is none.
    public func snapshot(of pk: String, in collection: String) throws(TidemarkError) -> RecordSnapshot? {
        guard let stored = try self.store.record(pk, in: collection) else { return nil }
        return try self.snapshot(of: stored, in: collection)
    }

    /// Records in the order of the UTF-8 bytes of their pk.
    public func snapshots(
        in collection: String, states: Set<SyncState>, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [RecordSnapshot] {
        var snapshots: [RecordSnapshot] = []
        for stored in try self.store.records(in: collection, states: states, after: pk, limit: limit) {
            snapshots.append(try self.snapshot(of: stored, in: collection))
        }
        return snapshots
    }

    /// A record that is damaged is shown as far as it can be, so that it hides no other.
    private func snapshot(of stored: StoredRecord, in collection: String) throws(TidemarkError) -> RecordSnapshot {
        var snapshot = RecordSnapshot(stored, in: collection, view: nil)
        let damage = try self.damage { () throws(TidemarkError) in
            let record = try self.revive(stored, in: collection)
            snapshot = try self.naming(stored.pk, in: collection) { () throws(TidemarkError) in
                RecordSnapshot(
                    record.stored, in: collection, view: try record.machine.view(self.algebra(of: collection))?.bytes)
            }
        }
        snapshot.damage = damage?.message
        return snapshot
    }

    /// The collections that the store or the configuration names.
    public func collections() throws(TidemarkError) -> [String] {
        let names = try self.store.collections().map { CodePointString($0) }
        return Set(names + self.configuration.collections.keys).sorted().map(\.value)
    }

    /// The collections that may be paused: also one of which nothing is stored yet.
    func collectionsToResume() throws(TidemarkError) -> [String] {
        let names = try self.collections().map { CodePointString($0) }
        return Set(names + self.memory.exchanges.keys).sorted().map(\.value)
    }

    /// How a collection stands.
    public func status(of collection: String) throws(TidemarkError) -> CollectionStatus {
        let waiting = try self.store.waitingRecords(in: collection)
        let held = waiting.filter { $0.phase.activity == .held }.map { record in
            ItemSetAside(pk: record.pk, reason: Self.reason(of: record.hold))
        }
        return CollectionStatus(
            collection: collection,
            counts: try self.store.counts(in: collection),
            conflicts: waiting.filter { $0.phase.activity == .deciding }.map(\.pk),
            held: held + (try self.store.itemsSetAside(in: collection)),
            lostByServer: try self.valuesLost(in: collection),
            watermark: try self.store.state(of: collection).watermark)
    }

    /// What lost in a collection, or of one record, from the oldest to the newest.
    public func journal(of pk: String?, in collection: String) throws(TidemarkError) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        for stored in try self.store.journal(of: pk, in: collection) {
            entries.append(try JournalEntry(stored, in: collection))
        }
        return entries
    }

    /// A value that belongs to the store as a whole: for a tool that keeps its settings beside the records.
    public func setting(_ key: String) throws(TidemarkError) -> String? {
        try self.store.setting("app/\(key)")
    }

    /// Sets or (nil) removes a value that belongs to the store as a whole.
    public func set(_ key: String, to value: String?) throws(TidemarkError) {
        try self.store.transaction { () throws(TidemarkError) in try self.store.set("app/\(key)", to: value) }
    }

    static func reason(of hold: [UInt8]?) -> String {
        guard let hold, let document = try? JSON(parsing: hold) else { return "held" }
        let parts = [document["title"]?.string, document["detail"]?.string].compactMap { $0 }
        return parts.isEmpty ? document.text : parts.joined(separator: ": ")
    }
}
