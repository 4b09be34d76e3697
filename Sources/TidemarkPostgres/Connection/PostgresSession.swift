import TidemarkServer

/// A connection that is made anew when it breaks, and the transaction that is open on it.
///
/// A break before a transaction began is mended here; one within it undoes all of it, and whoever asked for it may ask again;
/// one at the commit leaves the outcome unknown.
final class PostgresSession {
    let address: PostgresAddress
    private let timeouts: PostgresTimeouts
    /// Makes the name of a run; nil for who only reads.
    private let makeRun: (() -> String)?
    /// Whether each connection begins one.
    private let beginsRun: Bool

    private var connection: PostgresConnection?
    private var pausedUntil: ContinuousClock.Instant?
    private var lastFailure: ServerStorageError?
    private(set) var epoch = ""
    /// What the transaction that is open has still to carry out.
    private var later: [PostgresCall] = []
    /// How many bytes they hold, and about how many they may: those are here and in libpq.
    private var laterBytes = 0
    private static let laterLimit = 1 << 20

    /// Connects, and sees that the tables are those that this version knows.
    ///
    /// - Parameters:
    ///   - makeRun: Makes the name under which versions are given out from here on (SPEC W8); nil for who only reads.
    ///   - beginsRun: Whether one begins with each connection. Who gives out no versions begins none: each leaves a row behind
    ///     in each feed that is written to after it.
    ///   - prepare: Is called once, before the tables are looked at: makes them, say.
    init(
        _ address: PostgresAddress, timeouts: PostgresTimeouts, makeRun: (() -> String)?, beginsRun: Bool = true,
        prepare: (PostgresConnection) throws(ServerStorageError) -> Void = { _ in }
    ) throws(ServerStorageError) {
        self.address = address
        self.timeouts = timeouts
        self.makeRun = makeRun
        self.beginsRun = beginsRun
        _ = try self.open(prepare)
    }

    /// Gives up the connection; the next call makes another one.
    func close() {
        self.connection = nil
    }

    // MARK: Statements

    /// Runs a statement in the transaction that is open, behind what is still to be carried out.
    @discardableResult
    func run(_ statement: PostgresStatement, _ values: [PostgresValue] = []) throws(ServerStorageError)
        -> PostgresResult
    {
        guard !self.later.isEmpty else { return try self.run(statement, values, on: self.present()) }
        return try self.run([PostgresCall(statement, values)])[0]
    }

    /// Runs statements in the transaction that is open, all on one way to the database and back.
    func run(_ calls: [PostgresCall]) throws(ServerStorageError) -> [PostgresResult] {
        let connection = try self.present()
        do throws(PostgresFailure) {
            return try self.runLater(and: calls, on: connection)
        } catch {
            if error.isLost { self.connection = nil }
            throw ServerStorageError(error, at: self.address)
        }
    }

    /// Carries a statement out before the next one whose answer is asked for, and before the commit; where it fails, that fails.
    func runLater(_ statement: PostgresStatement, _ values: [PostgresValue]) throws(ServerStorageError) {
        let call = PostgresCall(statement, values)
        self.later.append(call)
        self.laterBytes += call.size
        if self.laterBytes >= Self.laterLimit { try self.settle() }
    }

    /// Carries out what is still to be carried out.
    func settle() throws(ServerStorageError) {
        if !self.later.isEmpty { _ = try self.run([]) }
    }

    /// - Returns: What `calls` gave.
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
    /// - Parameter mode: How it begins: what it may do, and what it sees.
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

    /// Begins, on another connection where the one that is there broke since it was used.
    private func begin(_ mode: PostgresTransactionMode) throws(ServerStorageError) {
        guard try self.opens(mode, isLast: false) else {
            _ = try self.opens(mode, isLast: true)
            return
        }
    }

    /// False where the connection turned out to be broken, and another may be tried.
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
            // One that had failed is rolled back without a complaint.
            guard try self.runLater(and: [Self.commit], on: connection).last?.tag == "COMMIT" else {
                throw PostgresFailure(
                    state: "25P02", message: "a transaction that had failed was kept on with", isLost: false)
            }
        } catch {
            self.connection = nil
            // What was read is read.
            guard mode == .writing else { return }
            // These say that it was rolled back. Any other may come after it was done: while it waited for a replica, say.
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
        // Where a connection takes long to fail, those that wait behind this one don't wait as long again, each.
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

    /// Reads whose history this is, and begins a run of it.
    ///
    /// The run is the database's, and all processes share it: a feed that they write in turns notes it once. Whoever connects
    /// begins another one, since nobody can be sure that this is still the history of before: a replica may have taken the
    /// place of the database without its last commits, or a backup may have. Whoever writes to such a one had to connect to it,
    /// so no version of it has the run of one that was lost (SPEC W8).
    private func enter(_ connection: PostgresConnection) throws(ServerStorageError) {
        let found = try self.run(PostgresSchema.look, [], on: connection)
        guard found.count == 1 else { throw self.emptied }
        try PostgresSchema.check(try found.number(0, 0), at: self.address)
        self.epoch = try found.text(0, 1)
        guard self.beginsRun, let makeRun else { return }
        let begun = try self.run(PostgresSchema.beginRun, [.text(makeRun())], on: connection)
        guard begun.changes == 1 else { throw self.emptied }
    }

    /// Begins another run, in the transaction that is open.
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

/// How a transaction begins.
enum PostgresTransactionMode: String {
    /// Each statement sees what is committed by then. Whoever writes to a feed holds its row, so that what it has read of it
    /// stays so, and nothing is ever to be repeated for what others did (as in a stricter mode).
    case writing = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
    /// All statements see one state (SPEC W3).
    case reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
}
