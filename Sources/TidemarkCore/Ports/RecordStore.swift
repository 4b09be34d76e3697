public import TidemarkMachine
public import TidemarkRules

/// Where a client keeps its records.
///
/// **Choose.** `.sqlite(at:)` keeps them in a file and survives a power cut; `MemoryStore` of `TidemarkTesting` keeps
/// them as long as the process lives.
///
/// **Write your own.** Implement this protocol. A store decides nothing: it keeps what it is given, finds it again, and
/// makes a transaction whole or void. It is used from one thread at a time, and never from two clients.
///
/// - ``transaction(_:)`` is durable when it returns (SPEC §3.2): on disk, not only on its way there. When the body
///   throws, nothing of it stays. Transactions do not nest. Reads outside of one are allowed; every write is in one.
/// - A write that throws makes its transaction void: later writes and its end throw the same error.
/// - Names and pks compare by code point, not by Swift's `==` on `String`.
/// - Bytes come back as they were given.
/// - The work of ``recordsToSend(in:limit:)`` and ``unsettledRecords(in:)`` depends on how many records they return, not on how
///   many there are (SPEC §9). That of ``records(in:states:after:limit:)`` over states other than SYNCD depends on how many
///   records have changed, as long as these are few.
///
/// **Test it.** Run `StoreConformance` of `TidemarkTesting` on it.
public protocol RecordStore: AnyObject {
    /// Runs the body as one durable transaction.
    func transaction<Value>(_ body: () throws(TidemarkError) -> Value) throws(TidemarkError) -> Value

    // MARK: Settings

    /// A value that belongs to the store as a whole; nil when it was never set.
    func setting(_ key: String) throws(TidemarkError) -> String?

    /// Sets or (nil) removes a value that belongs to the store as a whole.
    func set(_ key: String, to value: String?) throws(TidemarkError)

    // MARK: Collections

    /// The names of the collections that have a row of any kind, in the order of their UTF-8 bytes.
    func collections() throws(TidemarkError) -> [String]

    /// What is kept of a collection besides its records; a fresh value for one that is not known.
    func state(of collection: String) throws(TidemarkError) -> CollectionState

    /// Keeps what there is of a collection besides its records.
    func save(_ state: CollectionState, of collection: String) throws(TidemarkError)

    /// Removes all that is kept of a collection: its records, its state, its items set aside, its journal and its removals.
    /// It is not known afterwards; nothing happens when it was not known before. Numbers of its journal are not given again.
    func erase(collection: String) throws(TidemarkError)

    // MARK: Records

    /// A record; nil when it is absent.
    func record(_ pk: String, in collection: String) throws(TidemarkError) -> StoredRecord?

    /// The record that the server has under a name of its own, ``StoredRecord/name``; nil where there is none. Of several, the
    /// first in the order of the UTF-8 bytes of their pk.
    func record(named name: String, in collection: String) throws(TidemarkError) -> StoredRecord?

    /// Inserts or replaces a record.
    func save(_ record: StoredRecord, in collection: String) throws(TidemarkError)

    /// Removes a record; nothing happens when there is none.
    func erase(_ pk: String, in collection: String) throws(TidemarkError)

    /// Records in the order of the UTF-8 bytes of their pk.
    ///
    /// - Parameters:
    ///   - states: Which states to list; all four for all records.
    ///   - pk: Where to go on: only records after this pk.
    ///   - limit: How many at most.
    func records(
        in collection: String, states: Set<SyncState>, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [StoredRecord]

    /// How many records there are of each state; a state without records is left out.
    func counts(in collection: String) throws(TidemarkError) -> [SyncState: Int]

    /// Records whose phase is idle (and not SYNCD), in the order of their ``StoredRecord/sequence``.
    func recordsToSend(in collection: String, limit: Int) throws(TidemarkError) -> [StoredRecord]

    /// Records whose phase is uploading or unconfirmed: those with fewer ``StoredRecord/failures`` first, then in the
    /// order of their ``StoredRecord/sequence``.
    func unsettledRecords(in collection: String) throws(TidemarkError) -> [StoredRecord]

    /// Records whose phase is deciding or held, in the order of their ``StoredRecord/sequence``.
    func waitingRecords(in collection: String) throws(TidemarkError) -> [StoredRecord]

    /// Records that have something in ``StoredRecord/watched``, in the order of the UTF-8 bytes of their pk.
    func watchedRecords(
        in collection: String, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [StoredRecord]

    // MARK: Pulling

    /// Takes in the rows of a page for every record that has no local change (absent or SYNCD, R10): a row becomes or
    /// replaces a SYNCD record, a tombstone removes it. Rows of other records are left alone and named.
    ///
    /// A row that is there already, byte for byte at the same version, does not count as changed. A row that replaces a record
    /// replaces its ``StoredRecord/confirmed`` alone. Every record that a
    /// row names gets ``StoredRecord/listing`` set to `listing`, whether it changed or not; also records left alone.
    ///
    /// A row with a server's own name (``FeedPage/Row/name``) is about the record of that name, whatever its pk, and where there
    /// is none about the record of its pk. Every record that such a row is about gets the name, also one that is left alone; a
    /// tombstone names nothing. Where the record of its pk has another name, two records of the server have one pk: the row is
    /// about neither, nothing is done with it, and it is named as ``PageOutcome/contested``; a tombstone is passed over.
    ///
    /// - Parameter listing: The number of the present listing from the start, ``CollectionState/listing``.
    func refresh(_ page: FeedPage, in collection: String, listing: Int64) throws(TidemarkError) -> PageOutcome

    /// Records that were not listed: their ``StoredRecord/listing`` is below `listing`. In the order of the UTF-8 bytes
    /// of their pk (SPEC §6).
    func unlistedRecords(
        in collection: String, listing: Int64, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [StoredRecord]

    // MARK: Items set aside

    /// Feed items that made no sense and were set aside (SPEC §3.5), in the order of the UTF-8 bytes of their pk.
    func itemsSetAside(in collection: String) throws(TidemarkError) -> [ItemSetAside]

    /// Keeps or replaces (by pk) an item that was set aside.
    func setAside(_ item: ItemSetAside, in collection: String) throws(TidemarkError)

    /// Forgets an item that was set aside, since a newer version came.
    func clearAside(_ pk: String, in collection: String) throws(TidemarkError)

    // MARK: Journal

    /// Adds an entry, gives it the next number, and returns that: 1, 2, 3, … in the whole store, never used twice.
    func append(_ entry: StoredJournalEntry, in collection: String) throws(TidemarkError) -> Int64

    /// Forgets all but the newest entries of a collection. Numbers that were given are not given again.
    func trimJournal(of collection: String, keeping count: Int) throws(TidemarkError)

    /// Entries from the oldest to the newest: of one record, or of the whole collection.
    func journal(of pk: String?, in collection: String) throws(TidemarkError) -> [StoredJournalEntry]

    // MARK: Removals

    /// Keeps a removal that the server confirmed. It takes the place of a former one of the same pk and path.
    func append(_ removal: StoredRemoval, in collection: String) throws(TidemarkError)

    /// The removals of a record, from the oldest to the newest.
    func removals(of pk: String, in collection: String) throws(TidemarkError) -> [StoredRemoval]

    /// Forgets all but the newest removals of a collection.
    func trimRemovals(of collection: String, keeping count: Int) throws(TidemarkError)

    // MARK: The end

    /// Removes everything: settings, collections, records, items set aside, journal, removals. Within a transaction, as every write.
    ///
    /// What was there can't be read from where it was kept once the store is closed, as far as the medium allows that.
    func eraseAll() throws(TidemarkError)

    /// Gives back what the store holds of the system, such as files and locks, before it returns. The store is not used
    /// again.
    func close()
}

extension RecordStore {
    /// A store that holds nothing of the system has nothing to give back.
    public func close() {}
}

/// What is kept of a collection besides its records.
public struct CollectionState: Hashable, Sendable {
    /// `max_updated_at`: where the server's feed was read to; nil before the first page (SPEC §1).
    public var watermark: String?

    /// The newest token that an answer brought, where the watermark is not moved to it: each request names it too, so that the
    /// server refuses the request if it has lost the state of that answer (W8). Nil where the watermark is the newest, and for a
    /// server that does not judge it (``RemoteCapabilities/judgesSeen``).
    public var seen: String?

    /// The number of the present listing from the start; it grows with each full resync (SPEC §6).
    public var listing: Int64

    /// Whether a full resync is under way, so that what is not listed at its end is gone.
    public var isListing: Bool

    /// How often the present page brought items that make no sense.
    public var malformedTries: Int

    /// When everything was last begun to be read from the start, counted from 1970-01-01T00:00:00Z, to the microsecond; nil where
    /// that is not known. For a server that forgets deletions without saying so (SPEC §12); no other needs it.
    public var listedAt: Duration?

    /// Makes the state of a collection that was never synced.
    public init(
        watermark: String? = nil, seen: String? = nil, listing: Int64 = 0, isListing: Bool = false,
        malformedTries: Int = 0, listedAt: Duration? = nil
    ) {
        self.watermark = watermark
        self.seen = seen
        self.listing = listing
        self.isListing = isListing
        self.malformedTries = malformedTries
        self.listedAt = listedAt
    }
}

/// What became of the rows of a page.
public struct PageOutcome: Hashable, Sendable {
    /// Indices of rows that changed, made or removed a record.
    public var changed: [Int]

    /// Indices of rows whose record has local changes; they were left alone.
    public var left: [Int]

    /// The pks of the records that rows were found to be about by the server's own name, by the index of the row, where
    /// they are not the rows' own.
    public var pks: [Int: String]

    /// Indices of rows that have the pk of a record to which the server gave another name; nothing was done with them.
    public var contested: [Int]

    /// Makes an outcome.
    public init(changed: [Int], left: [Int], pks: [Int: String] = [:], contested: [Int] = []) {
        self.changed = changed
        self.left = left
        self.pks = pks
        self.contested = contested
    }
}

/// A feed item that made no sense.
public struct ItemSetAside: Hashable, Sendable {
    /// The pk, or a name for the item when it has none.
    public var pk: String

    /// What was wrong with it, for a person.
    public var reason: String

    /// Makes an item.
    public init(pk: String, reason: String) {
        self.pk = pk
        self.reason = reason
    }
}
