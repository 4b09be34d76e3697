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
    /// - Parameter listing: The number of the full resync that is running, or was last, ``CollectionState/listing``.
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

    /// Notes that what these entries of a collection say was brought back, ``StoredJournalEntry/isRestored``. A number that no entry
    /// has is passed over.
    func noteRestored(_ numbers: [Int64], in collection: String) throws(TidemarkError)

    /// How many entries of a collection are about what a server lost, ``JournalEntry/Reason/serverWentBack``, and were not brought
    /// back. It is asked with each entry that is added: the work must not depend on how many entries there are beyond the limit.
    ///
    /// - Parameter limit: How many are counted at most.
    func lostByServer(in collection: String, limit: Int) throws(TidemarkError) -> Int

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
    /// A full resync: the feed is read from its start, and what it does not list by its end is gone (SPEC §6).
    public struct Resync: Hashable, Sendable {
        /// Why the feed is read from its start.
        /// The later the case, the more is in doubt.
        public enum Reason: String, CaseIterable, Hashable, Sendable {
            /// Asked for here: a damaged record was resigned, or the last listing is too old for a server that forgets deletions
            /// without saying so. Nothing that was sent is in doubt.
            case wanted

            /// The server does not know the cursor any more, or lists everything by itself.
            case historyLost = "history-lost"

            /// The server was rolled back: what it had confirmed may be lost, and is journalled (I1).
            case rollback
        }

        /// Why.
        public var reason: Reason

        /// Whether its first page was applied. Until then the only request is a GET without a cursor.
        public var isRunning: Bool

        /// Makes a full resync that is requested, or one that is running.
        public init(_ reason: Reason, isRunning: Bool = false) {
            self.reason = reason
            self.isRunning = isRunning
        }
    }

    /// `max_updated_at`: where the server's feed was read to; nil before the first page (SPEC §1).
    public var watermark: String?

    /// The newest token that an answer brought, where the watermark is not moved to it: each request names it too, so that the
    /// server refuses the request if it has lost the state of that answer (W8). Nil where the watermark is the newest, and for a
    /// server that does not judge it (``RemoteCapabilities/judgesSeen``).
    public var seen: String?

    /// The history of the server that the watermark belongs to; nil before the first answer (W8).
    public var epoch: String?

    /// The full resync that is requested or running; nil where there is none.
    public var resync: Resync?

    /// That the server refused the watermark or the newest token, until an answer shows that our account was meant; nil where it
    /// did not. Another account's server refuses ours just so, and then everything else here is as it was.
    public var claim: Resync.Reason?

    /// The number of the last full resync whose first page was applied (SPEC §6).
    public var listing: Int64

    /// How often the present page brought items that make no sense.
    public var malformedTries: Int

    /// When everything was last begun to be read from the start, counted from 1970-01-01T00:00:00Z, to the microsecond; nil where
    /// that is not known. For a server that forgets deletions without saying so (SPEC §12); no other needs it.
    public var listedAt: Duration?

    /// When a sync last came to its end with everything in step, counted from 1970-01-01T00:00:00Z, to the microsecond; nil before.
    public var lastInStep: Duration?

    /// What the exchange keeps in mind of what went wrong, as JSON text; nil where all is well. A store does not read it.
    public var trouble: String?

    /// Makes the state of a collection that was never synced.
    public init(
        watermark: String? = nil, seen: String? = nil, epoch: String? = nil, resync: Resync? = nil,
        claim: Resync.Reason? = nil, listing: Int64 = 0, malformedTries: Int = 0, listedAt: Duration? = nil,
        lastInStep: Duration? = nil, trouble: String? = nil
    ) {
        self.watermark = watermark
        self.seen = seen
        self.epoch = epoch
        self.resync = resync
        self.claim = claim
        self.listing = listing
        self.malformedTries = malformedTries
        self.listedAt = listedAt
        self.lastInStep = lastInStep
        self.trouble = trouble
    }

    /// Whether a full resync is claimed, requested or running, so that no edit is sent.
    package var isResyncing: Bool { self.claim != nil || self.resync != nil }

    /// Whether the next request reads the feed from its start.
    public var startsOver: Bool { self.claim != nil || self.resync?.isRunning == false }

    /// Requests a full resync. It takes the place of one that is requested or running, whose reason holds if more is in doubt by it.
    mutating func request(_ reason: Resync.Reason) {
        self.resync = Resync(Resync.Reason.graver(reason, self.resync?.reason))
        self.malformedTries = 0
    }

    /// The server refused what the request named.
    mutating func claim(_ reason: Resync.Reason) {
        self.claim = Resync.Reason.graver(reason, self.claim)
    }

    /// Our account was meant.
    mutating func confirmClaim() {
        guard let claim = self.claim else { return }
        self.claim = nil
        self.request(claim)
    }
}

extension CollectionState.Resync.Reason {
    fileprivate static func graver(_ one: Self, _ other: Self?) -> Self {
        Self.allCases.last { $0 == one || $0 == other } ?? one
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
