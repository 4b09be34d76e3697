import TidemarkServer

/// A connection that is replaced when it breaks, and its open transaction.
///
/// If the connection breaks before a transaction began, another one is used; if it breaks within a transaction, all of it is
/// undone and the caller may retry; if it breaks at the commit, the outcome is unknown.
final class PostgresSession {
    let address: PostgresAddress
    private let timeouts: PostgresTimeouts
    private let schema: PostgresSchema
    /// Makes the name of an incarnation; nil for a reader.
    private let makeRun: (() -> String)?
    /// Whether each connection begins an incarnation.
    private let beginsRun: Bool

    private var connection: PostgresConnection?
    private var pausedUntil: ContinuousClock.Instant?
    private var lastFailure: ServerStorageError?
    private(set) var epoch = ""
    /// The delayed statements of the open transaction.
    private var later: [PostgresCall] = []
    /// The size of `later` in bytes, and its limit: the statements are in memory here and in libpq.
    private var laterBytes = 0
    private static let laterLimit = 1 << 20

    /// Connects, and checks that this version supports the tables.
    ///
    /// - Parameters:
    ///   - schema: The tables of this program.
    ///   - makeRun: Makes the name in which versions are assigned from here on (SPEC W8); nil for a reader.
    ///   - beginsRun: Whether each connection begins an incarnation. A session that assigns no versions must not: each
    ///     incarnation leaves a row in each feed that is written afterwards.
    ///   - prepare: Called once, before the tables are checked: to make them, for example.
    init(
        _ address: PostgresAddress, timeouts: PostgresTimeouts, schema: PostgresSchema = .current,
        makeRun: (() -> String)?, beginsRun: Bool = true,
        prepare: (PostgresConnection) throws(ServerStorageError) -> Void = { _ in }
    ) throws(ServerStorageError) {
        self.address = address
        self.timeouts = timeouts
        self.schema = schema
        self.makeRun = makeRun
        self.beginsRun = beginsRun
        _ = try self.open(prepare)
    }

    /// Closes the connection; the next call opens another one.
    func close() {
        self.connection = nil
    }

    // MARK: Statements

    /// Runs a statement in the open transaction, after the delayed ones.
    @discardableResult
    func run(_ statement: PostgresStatement, _ values: [PostgresValue] = []) throws(ServerStorageError)
        -> PostgresResult
    {
        guard !self.later.isEmpty else { return try self.run(statement, values, on: self.present()) }
        return try self.run([PostgresCall(statement, values)])[0]
    }

    /// Runs statements in the open transaction, all in one round trip.
    func run(_ calls: [PostgresCall]) throws(ServerStorageError) -> [PostgresResult] {
        let connection = try self.present()
        do throws(PostgresFailure) {
            return try self.runLater(and: calls, on: connection)
        } catch {
            if error.isLost { self.connection = nil }
            throw ServerStorageError(error, at: self.address)
        }
    }

    /// Delays a statement until the next statement whose result is needed, or until the commit. If it fails, that later call
    /// throws.
    func runLater(_ statement: PostgresStatement, _ values: [PostgresValue]) throws(ServerStorageError) {
        let call = PostgresCall(statement, values)
        self.later.append(call)
        self.laterBytes += call.size
        if self.laterBytes >= Self.laterLimit { try self.settle() }
    }

    /// Carries out the delayed statements.
    func settle() throws(ServerStorageError) {
        if !self.later.isEmpty { _ = try self.run([]) }
    }

    /// - Returns: The results of `calls`.
    private func runLater(
        and calls: [PostgresCall], on connection: PostgresConnection
    ) throws(PostgresFailure) -> [PostgresResult] {
        let all = self.later + calls
        self.forgetLater()
        return all.isEmpty ? [] : Array(try connection.run(all).suffix(calls.count))
    }

    private func present() throws(ServerStorageError) -> PostgresConnection {
        guard let connection = self.connection else {
            throw ServerStorageError(
                .interrupted, "\(self.address): the connection broke within a transaction; nothing of it was done.")
        }
        return connection
    }

    private func run(
        _ statement: PostgresStatement, _ values: [PostgresValue], on connection: PostgresConnection
    ) throws(ServerStorageError) -> PostgresResult {
        do throws(PostgresFailure) {
            return try connection.run(statement, values)
        } catch {
            if error.isLost { self.connection = nil }
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
        try self.begin(mode)
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

    /// Begins a transaction, on another connection if the current one is broken.
    private func begin(_ mode: PostgresTransactionMode) throws(ServerStorageError) {
        guard try self.opens(mode, isLast: false) else {
            _ = try self.opens(mode, isLast: true)
            return
        }
    }

    /// False if the connection was broken, and another may be tried.
    private func opens(_ mode: PostgresTransactionMode, isLast: Bool) throws(ServerStorageError) -> Bool {
        self.forgetLater()
        let connection = try self.open()
        do throws(PostgresFailure) {
            try connection.execute(mode.rawValue)
            return true
        } catch {
            self.connection = nil
            guard error.isLost, !isLast else { throw ServerStorageError(error, at: self.address) }
            return false
        }
    }

    private func commit(_ mode: PostgresTransactionMode) throws(ServerStorageError) {
        let connection = try self.present()
        do throws(PostgresFailure) {
            // PostgreSQL answers the commit of a failed transaction with a rollback, and reports no error.
            guard try self.runLater(and: [Self.commit], on: connection).last?.tag == "COMMIT" else {
                throw PostgresFailure(
                    state: "25P02", message: "a transaction continued after a failure", isLost: false)
            }
        } catch {
            self.connection = nil
            // The results of a reading transaction are complete.
            guard mode == .writing else { return }
            // These states report a rollback. Any other state may come after the commit was done: while it waited for a
            // replica, for example.
            let isUndone =
                error.hasStopped
                || ["40", "23", "25"].contains(String(error.state.prefix(2))) && error.state != "25006"
            throw isUndone
                ? ServerStorageError(error, at: self.address) : ServerStorageError(unknown: error, at: self.address)
        }
    }

    private static let commit = PostgresCall(PostgresStatement("commit", "COMMIT"))

    private func forgetLater() {
        self.later = []
        self.laterBytes = 0
    }

    private func rollBack() {
        self.forgetLater()
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
            return try PostgresConnection(self.address, timeouts: self.timeouts)
        } catch {
            throw ServerStorageError(connecting: error, to: self.address)
        }
    }

    /// Reads the name of the history, and begins an incarnation of it.
    ///
    /// All processes share the incarnation of the database: a feed that they write in turns records it once. Each new
    /// connection begins another one, since the database may have another history than before: it may have been replaced by a
    /// replica without its last commits, or by a backup. A process has to connect to such a database before it writes, so no
    /// version there has the incarnation of a lost version (SPEC W8).
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
enum PostgresTransactionMode: String {
    /// Each statement sees the data that is committed by then. A writer of a feed locks its row, so that the feed does not
    /// change meanwhile, and no transaction has to be repeated because of others (as in a stricter mode).
    case writing = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
    /// All statements see one state (SPEC W3).
    case reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
}
