package import TidemarkCore
package import TidemarkMachine
package import TidemarkRules
package import TidemarkTesting

/// A store around another store. It fails at a write that a test chooses, and reports the writes.
///
/// ```swift
/// let store = FaultyStore(MemoryStore())
/// store.failNextWrite(after: 2, with: TidemarkError(.storeFull, "The disk is full."))
/// ```
package final class FaultyStore: CopyableStore {
    private let store: any CopyableStore
    private let trouble: (@Sendable () -> TidemarkError?)?
    private var writesLeft: Int?
    private var error = TidemarkError(.storeFull, "The disk is full.")
    private var failure: TidemarkError?
    private var written = Writes()

    /// The writes of transactions.
    struct Writes {
        /// The pks of records that were written, by collection; rows of pages among them.
        var pks: [String: Set<String>] = [:]

        /// The pks of records that were removed one by one, in the collection of the last write.
        var erased: Set<String> = []

        /// The new entries of the journals, oldest first.
        var entries: [(collection: String, entry: StoredJournalEntry)] = []
    }

    /// The writes that were committed since the last ``takeWrites()``.
    private var committed = Writes()

    /// Whether the requested failure has happened since the request.
    package private(set) var hasFailed = false

    /// Makes a store that fails only on request.
    package init(_ store: some CopyableStore) {
        self.store = store
        self.trouble = nil
    }

    /// Makes a store that calls a function before each write, and throws its error.
    package init(_ store: some CopyableStore, asking trouble: @escaping @Sendable () -> TidemarkError?) {
        self.store = store
        self.trouble = trouble
    }

    private init(of store: any CopyableStore) {
        self.store = store
        self.trouble = nil
    }

    /// Another store with the committed content of this one, which does not fail.
    package func copy() throws(TidemarkError) -> FaultyStore {
        FaultyStore(of: try self.store.copy())
    }

    /// Lets a later write throw. Its transaction is rolled back.
    ///
    /// - Parameters:
    ///   - count: How many writes succeed before it; the end of a transaction counts as one.
    ///   - error: The error.
    package func failNextWrite(after count: Int = 0, with error: TidemarkError) {
        (self.writesLeft, self.error, self.hasFailed) = (count, error, false)
    }

    /// Cancels a requested failure, and resets ``hasFailed``.
    package func failNoMore() {
        (self.writesLeft, self.hasFailed) = (nil, false)
    }

    /// Returns the writes that were committed since the last call.
    func takeWrites() -> Writes {
        defer { self.committed = Writes() }
        return self.committed
    }

    /// Runs the body as one transaction.
    package func transaction<Value>(_ body: () throws(TidemarkError) -> Value) throws(TidemarkError) -> Value {
        self.failure = nil
        self.written = Writes()
        let value = try self.store.transaction { () throws(TidemarkError) in
            let value = try body()
            try self.countWrite()
            return value
        }
        self.committed.entries += self.written.entries
        self.committed.erased.formUnion(self.written.erased)
        self.committed.pks.merge(self.written.pks) { $0.union($1) }
        return value
    }

    private func countWrite() throws(TidemarkError) {
        if let failure = self.failure { throw failure }
        if let error = self.trouble?() {
            self.failure = error
            throw error
        }
        guard let left = self.writesLeft else { return }
        guard left == 0 else { return self.writesLeft = left - 1 }
        (self.writesLeft, self.failure, self.hasFailed) = (nil, self.error, true)
        throw self.error
    }

    private func countWrite(of pk: String, in collection: String) throws(TidemarkError) {
        try self.countWrite()
        self.written.pks[collection, default: []].insert(pk)
    }
}

// MARK: - Writing

extension FaultyStore {
    package func set(_ key: String, to value: String?) throws(TidemarkError) {
        try self.countWrite()
        try self.store.set(key, to: value)
    }

    package func save(_ state: CollectionState, of collection: String) throws(TidemarkError) {
        try self.countWrite()
        try self.store.save(state, of: collection)
    }

    package func erase(collection: String) throws(TidemarkError) {
        try self.countWrite()
        try self.store.erase(collection: collection)
    }

    package func removeErased(limit: Int) throws(TidemarkError) -> Bool {
        try self.countWrite()
        return try self.store.removeErased(limit: limit)
    }

    package func save(_ record: StoredRecord, in collection: String) throws(TidemarkError) {
        try self.countWrite(of: record.pk, in: collection)
        try self.store.save(record, in: collection)
    }

    package func erase(_ pk: String, in collection: String) throws(TidemarkError) {
        try self.countWrite(of: pk, in: collection)
        self.written.erased.insert(pk)
        try self.store.erase(pk, in: collection)
    }

    package func refresh(
        _ page: FeedPage, in collection: String, resyncGeneration: Int64
    ) throws(TidemarkError) -> PageOutcome {
        try self.countWrite()
        for row in page.rows { self.written.pks[collection, default: []].insert(page.pk(of: row)) }
        return try self.store.refresh(page, in: collection, resyncGeneration: resyncGeneration)
    }

    package func quarantine(_ item: QuarantinedItem, in collection: String) throws(TidemarkError) {
        try self.countWrite()
        try self.store.quarantine(item, in: collection)
    }

    package func clearQuarantine(_ pk: String, in collection: String) throws(TidemarkError) {
        try self.countWrite()
        try self.store.clearQuarantine(pk, in: collection)
    }

    package func append(_ entry: StoredJournalEntry, in collection: String) throws(TidemarkError) -> Int64 {
        try self.countWrite()
        let number = try self.store.append(entry, in: collection)
        var entry = entry
        entry.number = number
        self.written.entries.append((collection, entry))
        return number
    }

    package func noteRestored(_ numbers: [Int64], in collection: String) throws(TidemarkError) {
        try self.countWrite()
        try self.store.noteRestored(numbers, in: collection)
    }

    package func trimJournal(
        of collection: String, keeping count: Int, reason: JournalEntry.Reason?
    ) throws(TidemarkError) {
        try self.countWrite()
        try self.store.trimJournal(of: collection, keeping: count, reason: reason)
    }

    package func eraseAll() throws(TidemarkError) {
        try self.countWrite()
        try self.store.eraseAll()
    }
}

// MARK: - Reading

extension FaultyStore {
    package func setting(_ key: String) throws(TidemarkError) -> String? { try self.store.setting(key) }

    package func collections() throws(TidemarkError) -> [String] { try self.store.collections() }

    package func state(of collection: String) throws(TidemarkError) -> CollectionState {
        try self.store.state(of: collection)
    }

    package func record(_ pk: String, in collection: String) throws(TidemarkError) -> StoredRecord? {
        try self.store.record(pk, in: collection)
    }

    package func record(named name: String, in collection: String) throws(TidemarkError) -> StoredRecord? {
        try self.store.record(named: name, in: collection)
    }

    package func records(
        in collection: String, states: Set<SyncState>, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [StoredRecord] {
        try self.store.records(in: collection, states: states, after: pk, limit: limit)
    }

    package func counts(in collection: String) throws(TidemarkError) -> [SyncState: Int] {
        try self.store.counts(in: collection)
    }

    package func recordsToSend(in collection: String, limit: Int) throws(TidemarkError) -> [StoredRecord] {
        try self.store.recordsToSend(in: collection, limit: limit)
    }

    package func unsettledRecords(in collection: String) throws(TidemarkError) -> [StoredRecord] {
        try self.store.unsettledRecords(in: collection)
    }

    package func waiting(in collection: String) throws(TidemarkError) -> StoredRecord.Waiting {
        try self.store.waiting(in: collection)
    }

    package func watchedRecords(
        in collection: String, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [StoredRecord] {
        try self.store.watchedRecords(in: collection, after: pk, limit: limit)
    }

    package func recordsNotInResync(
        in collection: String, resyncGeneration: Int64, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [StoredRecord] {
        try self.store.recordsNotInResync(in: collection, resyncGeneration: resyncGeneration, after: pk, limit: limit)
    }

    package func quarantinedItems(in collection: String) throws(TidemarkError) -> [QuarantinedItem] {
        try self.store.quarantinedItems(in: collection)
    }

    package func journal(of pk: String?, in collection: String) throws(TidemarkError) -> [StoredJournalEntry] {
        try self.store.journal(of: pk, in: collection)
    }

    package func lostByServer(in collection: String, limit: Int) throws(TidemarkError) -> Int {
        try self.store.lostByServer(in: collection, limit: limit)
    }

    package func append(_ removal: StoredRemoval, in collection: String) throws(TidemarkError) {
        try self.countWrite()
        try self.store.append(removal, in: collection)
    }

    package func removals(of pk: String, in collection: String) throws(TidemarkError) -> [StoredRemoval] {
        try self.store.removals(of: pk, in: collection)
    }

    package func trimRemovals(of collection: String, keeping count: Int) throws(TidemarkError) {
        try self.countWrite()
        try self.store.trimRemovals(of: collection, keeping: count)
    }

    package func close() { self.store.close() }
}

// MARK: - References

extension FaultyStore: ReferenceStore {
    /// Whether the store inside can find records by their references.
    var findsReferences: Bool { self.store is any ReferenceStore }

    private var references: any ReferenceStore {
        get throws(TidemarkError) {
            guard let store = self.store as? any ReferenceStore else {
                throw TidemarkError(
                    .invalidQuery,
                    "The configuration declares references, and this store can't find records by them. Remove "
                        + "CollectionRules.references, or simulate another store.")
            }
            return store
        }
    }

    package func replaceReferences(
        of pk: String, in collection: String, by references: RecordReferences
    ) throws(TidemarkError) -> RecordReferences {
        try self.countWrite()
        return try self.references.replaceReferences(of: pk, in: collection, by: references)
    }

    package func references(of pk: String, in collection: String) throws(TidemarkError) -> RecordReferences {
        try self.references.references(of: pk, in: collection)
    }

    package func recordsWithReferences(
        in collection: String, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [String] {
        try self.references.recordsWithReferences(in: collection, after: pk, limit: limit)
    }

    package func eraseReferences() throws(TidemarkError) {
        try self.countWrite()
        try self.references.eraseReferences()
    }

    package func recordsToSend(
        in collection: String, after sequence: Int64, limit: Int
    ) throws(TidemarkError) -> [StoredRecord] {
        try self.references.recordsToSend(in: collection, after: sequence, limit: limit)
    }

    package func waitingRecords(
        in collection: String, areAwaited: Bool, limit: Int
    ) throws(TidemarkError) -> [String] {
        try self.references.waitingRecords(in: collection, areAwaited: areAwaited, limit: limit)
    }

    package func hasRemovedNames(in collection: String) throws(TidemarkError) -> Bool {
        try self.references.hasRemovedNames(in: collection)
    }

    package func waits(of pk: String, in collection: String, limit: Int) throws(TidemarkError) -> [RecordWait] {
        try self.references.waits(of: pk, in: collection, limit: limit)
    }

    package func records(
        adding name: RecordName, in collection: String, limit: Int
    ) throws(TidemarkError) -> [String] {
        try self.references.records(adding: name, in: collection, limit: limit)
    }
}
