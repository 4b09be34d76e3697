import CPostgres
import Synchronization
import TidemarkServer

/// One connection of libpq, used by one caller at a time; each call waits for its result.
@safe
final class PostgresConnection {
    private let pointer: OpaquePointer
    private var prepared: Set<String> = []
    /// The time limit of a result, from when it is awaited.
    private var timeout: Duration
    private let traffic: PostgresTraffic

    /// Connects to the host that accepts writes, and sets the time limits.
    ///
    /// - Parameter traffic: Counts the round trips.
    init(
        _ address: PostgresAddress, timeouts: PostgresTimeouts, traffic: PostgresTraffic = PostgresTraffic()
    ) throws(PostgresFailure) {
        self.traffic = traffic
        let seconds = max(2, timeouts.connect.components.seconds)
        let pointer = unsafe tidemark_pq_connect(address.text, "\(seconds)", "\(timeouts.statement.milliseconds)")
        guard let pointer = unsafe pointer else {
            throw PostgresFailure(state: "53200", message: "there is no memory left", isLost: true)
        }
        unsafe self.pointer = unsafe pointer
        self.timeout = timeouts.answer
        unsafe tidemark_pq_be_quiet(pointer)
        guard unsafe PQstatus(pointer) == CONNECTION_OK else {
            let message = unsafe String(cString: PQerrorMessage(pointer))
            // The system's part of the message has no SQLSTATE.
            throw PostgresFailure(state: "", message: message, isLost: true)
        }
        // Sending must not block indefinitely either.
        _ = unsafe PQsetnonblocking(pointer, 1)
        try self.set(timeouts)
    }

    deinit {
        unsafe PQfinish(self.pointer)
    }

    private func set(_ timeouts: PostgresTimeouts) throws(PostgresFailure) {
        let settings = [
            ("statement_timeout", "\(timeouts.statement.milliseconds)"),
            ("lock_timeout", "\(timeouts.lock.milliseconds)"),
            ("idle_in_transaction_session_timeout", "\(timeouts.silence.milliseconds)"),
            ("plan_cache_mode", "force_custom_plan"),
        ]
        for (name, value) in settings { try self.attempt(Self.setting, [.text(name), .text(value)]) }
        try self.attempt(Self.keptPlans, [])
        try self.attempt(Self.durability, [])
    }

    /// Tries a setting: a database that is only compatible with PostgreSQL may not have it.
    private func attempt(_ statement: PostgresStatement, _ values: [PostgresValue]) throws(PostgresFailure) {
        do throws(PostgresFailure) {
            _ = try self.run(statement, values)
        } catch  where ["42704", "0A000", "22023", "42501", "42P01"].contains(error.state) {
            return
        }
    }

    /// Keeps the plan of each statement, since planning takes longer than carrying it out. A plan is kept while tables grow, so it must
    /// read by an index even if a table has one row, and by the index that has the requested order. A plan that can't do that is
    /// considered expensive, and the database would compile it.
    ///
    /// Citus plans a statement for its values only. There, and in a database that lacks one of the settings, none is made.
    private static let keptPlans = PostgresStatement(
        "kept plans",
        """
        SELECT set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'off', false),
            set_config('enable_bitmapscan', 'off', false), set_config('enable_sort', 'off', false),
            set_config('jit', 'off', false)
        WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
        """)
    private static let setting = PostgresStatement("setting", "SELECT set_config($1, $2, false)")
    /// Makes each commit wait for the disk, even if the database is configured to answer earlier.
    private static let durability = PostgresStatement(
        "durability",
        """
        SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
        """)

    /// Runs SQL without parameters and without rows.
    @discardableResult
    func execute(_ sql: String) throws(PostgresFailure) -> PostgresResult {
        self.traffic.add()
        return unsafe try self.taken(PQsendQuery(self.pointer, sql), sql)
    }

    /// Runs `work` without a time limit.
    func withoutHurry(_ work: () throws(PostgresFailure) -> Void) throws(PostgresFailure) {
        let timeout = self.timeout
        self.timeout = .seconds(Int64(Int32.max))
        defer { self.timeout = timeout }
        try work()
    }

    /// Runs a statement, which is prepared at its first use on this connection.
    func run(_ statement: PostgresStatement, _ values: [PostgresValue]) throws(PostgresFailure) -> PostgresResult {
        try self.prepare(statement)
        self.traffic.add()
        return try self.taken(self.send(PostgresCall(statement, values)), statement.name)
    }

    /// Runs statements one after the other. They are sent together, so that all of them need one round trip.
    ///
    /// - Returns: The result of each.
    /// - Throws: The failure of the first that failed; the later ones were not carried out.
    func run(_ calls: [PostgresCall]) throws(PostgresFailure) -> [PostgresResult] {
        do throws(PostgresFailure) {
            for call in calls { try self.prepare(call.statement) }
        } catch {
            var failure = error
            failure.hasStopped = true
            throw failure
        }
        self.traffic.add()
        guard unsafe PQenterPipelineMode(self.pointer) == 1 else { throw self.broken }
        // Fails if results are still to come: then the connection is lost and closed.
        defer { _ = unsafe PQexitPipelineMode(self.pointer) }
        for call in calls {
            guard self.send(call) == 1 else { throw self.broken }
        }
        guard unsafe PQpipelineSync(self.pointer) == 1 else { throw self.broken }
        var results: [PostgresResult] = []
        var failure: PostgresFailure?
        for (index, call) in calls.enumerated() {
            do throws(PostgresFailure) {
                results.append(try self.taken(1, call.statement.name))
            } catch {
                // The later results only report that their statements were skipped.
                guard failure == nil else { continue }
                var first = error
                first.hasStopped = index < calls.count - 1 && error.isOfStatement
                guard !error.isLost else { throw first }
                failure = first
            }
        }
        do throws(PostgresFailure) {
            _ = try self.taken(1, "the end of a pipeline")
        } catch {
            // The first failure says more, also if the connection breaks after it.
            failure?.isLost = true
            throw failure ?? error
        }
        if let failure { throw failure }
        return results
    }

    private func prepare(_ statement: PostgresStatement) throws(PostgresFailure) {
        guard !self.prepared.contains(statement.name) else { return }
        self.traffic.add()
        _ = unsafe try self.taken(
            PQsendPrepare(self.pointer, statement.name, statement.sql, 0, nil), statement.name)
        self.prepared.insert(statement.name)
    }

    /// Sends a prepared statement; 0 if that fails.
    private func send(_ call: PostgresCall) -> Int32 {
        var bytes: [UInt8] = []
        let lengths = call.values.map { $0.append(to: &bytes) ?? -1 }
        // An empty value needs an address, too.
        bytes.append(0)
        return unsafe tidemark_pq_send(self.pointer, call.statement.name, Int32(lengths.count), bytes, lengths)
    }

    private var broken: PostgresFailure {
        PostgresFailure(state: "", message: unsafe String(cString: PQerrorMessage(self.pointer)), isLost: true)
    }

    /// Waits until a notification comes or the time is over; returns the payloads.
    func notifications(waiting time: Duration) throws(PostgresFailure) -> [String] {
        guard unsafe tidemark_pq_wait(self.pointer, Int32(clamping: time.milliseconds)) != 0 else { throw self.broken }
        var texts: [String] = []
        while let note = unsafe PQnotifies(self.pointer) {
            unsafe texts.append(String(cString: note.pointee.extra))
            unsafe PQfreemem(note)
        }
        return texts
    }

    /// Receives the result of a statement, if it was sent.
    private func taken(_ wasSent: Int32, _ statement: String) throws(PostgresFailure) -> PostgresResult {
        var isOver: Int32 = 0
        let result = unsafe tidemark_pq_result(self.pointer, wasSent, self.timeout.milliseconds, &isOver)
        guard isOver == 0 else {
            throw PostgresFailure(
                state: "",
                message: "the database did not answer for \(self.timeout); it hangs, or the network to it does",
                isLost: true)
        }
        let isLost = unsafe PQstatus(self.pointer) != CONNECTION_OK
        guard let result = unsafe result else {
            throw PostgresFailure(
                state: "", message: unsafe String(cString: PQerrorMessage(self.pointer)), isLost: isLost)
        }
        let status = unsafe PQresultStatus(result)
        guard [PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_PIPELINE_SYNC].contains(status) else {
            defer { unsafe PQclear(result) }
            let state = unsafe tidemark_pq_state_of(result).map { unsafe String(cString: $0) } ?? ""
            let message = unsafe String(cString: PQresultErrorMessage(result))
            throw PostgresFailure(state: state, message: message, isLost: isLost)
        }
        return unsafe PostgresResult(result, of: statement)
    }
}

/// Counts the round trips of connections.
final class PostgresTraffic: Sendable {
    private let count = Atomic(0)

    /// The number of round trips so far.
    var roundTrips: Int { self.count.load(ordering: .relaxed) }

    fileprivate func add() { self.count.add(1, ordering: .relaxed) }
}
