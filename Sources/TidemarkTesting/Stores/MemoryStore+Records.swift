public import TidemarkCore
import TidemarkJSON
public import TidemarkMachine
public import TidemarkRules

extension MemoryStore {
    /// A record; nil if it is absent.
    public func record(_ pk: String, in collection: String) throws(TidemarkError) -> StoredRecord? {
        self.contents.collections[CodePointString(collection)]?.records[CodePointString(pk)]
    }

    /// The record with the server's own name; nil if there is none.
    public func record(named name: String, in collection: String) throws(TidemarkError) -> StoredRecord? {
        self.contents.collections[CodePointString(collection)]?.record(named: CodePointString(name))
    }

    /// Inserts or replaces a record.
    public func save(_ record: StoredRecord, in collection: String) throws(TidemarkError) {
        precondition(record.phase != .absent, "“\(record.pk)” is absent, and an absent record can't be saved.")
        try self.countWrite()
        self.write(.record(CodePointString(record.pk), record, in: CodePointString(collection)))
    }

    /// Removes a record; does nothing if it does not exist.
    public func erase(_ pk: String, in collection: String) throws(TidemarkError) {
        try self.countWrite()
        self.write(.record(CodePointString(pk), nil, in: CodePointString(collection)))
    }

    /// Records in the order of the UTF-8 bytes of their pk.
    public func records(
        in collection: String, states: Set<SyncState>, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [StoredRecord] {
        if states.contains(.synced) {
            return self.records(in: collection, after: pk, limit: limit) { states.contains($0) }
        }
        let (pks, records) = (self.collection(collection).changed, self.collection(collection).records)
        return Array(
            pks[after: pk.map { CodePointString($0) }].lazy.compactMap { records[$0] }
                .filter { $0.phase.state.map(states.contains) ?? false }
                .prefix(limit))
    }

    /// The number of records in each state; a state without records is left out.
    public func counts(in collection: String) throws(TidemarkError) -> [SyncState: Int] {
        self.collection(collection).records.values.reduce(into: [:]) { counts, record in
            if let state = record.phase.state {
                counts[state, default: 0] += 1
            }
        }
    }

    /// Records whose phase is idle, in the order of their sequence.
    public func recordsToSend(in collection: String, limit: Int) throws(TidemarkError) -> [StoredRecord] {
        self.collection(collection).records(.idle, limit: limit)
    }

    /// Records whose phase is uploading or unconfirmed, those with fewer failures first.
    public func unsettledRecords(in collection: String) throws(TidemarkError) -> [StoredRecord] {
        let records = self.collection(collection)
        return (records.records(.uploading) + records.records(.unconfirmed)).sorted {
            ($0.failures, $0.sequence, CodePointString($0.pk)) < ($1.failures, $1.sequence, CodePointString($1.pk))
        }
    }

    /// Which records wait, in the order of their sequence.
    public func waiting(in collection: String) throws(TidemarkError) -> StoredRecord.Waiting {
        let records = self.collection(collection)
        return StoredRecord.Waiting(
            deciding: records.records(.deciding).map(\.pk),
            held: records.records(.held).map { StoredRecord.Waiting.Held(pk: $0.pk, hold: $0.hold) })
    }

    /// Records with a watch, in the order of the UTF-8 bytes of their pk.
    public func watchedRecords(
        in collection: String, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [StoredRecord] {
        let records = self.collection(collection)
        return Array(
            records.order[after: pk.map { CodePointString($0) }].lazy.compactMap { records.records[$0] }.filter {
                $0.watched != nil
            }.prefix(limit))
    }

    /// Applies the rows of a page to every record that has no local change.
    public func refresh(
        _ page: FeedPage, in collection: String, resyncGeneration: Int64
    ) throws(TidemarkError) -> PageOutcome {
        try self.countWrite()
        var outcome = PageOutcome(changed: [], left: [])
        for (index, row) in page.rows.enumerated() {
            let name = page.name(of: row)
            var (pk, named) = (page.pk(of: row), StoredRecord?.none)
            if let name { named = try self.record(named: name, in: collection) }
            if let named, CodePointString(named.pk) != CodePointString(pk) {
                pk = named.pk
                outcome.pks[index] = pk
            }
            let former = try self.record(pk, in: collection)
            if let name, let other = former?.name, CodePointString(other) != CodePointString(name) {
                if !row.isTombstone { outcome.contested.append(index) }
                continue
            }
            var record = former ?? StoredRecord(pk: pk, phase: .synced, confirmed: StoredVersion())
            record.resyncGeneration = resyncGeneration
            if let name, !row.isTombstone { record.name = name }
            if record.phase != .synced {
                outcome.left.append(index)
            } else if row.isTombstone {
                guard former != nil else { continue }
                outcome.changed.append(index)
                self.write(.record(CodePointString(pk), nil, in: CodePointString(collection)))
                continue
            } else if !record.confirmed.isSame(as: page.version(of: row)) {
                outcome.changed.append(index)
                record.confirmed = page.version(of: row)
            }
            self.write(.record(CodePointString(pk), record, in: CodePointString(collection)))
        }
        return outcome
    }

    /// Records whose `resyncGeneration` is below the given one.
    public func recordsNotInResync(
        in collection: String, resyncGeneration: Int64, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [StoredRecord] {
        let records = self.collection(collection)
        return Array(
            records.order[after: pk.map { CodePointString($0) }].lazy.compactMap { records.records[$0] }
                .filter { $0.resyncGeneration < resyncGeneration }
                .prefix(limit))
    }

    private func records(
        in collection: String, after pk: String?, limit: Int, _ fits: (SyncState) -> Bool
    ) -> [StoredRecord] {
        let records = self.collection(collection)
        var found: [StoredRecord] = []
        for pk in records.order[after: pk.map { CodePointString($0) }] where found.count < limit {
            if let record = records.records[pk], let state = record.phase.state, fits(state) {
                found.append(record)
            }
        }
        return found
    }
}

extension StoredVersion {
    /// Whether both have the same bytes; `==` would compare the version by canonical equivalence.
    fileprivate func isSame(as other: StoredVersion) -> Bool {
        self.version.map { CodePointString($0) } == other.version.map { CodePointString($0) } && self.data == other.data
    }
}
