/// Where the server keeps its rows: a small port, so that another database can stand behind the same core.
///
/// *Choose*: `SQLiteServerStorage` keeps everything in one file, or in memory, for one process; `PostgresServerStorage` in a
/// database that several processes share.
///
/// *Write your own*: every call is synchronous and comes from one caller at a time; calls but ``ServerReader/epoch()``,
/// ``run()``, ``openReader()``, ``purge(before:limit:)`` and ``eraseRemoved(limit:)`` come inside ``transaction(_:)`` or ``ServerReader/snapshot(_:)``. A
/// storage decides nothing: versions, conflicts and watermarks are the core's. Strings are equal when their code points are;
/// data is kept byte for byte. What a transaction has read of a feed stays so until its end: where others can write as well,
/// ``ServerReader/feed(account:collection:)`` and ``openFeed(account:collection:)`` lock it within ``transaction(_:)``.
///
/// *Test it*: give it to a `ServerCore` and run the tests of the wire's rules, W1 to W10.
public protocol ServerStorage: ServerReader {
    /// The name of this run of the server, random and made anew each time the storage is opened (SPEC W8): whenever the rows may
    /// be other ones than before. Processes that share them may share a run.
    func run() throws(ServerStorageError) -> String

    /// Opens one more way to the same rows, which reads while a transaction is open here.
    ///
    /// Nil where there is none: then whoever reads waits for who writes.
    func openReader() throws(ServerStorageError) -> sending (any ServerReader)?

    /// A way to copy all that is committed while the storage is used; nil where the database's own tools do that.
    var backup: (any ServerBackup)? { get }

    /// Does all of `work` or nothing; what it did is on disk when this returns.
    func transaction<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome

    /// Says what the transaction that has begun will be about: one that locks feeds can do it here, in an order that is the same for
    /// all who write, and one that is far away can read at once what will be asked for.
    ///
    /// - Parameters:
    ///   - posts: What it will be about.
    ///   - waits: Whether to wait, as long as the storage does, for what somebody else holds; else that is ``ServerStorageError/Code/busy``
    ///     at once.
    func expect(_ posts: [ExpectedPost], waits: Bool) throws(ServerStorageError)

    /// Carries out what was written in the transaction, or fails: a storage may wait with it until something is read, or until the
    /// commit, but who failed has to be known before that.
    func settle() throws(ServerStorageError)

    /// Whether an account was removed (``AccountStorage/removeAccount(_:)``), and stays so until the transaction ends: who was let in
    /// a moment before makes no new collection in it.
    func isRemoved(account: String) throws(ServerStorageError) -> Bool

    /// The feed of an account's collection, made where there is none.
    func openFeed(account: String, collection: String) throws(ServerStorageError) -> ServerFeed

    /// Notes that this run gives out the versions of a feed from here on: all that are above `version`.
    func beginRun(after version: Int64, in feed: ServerFeed) throws(ServerStorageError)

    /// Puts a row in the place of the one with its `pk`, and takes its version as the feed's last, and its ``ServerFeed/rows`` and
    /// ``ServerFeed/bytes`` as they are in `feed`.
    func save(_ row: ServerRow, in feed: ServerFeed) throws(ServerStorageError)

    /// What was answered to a request id (SPEC W4).
    func answer(to requestID: String, in feed: ServerFeed) throws(ServerStorageError) -> RememberedAnswer?

    /// Keeps an answer, stamped with the time it was given.
    func remember(_ answer: RememberedAnswer, at time: Int64, in feed: ServerFeed) throws(ServerStorageError)

    /// Forgets tombstones and answers that are older than a time, in microseconds of the server's clock: some of them, in a
    /// transaction of its own, so that nobody waits long behind it.
    ///
    /// A feed that lost a tombstone has its `horizon` moved to the newest one it lost, and its `purges` to `time`, or one
    /// further where that is more: a number that grows, and that no purge of another history has, too.
    ///
    /// - Parameters:
    ///   - time: What is older goes.
    ///   - limit: About how many rows may be taken away.
    /// - Returns: What was taken away; nothing when nothing so old is left.
    func purge(before time: Int64, limit: Int) throws(ServerStorageError) -> ServerPurge

    /// Erases some of what removed accounts left (``AccountStorage/removeAccount(_:)``), in a transaction of its own.
    ///
    /// - Parameter limit: How many rows may be taken away.
    /// - Returns: Whether there may be more.
    func eraseRemoved(limit: Int) throws(ServerStorageError) -> Bool
}

extension ServerStorage {
    /// No reader beside the writer.
    public func openReader() throws(ServerStorageError) -> sending (any ServerReader)? { nil }

    /// Nothing is done: whoever has a transaction of it is alone.
    public func expect(_ posts: [ExpectedPost], waits: Bool) throws(ServerStorageError) {}

    /// Nothing is left to do: what is written is carried out at once.
    public func settle() throws(ServerStorageError) {}

    /// A storage without accounts of its own removes none.
    public func isRemoved(account: String) throws(ServerStorageError) -> Bool { false }

    /// A storage without accounts of its own has nothing of removed ones.
    public func eraseRemoved(limit: Int) throws(ServerStorageError) -> Bool { false }

    /// No backup but by the database's own tools.
    public var backup: (any ServerBackup)? { nil }
}

/// Copies a storage beside whoever uses it, on any thread.
public protocol ServerBackup: Sendable {
    /// Writes one state of everything that is committed to a new file, which is whole and on disk when this returns, or not there.
    func write(to path: String) throws(ServerStorageError)
}

/// One account's collection: a line of versions that only grows.
public struct ServerFeed: Sendable, Hashable {
    /// The storage's own number for it.
    public var id: Int64
    /// Whose it is: a storage that is spread over several machines finds the rows by it.
    public var account: String
    /// The highest version that was ever given out; 0 where none was.
    public var last: Int64
    /// The highest version of a tombstone that was purged; 0 where none was.
    public var horizon: Int64
    /// The number of the last purge that took something away; 0 where none did.
    public var purges: Int64
    /// The run that gave out the highest version; nil where none was, or before runs were noted.
    public var run: String?
    /// How many records it has that are not deleted.
    public var rows: Int64
    /// How many bytes of JSON are in them.
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

/// One record as the server has it.
public struct ServerRow: Sendable {
    /// The record's name.
    public var pk: String
    /// The version: microseconds of the server's clock, or one more than the last (SPEC §5).
    public var updatedAt: Int64
    /// The JSON object, byte for byte; nil in a tombstone.
    public var data: [UInt8]?

    /// A row from its parts.
    public init(pk: String, updatedAt: Int64, data: [UInt8]?) {
        self.pk = pk
        self.updatedAt = updatedAt
        self.data = data
    }
}

/// What a purge took away.
public struct ServerPurge: Sendable, Hashable {
    /// How many tombstones.
    public var tombstones: Int
    /// How many remembered answers.
    public var answers: Int

    /// A purge from its counts.
    public init(tombstones: Int, answers: Int) {
        self.tombstones = tombstones
        self.answers = answers
    }

    /// Whether nothing was taken away.
    var isEmpty: Bool { self.tombstones == 0 && self.answers == 0 }

    /// Both purges.
    static func += (sum: inout ServerPurge, portion: ServerPurge) {
        sum.tombstones += portion.tombstones
        sum.answers += portion.answers
    }
}
