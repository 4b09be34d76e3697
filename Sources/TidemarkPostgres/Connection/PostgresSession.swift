import TidemarkServer

/// A connection that is replaced when it breaks, and its open transaction.
///
/// If the connection breaks before a transaction began, another one is used; if it breaks within a transaction, all of it is
/// undone and the caller may retry; if it breaks at the commit, the outcome is unknown.
final class PostgresSession {
    let address: PostgresAddress
    private let timeouts: PostgresTimeouts
    private let schema: PostgresSchema
    let traffic: PostgresTraffic
    /// Makes the name of an incarnation; nil for a reader.
    private let makeRun: (() -> String)?
    /// Whether each connection begins an incarnation.
    private let beginsRun: Bool

    private var connection: PostgresConnection?
    private var pausedUntil: ContinuousClock.Instant?
    private var lastFailure: ServerStorageError?
    private(set) var epoch = ""

    /// How far the transaction is.
    private enum Phase {
        /// There is none.
        case none
        /// It has begun here, and the database does not know of it yet: its first statements bring the `BEGIN`.
        case waiting
        /// The database knows of it.
        case open
    }
    private var phase = Phase.none
    /// The delayed statements of the transaction.
    private var later: [PostgresCall] = []
    /// The delayed rows and answers, which follow those statements.
    private var writes = PostgresWrites()

    /// Connects, and checks that this version supports the tables.
    ///
    /// - Parameters:
    ///   - schema: The tables of this program.
    ///   - makeRun: Makes the name in which versions are assigned from here on (W8); nil for a reader.
    ///   - beginsRun: Whether each connection begins an incarnation. A session that assigns no versions must not: each
    ///     incarnation leaves a row in each feed that is written afterwards.
    ///   - prepare: Called once, before the tables are checked: to make them, for example.
    init(
        _ address: PostgresAddress, timeouts: PostgresTimeouts, schema: PostgresSchema = .current,
        makeRun: (() -> String)?, beginsRun: Bool = true, traffic: PostgresTraffic = PostgresTraffic(),
        prepare: (PostgresConnection) throws(ServerStorageError) -> Void = { _ in }
    ) throws(ServerStorageError) {
        self.address = address
        self.timeouts = timeouts
        self.schema = schema
        self.makeRun = makeRun
        self.beginsRun = beginsRun
        self.traffic = traffic
        _ = try self.open(prepare)
    }

    /// Closes the connection; the next call opens another one.
    func close() {
        self.connection = nil
    }

    // MARK: Statements

    /// Runs a statement, after the delayed ones.
    @discardableResult
    func run(_ statement: PostgresStatement, _ values: [PostgresValue] = []) throws(ServerStorageError)
        -> PostgresResult
    {
        try self.run([PostgresCall(statement, values)])[0]
    }

    /// Runs statements, after the delayed ones, all in one round trip. Without a transaction they must only read.
    @discardableResult
    func run(_ calls: [PostgresCall]) throws(ServerStorageError) -> [PostgresResult] {
        let all = self.removeDelayed() + calls
        guard !all.isEmpty else { return [] }
        return Array(try self.send(all, isLast: self.phase == .open).suffix(calls.count))
    }

    /// Runs a whole transaction that reads, in one round trip.
    func read(_ calls: [PostgresCall]) throws(ServerStorageError) -> [PostgresResult] {
        do throws(ServerStorageError) {
            return Array(try self.run([PostgresTransactionMode.reading.begin] + calls + [Self.commit])[1...calls.count])
        } catch {
            self.rollBack()
            throw error
        }
    }

    /// Delays a statement until the next statement whose result is needed, or until the commit. If it fails, that later call
    /// throws.
    func runLater(_ statement: PostgresStatement, _ values: [PostgresValue]) {
        self.later.append(PostgresCall(statement, values))
    }

    /// Delays the write of a row in the same way.
    func saveLater(_ row: ServerRow, in feed: ServerFeed) throws(ServerStorageError) {
        self.writes.add(row, in: feed)
        try self.sendIfLarge()
    }

    /// Delays the write of an answer in the same way.
    func rememberLater(_ answer: RememberedAnswer, at time: Int64, in feed: ServerFeed) throws(ServerStorageError) {
        self.writes.add(answer, at: time, in: feed)
        try self.sendIfLarge()
    }

    /// The delayed writes are in memory here and in libpq.
    private func sendIfLarge() throws(ServerStorageError) {
        if self.writes.bytes >= PostgresWrites.limit { try self.run([]) }
    }

    private func removeDelayed() -> [PostgresCall] {
        defer { self.later = [] }
        return self.later + self.writes.removeAll()
    }

    /// Sends statements; over another connection if this one is broken and the database knows of no transaction here: then
    /// nothing was done that the new connection would lack.
    private func send(_ calls: [PostgresCall], isLast: Bool) throws(ServerStorageError) -> [PostgresResult] {
        let connection = self.phase == .open ? try self.present() : try self.open()
        do throws(PostgresFailure) {
            let results = try connection.run(calls)
            if self.phase == .waiting { self.phase = .open }
            return results
        } catch {
            if error.isLost { self.connection = nil }
            guard error.isLost, !isLast else {
                // The database may have begun the transaction before it failed.
                if self.phase == .waiting { self.phase = .open }
                throw ServerStorageError(error, at: self.address)
            }
        }
        return try self.send(calls, isLast: true)
    }

    private func present() throws(ServerStorageError) -> PostgresConnection {
        guard let connection = self.connection else {
            throw ServerStorageError(
                .interrupted, "\(self.address): the connection broke within a transaction; nothing of it was done.")
        }
        return connection
    }

    /// Runs a statement on a new connection.
    private func run(
        _ statement: PostgresStatement, _ values: [PostgresValue], on connection: PostgresConnection
    ) throws(ServerStorageError) -> PostgresResult {
        do throws(PostgresFailure) {
            return try connection.run(statement, values)
        } catch {
            throw ServerStorageError(error, at: self.address)
        }
    }

    // MARK: Transactions

    /// Does all of `work` in a transaction, or nothing of it.
    ///
    /// - Parameter mode: Whether it may write, and which data it sees.
    func transaction<Outcome>(
        _ mode: PostgresTransactionMode, _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome {
        self.begin(mode)
        defer { self.end() }
        let outcome: Outcome
        do throws(ServerStorageError) {
            outcome = try work()
        } catch {
            self.rollBack()
            throw error
        }
        try self.commit(mode)
        return outcome
    }

    private func begin(_ mode: PostgresTransactionMode) {
        self.end()
        self.phase = .waiting
        self.later = [mode.begin]
    }

    private func end() {
        self.phase = .none
        self.later = []
        self.writes = PostgresWrites()
    }

    /// Commits together with the delayed writes.
    ///
    /// The database carries out the commit only if all of them succeeded, and answers in their order. So if it refuses one of
    /// them, nothing was done.
    private func commit(_ mode: PostgresTransactionMode) throws(ServerStorageError) {
        // A transaction that did nothing yet may still need another connection; a commit may not be sent twice.
        if self.phase == .waiting { try self.run([]) }
        let connection = try self.present()
        do throws(PostgresFailure) {
            // PostgreSQL answers the commit of a failed transaction with a rollback, and reports no error.
            guard try connection.run(self.removeDelayed() + [Self.commit]).last?.tag == "COMMIT" else {
                throw PostgresFailure(
                    state: "25P02", message: "a transaction continued after a failure", isLost: false)
            }
        } catch {
            // The results of a reading transaction are complete.
            guard mode == .writing else { return self.connection = nil }
            if error.hasStopped {
                if error.isLost { self.connection = nil }
                self.rollBack()
                throw ServerStorageError(error, at: self.address).beforeCommit
            }
            self.connection = nil
            // These states report a rollback. Any other state may come after the commit was done: while it waited for a
            // replica, for example.
            let isUndone =
                ["40", "23", "25"].contains(String(error.state.prefix(2))) && !["25006", "40003"].contains(error.state)
            throw isUndone
                ? ServerStorageError(error, at: self.address) : ServerStorageError(unknown: error, at: self.address)
        }
    }

    private static let commit = PostgresCall(PostgresStatement("commit", "COMMIT"))

    private func rollBack() {
        guard self.phase != .waiting else { return }
        do throws(PostgresFailure) {
            try self.connection?.execute("ROLLBACK")
        } catch {
            self.connection = nil
        }
    }

    // MARK: The connection

    private func open(
        _ prepare: (PostgresConnection) throws(ServerStorageError) -> Void = { _ in }
    ) throws(ServerStorageError) -> PostgresConnection {
        if let connection { return connection }
        // If connecting takes long to fail, the callers that waited meanwhile must not each wait as long again.
        if let pausedUntil, let lastFailure, ContinuousClock.now < pausedUntil { throw lastFailure }
        do throws(ServerStorageError) {
            let connection = try self.connect()
            try prepare(connection)
            try self.enter(connection)
            self.connection = connection
            self.lastFailure = nil
            return connection
        } catch {
            self.lastFailure = error
            self.pausedUntil = ContinuousClock.now + self.timeouts.pause
            throw error
        }
    }

    private func connect() throws(ServerStorageError) -> PostgresConnection {
        do throws(PostgresFailure) {
            return try PostgresConnection(self.address, timeouts: self.timeouts, traffic: self.traffic)
        } catch {
            throw ServerStorageError(connecting: error, to: self.address)
        }
    }

    /// Reads the name of the history, and begins an incarnation of it.
    ///
    /// All processes share the incarnation of the database: a feed that they write in turns records it once. Each new
    /// connection begins another one, since the database may have another history than before: it may have been replaced by a
    /// replica without its last commits, or by a backup. A process has to connect to such a database before it writes, so no
    /// version there has the incarnation of a lost version (W8).
    private func enter(_ connection: PostgresConnection) throws(ServerStorageError) {
        let found = try self.run(PostgresSchema.look, [], on: connection)
        guard found.count == 1 else { throw self.emptied }
        try self.schema.check(try found.number(0, 0), at: self.address)
        self.epoch = try found.text(0, 1)
        guard self.beginsRun, let makeRun else { return }
        let begun = try self.run(PostgresSchema.beginRun, [.text(makeRun())], on: connection)
        guard begun.changes == 1 else { throw self.emptied }
    }

    /// Begins another incarnation, in the open transaction.
    func beginRun() throws(ServerStorageError) {
        guard let makeRun else { return }
        try self.run(PostgresSchema.beginRun, [.text(makeRun())])
    }

    private var emptied: ServerStorageError {
        ServerStorageError(
            .notAServerStore,
            "\(self.address): the table “tidemark_server” was emptied; restore a backup, or drop all that begin with “tidemark_”."
        )
    }
}

/// The kind of a transaction.
enum PostgresTransactionMode {
    /// Each statement sees the data that is committed by then. A writer of a feed locks its row, so that the feed does not
    /// change meanwhile, and no transaction has to be repeated because of others (as in a stricter mode).
    case writing
    /// All statements see one state (W3).
    case reading

    /// The statement that begins it.
    var begin: PostgresCall {
        switch self {
        case .writing: Self.beginWriting
        case .reading: Self.beginReading
        }
    }

    private static let beginWriting = PostgresCall(
        PostgresStatement("begin writing", "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"))
    private static let beginReading = PostgresCall(
        PostgresStatement("begin reading", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"))
}
