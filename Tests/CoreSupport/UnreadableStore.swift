import Synchronization
package import TidemarkCore
package import TidemarkMachine
package import TidemarkRules
import TidemarkTesting

/// A disk under a store, whose failures the test switches on and off.
package final class Disk: Sendable {
    private let failure = Mutex<TidemarkError?>(nil)
    private let counter = Mutex(0)

    /// How often records were read that the reader did not name.
    package var scans: Int { self.counter.withLock { $0 } }

    fileprivate func countScan() { self.counter.withLock { $0 += 1 } }

    package init() {}

    package func fail(with error: TidemarkError?) {
        self.failure.withLock { $0 = error }
    }

    fileprivate func check() throws(TidemarkError) {
        if let error = self.failure.withLock({ $0 }) { throw error }
    }
}

/// A store whose records can't be read while its disk fails. It has no indexes, and does not find records by their references.
package final class UnreadableStore: CopyableStore {
    private let store: MemoryStore
    private let disk: Disk

    package convenience init(on disk: Disk) { self.init(MemoryStore(), on: disk) }

    private init(_ store: MemoryStore, on disk: Disk) { (self.store, self.disk) = (store, disk) }

    package func copy() -> UnreadableStore { UnreadableStore(self.store.copy(), on: self.disk) }

    package func record(_ pk: String, in collection: String) throws(TidemarkError) -> StoredRecord? {
        try self.disk.check()
        return try self.store.record(pk, in: collection)
    }

    package func records(
        in collection: String, states: Set<SyncState>, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [StoredRecord] {
        try self.disk.check()
        self.disk.countScan()
        return try self.store.records(in: collection, states: states, after: pk, limit: limit)
    }

    package func counts(in collection: String) throws(TidemarkError) -> [SyncState: Int] {
        try self.disk.check()
        return try self.store.counts(in: collection)
    }

    // MARK: Forwarded unchanged

    package func transaction<Value>(_ body: () throws(TidemarkError) -> Value) throws(TidemarkError) -> Value {
        try self.store.transaction(body)
    }

    package func setting(_ key: String) throws(TidemarkError) -> String? { try self.store.setting(key) }

    package func set(_ key: String, to value: String?) throws(TidemarkError) { try self.store.set(key, to: value) }

    package func collections() throws(TidemarkError) -> [String] { try self.store.collections() }

    package func state(of collection: String) throws(TidemarkError) -> CollectionState {
        try self.store.state(of: collection)
    }

    package func save(_ state: CollectionState, of collection: String) throws(TidemarkError) {
        try self.store.save(state, of: collection)
    }

    package func erase(collection: String) throws(TidemarkError) { try self.store.erase(collection: collection) }

    package func record(named name: String, in collection: String) throws(TidemarkError) -> StoredRecord? {
        try self.store.record(named: name, in: collection)
    }

    package func watchedRecords(
        in collection: String, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [StoredRecord] {
        try self.store.watchedRecords(in: collection, after: pk, limit: limit)
    }

    package func save(_ record: StoredRecord, in collection: String) throws(TidemarkError) {
        try self.store.save(record, in: collection)
    }

    package func erase(_ pk: String, in collection: String) throws(TidemarkError) {
        try self.store.erase(pk, in: collection)
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

    package func refresh(_ page: FeedPage, in collection: String, resyncGeneration: Int64) throws(TidemarkError)
        -> PageOutcome
    {
        try self.store.refresh(page, in: collection, resyncGeneration: resyncGeneration)
    }

    package func recordsNotInResync(
        in collection: String, resyncGeneration: Int64, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [StoredRecord] {
        try self.store.recordsNotInResync(in: collection, resyncGeneration: resyncGeneration, after: pk, limit: limit)
    }

    package func quarantinedItems(in collection: String) throws(TidemarkError) -> [QuarantinedItem] {
        try self.store.quarantinedItems(in: collection)
    }

    package func quarantine(_ item: QuarantinedItem, in collection: String) throws(TidemarkError) {
        try self.store.quarantine(item, in: collection)
    }

    package func clearQuarantine(_ pk: String, in collection: String) throws(TidemarkError) {
        try self.store.clearQuarantine(pk, in: collection)
    }

    package func append(_ entry: StoredJournalEntry, in collection: String) throws(TidemarkError) -> Int64 {
        try self.store.append(entry, in: collection)
    }

    package func noteRestored(_ numbers: [Int64], in collection: String) throws(TidemarkError) {
        try self.store.noteRestored(numbers, in: collection)
    }

    package func lostByServer(in collection: String, limit: Int) throws(TidemarkError) -> Int {
        try self.store.lostByServer(in: collection, limit: limit)
    }

    package func trimJournal(
        of collection: String, keeping count: Int, reason: JournalEntry.Reason?
    ) throws(TidemarkError) {
        try self.store.trimJournal(of: collection, keeping: count, reason: reason)
    }

    package func journal(of pk: String?, in collection: String) throws(TidemarkError) -> [StoredJournalEntry] {
        try self.store.journal(of: pk, in: collection)
    }

    package func append(_ removal: StoredRemoval, in collection: String) throws(TidemarkError) {
        try self.store.append(removal, in: collection)
    }

    package func removals(of pk: String, in collection: String) throws(TidemarkError) -> [StoredRemoval] {
        try self.store.removals(of: pk, in: collection)
    }

    package func trimRemovals(of collection: String, keeping count: Int) throws(TidemarkError) {
        try self.store.trimRemovals(of: collection, keeping: count)
    }

    package func eraseAll() throws(TidemarkError) { try self.store.eraseAll() }
}
