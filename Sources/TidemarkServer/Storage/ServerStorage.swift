/// Stores the server's rows: a small port, so that the same core works with different databases.
///
/// *Choose*: `SQLiteServerStorage` keeps everything in one file, or in memory, for one process; `PostgresServerStorage` in a
/// database that several processes share.
///
/// *Write your own*: every call is synchronous and comes from one caller at a time; all calls except ``ServerReader/epoch()``,
/// ``run()``, ``openReader()``, ``purge(before:limit:)`` and ``eraseRemoved(limit:)`` come inside ``transaction(_:)`` or
/// ``ServerReader/snapshot(_:)``. A storage decides nothing: the core decides on versions, conflicts and cursors. Strings are
/// equal if their code points are equal; data is stored byte for byte. A feed that a transaction has read does not change until
/// the transaction ends: if other processes can write as well, ``ServerReader/feed(account:collection:)`` and
/// ``openFeed(account:collection:)`` lock the feed within ``transaction(_:)``.
///
/// *Test it*: give it to a `ServerCore` and run the tests of the wire's rules, W1 to W10.
public protocol ServerStorage: ServerReader {
    /// Reads over the connection that writes. What ``ServerReader`` requires is forwarded to it; a storage that delays writes
    /// implements the calls that have to know them.
    var reader: any ServerReader { get }

    /// The name of this incarnation of the server: random and new each time the storage is opened (W8), that is, whenever
    /// the rows may differ from the rows before. Processes that share the rows may share an incarnation.
    func run() throws(ServerStorageError) -> String

    /// Opens another connection to the same rows, which can read while a transaction is open here.
    ///
    /// Nil if the storage has only one connection: then readers wait for the writer.
    func openReader() throws(ServerStorageError) -> sending (any ServerReader)?

    /// Copies the committed data while the storage is used; nil if the database's own tools do that.
    var backup: (any ServerBackup)? { get }

    /// Writes something, and removes it again, to find out whether writes succeed.
    func probeWrite() throws(ServerStorageError)

    /// Does all of `work` or nothing; the changes are on disk when this returns.
    ///
    /// A storage may delay writes until the next read or the commit. If a delayed write fails at the commit, it throws an error
    /// with ``ServerStorageError/isBeforeCommit``.
    func transaction<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome

    /// Announces the POSTs of the transaction that has begun. A storage that locks feeds can lock them here, in an order that
    /// all writers share; a remote storage can read all needed rows at once.
    ///
    /// - Parameters:
    ///   - posts: The POSTs.
    ///   - waits: Whether to wait for locks of other processes, up to the storage's lock timeout; if not, a held lock is
    ///     ``ServerStorageError/Code/busy`` at once.
    func expect(_ posts: [ExpectedPost], waits: Bool) throws(ServerStorageError)

    /// Whether an account was removed (``AccountStorage/removeAccount(_:)``). The answer holds until the transaction ends, so
    /// that a request that was authorized just before makes no new collection in a removed account.
    func isRemoved(account: String) throws(ServerStorageError) -> Bool

    /// The feed of an account's collection; it is made if there is none.
    func openFeed(account: String, collection: String) throws(ServerStorageError) -> ServerFeed

    /// Records that this incarnation assigns the versions of a feed from here on: all that are above `version`.
    func beginRun(after version: Int64, in feed: ServerFeed) throws(ServerStorageError)

    /// Replaces the row with this `pk`, sets the feed's last version to the row's, and stores ``ServerFeed/rows`` and
    /// ``ServerFeed/bytes`` from `feed`.
    func save(_ row: ServerRow, in feed: ServerFeed) throws(ServerStorageError)

    /// The kept answer to a request id (W4).
    func answer(to requestID: String, in feed: ServerFeed) throws(ServerStorageError) -> RememberedAnswer?

    /// Keeps an answer, with the time when it was given.
    func remember(_ answer: RememberedAnswer, at time: Int64, in feed: ServerFeed) throws(ServerStorageError)

    /// Deletes some of the tombstones and answers that are older than a time, in microseconds of the server's clock. It uses a
    /// separate transaction, so that other writers wait only briefly.
    ///
    /// If a feed lost a tombstone, its `horizon` becomes the newest lost version, and its `purges` becomes the larger of `time`
    /// and `purges + 1`: a number that grows, and that no purge of another history has.
    ///
    /// - Parameters:
    ///   - time: Rows and answers before this time are deleted.
    ///   - limit: About how many rows may be deleted.
    /// - Returns: How many were deleted; zero if nothing so old is left.
    func purge(before time: Int64, limit: Int) throws(ServerStorageError) -> ServerPurge

    /// Erases some of the data of removed accounts (``AccountStorage/removeAccount(_:)``), in a separate transaction.
    ///
    /// - Parameter limit: How many rows may be erased.
    /// - Returns: Whether there may be more.
    func eraseRemoved(limit: Int) throws(ServerStorageError) -> Bool
}

extension ServerStorage {
    /// The name of the history, from ``reader``.
    public func epoch() throws(ServerStorageError) -> String { try self.reader.epoch() }

    /// Runs `work` over one state of the database, in ``reader``.
    public func snapshot<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome { try self.reader.snapshot(work) }

    /// Runs `work` over one state of the database, in ``reader``.
    public func snapshot<Outcome>(
        expecting read: ExpectedRead, _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome { try self.reader.snapshot(expecting: read, work) }

    /// The feed of an account's collection, from ``reader``.
    public func feed(account: String, collection: String) throws(ServerStorageError) -> ServerFeed? {
        try self.reader.feed(account: account, collection: collection)
    }

    /// The feeds of an account, from ``reader``.
    public func feeds(
        account: String, limit: Int
    ) throws(ServerStorageError) -> [(collection: String, feed: ServerFeed)] {
        try self.reader.feeds(account: account, limit: limit)
    }

    /// The size of an account's data, from ``reader``.
    public func usage(of account: String) throws(ServerStorageError) -> AccountUsage {
        try self.reader.usage(of: account)
    }

    /// The incarnation that assigned a version, from ``reader``.
    public func run(of version: Int64, in feed: ServerFeed) throws(ServerStorageError) -> String? {
        try self.reader.run(of: version, in: feed)
    }

    /// The row of a record, or its tombstone, from ``reader``.
    public func row(_ pk: String, in feed: ServerFeed) throws(ServerStorageError) -> ServerRow? {
        try self.reader.row(pk, in: feed)
    }

    /// Visits the rows that are newer than a version, in ``reader``.
    public func rows(
        in feed: ServerFeed, after version: Int64, visit: (Span<UInt8>, Int64, Span<UInt8>?) -> Bool
    ) throws(ServerStorageError) { try self.reader.rows(in: feed, after: version, visit: visit) }

    /// Counts the rows that are newer than a version, in ``reader``.
    public func countRows(in feed: ServerFeed, after version: Int64) throws(ServerStorageError) -> Int64 {
        try self.reader.countRows(in: feed, after: version)
    }

    /// Whether ``reader`` is near.
    public var isNear: Bool { self.reader.isNear }

    /// The token with a digest, from ``reader``.
    public func token(ofDigest digest: String) throws(ServerStorageError) -> ServerToken? {
        try self.reader.token(ofDigest: digest)
    }

    /// Whether an account was ever added, from ``reader``.
    public func keepsAccounts() throws(ServerStorageError) -> Bool { try self.reader.keepsAccounts() }

    /// Commits a transaction without changes.
    public func probeWrite() throws(ServerStorageError) {
        try self.transaction { () throws(ServerStorageError) in }
    }

    /// No separate reader: only the writer reads.
    public func openReader() throws(ServerStorageError) -> sending (any ServerReader)? { nil }

    /// Does nothing: a transaction of such a storage is the only one.
    public func expect(_ posts: [ExpectedPost], waits: Bool) throws(ServerStorageError) {}

    /// False: a storage that keeps no accounts removes none.
    public func isRemoved(account: String) throws(ServerStorageError) -> Bool { false }

    /// False: a storage that keeps no accounts has no data of removed accounts.
    public func eraseRemoved(limit: Int) throws(ServerStorageError) -> Bool { false }

    /// Nil: the database's own tools make the backup.
    public var backup: (any ServerBackup)? { nil }
}

/// Copies a storage while it is used, on any thread.
public protocol ServerBackup: Sendable {
    /// Writes one state of the committed data to a new file, which is complete and on disk when this returns, or is not made.
    func write(to path: String) throws(ServerStorageError)
}

/// The feed of one account's collection: a sequence of versions that only grows.
public struct ServerFeed: Sendable, Hashable {
    /// The storage's number of the feed.
    public var id: Int64
    /// The account of the feed: a storage that is spread over several machines finds the rows by it.
    public var account: String
    /// The highest version that was ever assigned; 0 if none was.
    public var last: Int64
    /// The highest version of a tombstone that was purged; 0 if none was.
    public var horizon: Int64
    /// The number of the last purge that deleted a tombstone; 0 if none did.
    public var purges: Int64
    /// The incarnation that assigned the highest version; nil if there is no version, or it is from before incarnations were
    /// recorded.
    public var run: String?
    /// The number of records that are not deleted.
    public var rows: Int64
    /// The bytes of JSON in these records.
    public var bytes: Int64

    /// A feed from its parts.
    public init(
        id: Int64, account: String, last: Int64, horizon: Int64, purges: Int64, run: String? = nil, rows: Int64 = 0,
        bytes: Int64 = 0
    ) {
        self.id = id
        self.account = account
        self.last = last
        self.horizon = horizon
        self.purges = purges
        self.run = run
        self.rows = rows
        self.bytes = bytes
    }
}

/// One record as the server stores it.
public struct ServerRow: Sendable {
    /// The record's primary key.
    public var pk: String
    /// The version: microseconds of the server's clock, or one more than the last (Contract §5).
    public var updatedAt: Int64
    /// The JSON object, byte for byte; nil for a tombstone.
    public var data: [UInt8]?

    /// A row from its parts.
    public init(pk: String, updatedAt: Int64, data: [UInt8]?) {
        self.pk = pk
        self.updatedAt = updatedAt
        self.data = data
    }
}

/// The result of a purge.
public struct ServerPurge: Sendable, Hashable {
    /// The number of deleted tombstones.
    public var tombstones: Int
    /// The number of deleted answers.
    public var answers: Int

    /// A purge from its counts.
    public init(tombstones: Int, answers: Int) {
        self.tombstones = tombstones
        self.answers = answers
    }

    /// Whether nothing was deleted.
    var isEmpty: Bool { self.tombstones == 0 && self.answers == 0 }

    /// Adds the counts of another purge.
    static func += (sum: inout ServerPurge, portion: ServerPurge) {
        sum.tombstones += portion.tombstones
        sum.answers += portion.answers
    }
}
