public import TidemarkServer

/// The server's rows in a PostgreSQL database, which any number of server processes share.
///
/// A transaction that writes to a collection of an account locks the row of its feed until the commit, so the order of commits
/// is the order of versions, whatever the clocks of the processes are (W3). A storage writes over one connection, so a
/// process writes one group of POSTs after the other; processes wait for each other only if they write to the same feed.
///
/// ```swift
/// let storage = try PostgresServerStorage(PostgresAddress("postgresql://tidemark@db.example/tidemark"))
/// ```
public final class PostgresServerStorage: ServerStorage {
    let session: PostgresSession
    let rowReader: PostgresServerReader
    private let timeouts: PostgresTimeouts
    private let notifier: PostgresNotifier
    /// The state of the open transaction; nil if none is open.
    var writing: PostgresWriting?

    /// Connects, and makes the tables if there are none.
    ///
    /// - Parameters:
    ///   - address: The address of the database.
    ///   - use: The purpose; it decides whether tables are made or changed, and whether an incarnation begins.
    ///   - timeouts: The time limits.
    ///   - epoch: Makes the name of the history of a new database; random by default.
    ///   - run: Makes the name of an incarnation, for each connection that serves; random by default. All names must differ.
    /// - Throws: `ServerStorageError`: `.cannotOpen`, `.notAllowed`, `.readOnly`, `.newerVersion`, `.olderVersion`,
    ///   `.notAServerStore`.
    public convenience init(
        _ address: PostgresAddress, for use: ServerStorageUse = .serving,
        timeouts: PostgresTimeouts = PostgresTimeouts(),
        epoch: () -> String = RandomDigits.epoch, run: @escaping () -> String = RandomDigits.run
    ) throws(ServerStorageError) {
        try self.init(address, for: use, timeouts: timeouts, schema: .current, epoch: epoch, run: run)
    }

    /// - Parameter schema: The tables of this program; a test can add a step.
    init(
        _ address: PostgresAddress, for use: ServerStorageUse, timeouts: PostgresTimeouts = PostgresTimeouts(),
        schema: PostgresSchema, epoch: () -> String = RandomDigits.epoch, run: @escaping () -> String = RandomDigits.run
    ) throws(ServerStorageError) {
        self.timeouts = timeouts
        self.notifier = PostgresNotifier(address, timeouts: timeouts)
        self.session = try PostgresSession(
            address, timeouts: timeouts, schema: schema, makeRun: run, beginsRun: use == .serving
        ) { (connection) throws(ServerStorageError) in
            try PostgresMigration(connection: connection, address: address, use: use, schema: schema)
                .run(epoch: epoch, run: run)
        }
        self.rowReader = PostgresServerReader(self.session)
    }

    /// Closes the connection.
    public func close() {
        self.session.close()
        self.notifier.close()
    }

    /// Reads over the connection that writes.
    public var reader: any ServerReader { self.rowReader }

    /// Opens another connection, for reading.
    public func openReader() throws(ServerStorageError) -> sending (any ServerReader)? {
        PostgresServerReader(
            try PostgresSession(
                self.session.address, timeouts: self.timeouts, makeRun: nil, traffic: self.session.traffic))
    }

    /// Does all of `work` or nothing; the changes are on disk when this returns.
    ///
    /// - Throws: `ServerStorageError`: `.interrupted` if nothing was done and a retry may succeed, `.unknownOutcome` if the
    ///   answer to the commit was lost.
    public func transaction<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome {
        defer { self.writing = nil }
        let outcome = try self.session.transaction(.writing) { () throws(ServerStorageError) in
            self.writing = PostgresWriting()
            let outcome = try work()
            try self.saveFeeds()
            return outcome
        }
        // If the process dies before this, the other processes detect the change when they next poll.
        self.notifier.add(self.writing?.moves ?? [])
        return outcome
    }

    /// The incarnation of the database, in whose name all its processes assign versions.
    public func run() throws(ServerStorageError) -> String {
        if let run = self.writing?.run { return run }
        return try self.note(run: try self.session.run(Self.presentRun))
    }

    @discardableResult
    func note(run found: PostgresResult) throws(ServerStorageError) -> String {
        guard found.count == 1 else {
            throw ServerStorageError(
                .notAServerStore,
                "\(self.session.address): the table “tidemark_server” was emptied; restore a backup.")
        }
        let run = try found.text(0, 0)
        self.writing?.run = run
        return run
    }

    static let presentRun = PostgresStatement("run", "SELECT run FROM tidemark_server WHERE id = 1")
}

/// The feeds that a transaction has locked. No other transaction can change them, so each is read once and written once.
struct PostgresWriting {
    /// The incarnation of the database, once it was read.
    var run: String?
    /// The data of the feeds that was read in advance, by their numbers.
    var prefetched: [Int64: PrefetchedFeed] = [:]
    private(set) var names: [FeedName: Int64] = [:]
    private(set) var feeds: [Int64: ServerFeed] = [:]
    /// The feeds whose `last` or `run` differs from the database.
    private(set) var changed: Set<Int64> = []
    /// The size of the rows and answers that were written and are kept here, in bytes, and its limit.
    private var kept = 0
    private static let mostKept = 4 << 20

    /// The changes that the other processes are notified of.
    var moves: [PostgresMove] {
        self.names.compactMap { name, id in
            guard self.changed.contains(id), let feed = self.feeds[id] else { return nil }
            return PostgresMove(feed: feed, collection: name.collection)
        }
    }

    subscript(name: FeedName) -> ServerFeed? { self.names[name].flatMap { self.feeds[$0] } }

    /// Stores a feed that was locked.
    mutating func hold(_ feed: ServerFeed, as name: FeedName) {
        self.names[name] = feed.id
        self.feeds[feed.id] = feed
    }

    /// Changes a locked feed.
    mutating func change(_ feed: ServerFeed, _ change: (inout ServerFeed) -> Void) {
        var held = self.feeds[feed.id] ?? feed
        change(&held)
        self.feeds[feed.id] = held
        self.changed.insert(feed.id)
    }

    /// Notes a row or an answer that is written, so that it need not be read again.
    mutating func apply(_ bytes: Int, in feed: ServerFeed, _ write: (inout PrefetchedFeed) -> Void) {
        guard var prefetched = self.prefetched.removeValue(forKey: feed.id) else { return }
        write(&prefetched)
        self.prefetched[feed.id] = prefetched
        self.kept += 64 + bytes
        guard self.kept > Self.mostKept else { return }
        self.kept = .min
        for id in self.prefetched.keys { self.prefetched[id]?.forgetWritten() }
    }
}
