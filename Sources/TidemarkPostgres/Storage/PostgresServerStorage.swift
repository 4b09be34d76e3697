public import TidemarkServer

/// The server's rows in a PostgreSQL database, which any number of server processes share.
///
/// Whoever writes to a collection of an account holds the row of its feed until the commit, so the order of commits is the order
/// of versions, whatever the clocks of the processes say (SPEC W3). A storage writes over one connection, so within a process
/// one group of POSTs is written after the other; processes wait for each other only where they write to one feed.
///
/// ```swift
/// let storage = try PostgresServerStorage(PostgresAddress("postgresql://tidemark@db.example/tidemark"))
/// ```
public final class PostgresServerStorage: ServerStorage {
    let session: PostgresSession
    let reader: PostgresServerReader
    private let timeouts: PostgresTimeouts
    private let notifier: PostgresNotifier
    /// What is written in the transaction that is open; nil where none is.
    var writing: PostgresWriting?

    /// Connects, and makes the tables where there are none.
    ///
    /// - Parameters:
    ///   - address: Where the database is.
    ///   - use: What for; it decides whether tables are made or changed, and whether a run begins.
    ///   - timeouts: How long it may take.
    ///   - epoch: Makes the name of the history of a new database; random when it is left out.
    ///   - run: Makes the name of a run, for each connection that serves; random when it is left out, and no two may be equal.
    /// - Throws: `ServerStorageError`: `.cannotOpen`, `.notAllowed`, `.readOnly`, `.newerVersion`, `.olderVersion`,
    ///   `.notAServerStore`.
    public init(
        _ address: PostgresAddress, for use: ServerStorageUse = .serving,
        timeouts: PostgresTimeouts = PostgresTimeouts(),
        epoch: () -> String = RandomDigits.epoch, run: @escaping () -> String = RandomDigits.run
    ) throws(ServerStorageError) {
        self.timeouts = timeouts
        self.notifier = PostgresNotifier(address, timeouts: timeouts)
        self.session = try PostgresSession(
            address, timeouts: timeouts, makeRun: run, beginsRun: use == .serving
        ) { (connection) throws(ServerStorageError) in
            try PostgresMigration(connection: connection, address: address, use: use).run(epoch: epoch, run: run)
        }
        self.reader = PostgresServerReader(self.session)
    }

    /// Gives up the connection.
    public func close() {
        self.session.close()
        self.notifier.close()
    }

    /// One more connection, which reads beside this one.
    public func openReader() throws(ServerStorageError) -> sending (any ServerReader)? {
        PostgresServerReader(try PostgresSession(self.session.address, timeouts: self.timeouts, makeRun: nil))
    }

    /// Does all of `work` or nothing; what it did is on disk when this returns.
    ///
    /// - Throws: `ServerStorageError`: `.interrupted` where nothing was done and another try may do it, `.unknownOutcome` where
    ///   the answer to the commit was lost.
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
        // A process that dies in between leaves it to those who look now and then.
        self.notifier.add(self.writing?.moves ?? [])
        return outcome
    }

    /// The run of the database, by which all its processes give out versions.
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

/// The feeds that a transaction holds. Nobody else can change them, so each is read once, and written once.
struct PostgresWriting {
    /// A name by its bytes: two that only look alike are two.
    struct Name: Hashable, Comparable {
        var account: [UInt8]
        var collection: [UInt8]

        init(account: String, collection: String) {
            self.account = Array(account.utf8)
            self.collection = Array(collection.utf8)
        }

        static func < (first: Name, second: Name) -> Bool {
            first.account == second.account
                ? first.collection.lexicographicallyPrecedes(second.collection)
                : first.account.lexicographicallyPrecedes(second.account)
        }
    }

    /// The run of the database, once it was asked for.
    var run: String?
    /// What was read of the feeds before it was asked for, by their numbers.
    var ahead: [Int64: PostgresAhead] = [:]
    private(set) var names: [Name: Int64] = [:]
    private(set) var feeds: [Int64: ServerFeed] = [:]
    /// Those with another `last`, or another `run`, than the database has.
    private(set) var changed: Set<Int64> = []

    /// What the others are to be told.
    var moves: [PostgresMove] {
        self.names.compactMap { name, id in
            guard self.changed.contains(id), let feed = self.feeds[id] else { return nil }
            return PostgresMove(feed: feed, collection: name.collection)
        }
    }

    subscript(name: Name) -> ServerFeed? { self.names[name].flatMap { self.feeds[$0] } }

    /// Takes a feed that was locked.
    mutating func hold(_ feed: ServerFeed, as name: Name) {
        self.names[name] = feed.id
        self.feeds[feed.id] = feed
    }

    /// Changes a feed that is held.
    mutating func change(_ feed: ServerFeed, _ change: (inout ServerFeed) -> Void) {
        var held = self.feeds[feed.id] ?? feed
        change(&held)
        self.feeds[feed.id] = held
        self.changed.insert(feed.id)
    }
}
