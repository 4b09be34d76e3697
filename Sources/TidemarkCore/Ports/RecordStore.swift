public import TidemarkMachine
public import TidemarkRules

/// Storage for the records of a client.
///
/// **Choose.** `.sqlite(at:)` keeps records in a file and survives a power cut; `MemoryStore` of `TidemarkTesting` keeps
/// them until the process ends.
///
/// **Write your own.** Implement this protocol. A store decides nothing: it saves and finds data, and commits or rolls
/// back a transaction as a whole. It is used from one thread at a time, and never from two clients.
///
/// - ``transaction(_:)`` is durable when it returns (Contract §3.2): on disk, not in a write cache. If the body throws, the
///   transaction is rolled back. Transactions do not nest. Reads outside a transaction are allowed; every write is in one.
/// - A write that throws makes its transaction fail: later writes and the commit throw the same error.
/// - Names and pks compare by code point, not by Swift's `==` on `String`.
/// - Bytes are returned exactly as they were saved.
/// - The cost of ``recordsToSend(in:limit:)`` and ``unsettledRecords(in:)`` depends on the number of records that they return,
///   not on the number of all records (Contract §9). The cost of ``records(in:states:after:limit:)`` for states other than SYNCD
///   depends on the number of changed records, while these are few.
///
/// **Test it.** Run `StoreConformance` of `TidemarkTesting` on your store.
public protocol RecordStore: AnyObject {
    /// Runs the body as one durable transaction.
    func transaction<Value>(_ body: () throws(TidemarkError) -> Value) throws(TidemarkError) -> Value

    // MARK: Settings

    /// Returns a setting of the whole store; nil if it was never set.
    func setting(_ key: String) throws(TidemarkError) -> String?

    /// Sets a setting of the whole store, or removes it (nil).
    func set(_ key: String, to value: String?) throws(TidemarkError)

    // MARK: Collections

    /// The names of the collections that have a row of any kind, in the order of their UTF-8 bytes.
    func collections() throws(TidemarkError) -> [String]

    /// Returns the state of a collection, without its records; a fresh value for an unknown collection.
    func state(of collection: String) throws(TidemarkError) -> CollectionState

    /// Saves the state of a collection.
    func save(_ state: CollectionState, of collection: String) throws(TidemarkError)

    /// Removes all data of a collection: its records, its state, its quarantined items, its journal and its removals. The
    /// collection is unknown afterwards; an unknown collection is not an error. The numbers of its journal are not used again.
    func erase(collection: String) throws(TidemarkError)

    /// Removes rows of erased collections from the file. A store may leave them to this function, if no other one can read them;
    /// by default there are none.
    ///
    /// - Parameter limit: How many rows at most.
    /// - Returns: Whether there may be more of them.
    func removeErased(limit: Int) throws(TidemarkError) -> Bool

    // MARK: Records

    /// Returns a record; nil if it is absent.
    func record(_ pk: String, in collection: String) throws(TidemarkError) -> StoredRecord?

    /// Returns the record to which the server gave a name, ``StoredRecord/name``, or nil. Of several, the first
    /// in the order of the UTF-8 bytes of their pk.
    func record(named name: String, in collection: String) throws(TidemarkError) -> StoredRecord?

    /// Inserts or replaces a record.
    func save(_ record: StoredRecord, in collection: String) throws(TidemarkError)

    /// Removes a record; an absent record is not an error.
    func erase(_ pk: String, in collection: String) throws(TidemarkError)

    /// Returns records in the order of the UTF-8 bytes of their pk.
    ///
    /// - Parameters:
    ///   - states: The states to include; all four for all records.
    ///   - pk: Only records after this pk are returned.
    ///   - limit: The maximum number of records.
    func records(
        in collection: String, states: Set<SyncState>, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [StoredRecord]

    /// Returns the number of records in each state; a state without records is left out.
    func counts(in collection: String) throws(TidemarkError) -> [SyncState: Int]

    /// Returns the records whose phase is idle (and not SYNCD), in the order of their ``StoredRecord/sequence``.
    func recordsToSend(in collection: String, limit: Int) throws(TidemarkError) -> [StoredRecord]

    /// Returns the records whose phase is uploading or unconfirmed: those with fewer ``StoredRecord/failures`` first, then in
    /// the order of their ``StoredRecord/sequence``.
    func unsettledRecords(in collection: String) throws(TidemarkError) -> [StoredRecord]

    /// Returns which records wait for a decision or are held, each in the order of their ``StoredRecord/sequence``. It is called
    /// for each status.
    func waiting(in collection: String) throws(TidemarkError) -> StoredRecord.Waiting

    /// Returns the records with a ``StoredRecord/watched`` value, in the order of the UTF-8 bytes of their pk.
    func watchedRecords(
        in collection: String, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [StoredRecord]

    // MARK: Pulling

    /// Applies the rows of a page to every record that has no local change (absent or SYNCD, R10): a row creates or replaces a
    /// SYNCD record, a tombstone removes it. Rows of other records are not applied, and are reported.
    ///
    /// A row that is stored already, with the same bytes and version, does not count as changed. A row that replaces a record
    /// replaces only its ``StoredRecord/confirmed``. Every record that a row names gets ``StoredRecord/resyncGeneration`` set to
    /// `resyncGeneration`, whether it changed or not, and also if its row is not applied.
    ///
    /// A row with a name from the server (``FeedPage/Row/name``) belongs to the record with that name, whatever its pk; if no
    /// record has that name, to the record with its pk. Every such record gets the name, also if its row is not applied; a
    /// tombstone sets no name. If the record with its pk has another name, two records of the server have the same pk: the row
    /// belongs to neither, it is not applied, and it is reported as ``PageOutcome/contested``; a tombstone is skipped.
    ///
    /// - Parameter resyncGeneration: The number of the full resync that is running, or ran last,
    ///   ``CollectionState/resyncGeneration``.
    func refresh(_ page: FeedPage, in collection: String, resyncGeneration: Int64) throws(TidemarkError) -> PageOutcome

    /// Returns the records that a full resync did not contain: their ``StoredRecord/resyncGeneration`` is below
    /// `resyncGeneration`. In the order of the UTF-8 bytes of their pk (Contract §6).
    func recordsNotInResync(
        in collection: String, resyncGeneration: Int64, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [StoredRecord]

    // MARK: Quarantined items

    /// Returns the malformed feed items that were quarantined (Contract §3.5), in the order of the UTF-8 bytes of their pk.
    func quarantinedItems(in collection: String) throws(TidemarkError) -> [QuarantinedItem]

    /// Saves or replaces (by pk) a quarantined item.
    func quarantine(_ item: QuarantinedItem, in collection: String) throws(TidemarkError)

    /// Removes a quarantined item, because a newer version arrived.
    func clearQuarantine(_ pk: String, in collection: String) throws(TidemarkError)

    // MARK: Journal

    /// Adds an entry, and returns its new number: 1, 2, 3, … in the whole store, never used twice.
    func append(_ entry: StoredJournalEntry, in collection: String) throws(TidemarkError) -> Int64

    /// Removes all but the newest entries of a collection: those with a reason, or all if `reason` is nil. Their numbers are not
    /// used again.
    func trimJournal(of collection: String, keeping count: Int, reason: JournalEntry.Reason?) throws(TidemarkError)

    /// Returns entries from the oldest to the newest: of one record, or of the whole collection.
    func journal(of pk: String?, in collection: String) throws(TidemarkError) -> [StoredJournalEntry]

    /// Marks entries of a collection as restored, ``StoredJournalEntry/isRestored``. A number without an entry is skipped.
    func noteRestored(_ numbers: [Int64], in collection: String) throws(TidemarkError)

    /// Returns the number of entries of a collection for values that a server lost, ``JournalEntry/Reason/serverRolledBack``, and
    /// that were not restored. It is called for each entry that is added: its cost must not depend on the number of entries
    /// beyond the limit.
    ///
    /// - Parameter limit: The maximum that is counted.
    func lostByServer(in collection: String, limit: Int) throws(TidemarkError) -> Int

    // MARK: Removals

    /// Saves a removal that the server confirmed. It replaces an earlier removal of the same pk and path.
    func append(_ removal: StoredRemoval, in collection: String) throws(TidemarkError)

    /// Returns the removals of a record, from the oldest to the newest.
    func removals(of pk: String, in collection: String) throws(TidemarkError) -> [StoredRemoval]

    /// Removes all but the newest removals of a collection.
    func trimRemovals(of collection: String, keeping count: Int) throws(TidemarkError)

    // MARK: The end

    /// Removes all data: settings, collections, records, quarantined items, journal, removals. Within a transaction, as every
    /// write.
    ///
    /// After the store is closed, the removed data can't be read from the medium any more, as far as the medium allows that.
    func eraseAll() throws(TidemarkError)

    /// Releases the system resources of the store, such as files and locks, before it returns. The store is not used again.
    func close()

    /// Releases the system resources for a while: in a short time, whatever the size of the store. Outside of a transaction. The store
    /// is not used again, and its data is kept.
    ///
    /// - Returns: Opens a store over the same data; a second call tries again after a failure. It throws
    ///   ``TidemarkError/Code/storeBusy`` if another client has the store open, and ``TidemarkError/Code/storeUnavailable`` if the
    ///   data is no longer in its place. Other clients may have written to the store in between, or erased its data.
    /// - Throws: The errors of the store; then nothing was released.
    func suspend() throws(TidemarkError) -> () throws(TidemarkError) -> any RecordStore
}

extension RecordStore {
    /// Does nothing: for a store without system resources.
    public func close() {}

    /// Releases nothing: for a store without system resources.
    public func suspend() throws(TidemarkError) -> () throws(TidemarkError) -> any RecordStore {
        { () throws(TidemarkError) in self }
    }

    /// Does nothing: for a store that removes all rows of a collection at once.
    public func removeErased(limit: Int) throws(TidemarkError) -> Bool { false }
}

/// The result of applying the rows of a page.
public struct PageOutcome: Hashable, Sendable {
    /// Indices of rows that changed, created or removed a record.
    public var changed: [Int]

    /// Indices of rows whose record has local changes; these rows were not applied.
    public var left: [Int]

    /// The pks of the records that were found by the server's name, by the index of the row, if they differ from the pk of the
    /// row.
    public var pks: [Int: String]

    /// Indices of rows with the pk of a record to which the server gave another name; these rows were not applied.
    public var contested: [Int]

    /// Makes an outcome.
    public init(changed: [Int], left: [Int], pks: [Int: String] = [:], contested: [Int] = []) {
        self.changed = changed
        self.left = left
        self.pks = pks
        self.contested = contested
    }
}

/// A malformed item of the server's feed, which is quarantined; in ``SyncStatus/Collection/held`` also a held record.
public struct QuarantinedItem: Hashable, Sendable {
    /// The pk, or a name for an item without a pk.
    public var pk: String

    /// Why it is malformed or held, as a text for the user.
    public var reason: String

    /// The hold of a held record (``SyncStatus/Collection/held``), which has the cause as a code. Nil for a malformed item of the
    /// server; a store saves only such items.
    public var hold: RecordHold?

    /// Makes an item.
    public init(pk: String, reason: String, hold: RecordHold? = nil) {
        self.pk = pk
        self.reason = reason
        self.hold = hold
    }
}
