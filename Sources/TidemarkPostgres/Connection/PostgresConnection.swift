import CPostgres
import TidemarkServer

/// One connection of libpq, used by one caller at a time; each call waits for its answer.
@safe
final class PostgresConnection {
    private let pointer: OpaquePointer
    private var prepared: Set<String> = []
    /// Until when an answer has to come, from when it is asked for.
    private var patience: Duration

    /// Connects, to whichever of the hosts may be written to, and sets the times.
    init(_ address: PostgresAddress, timeouts: PostgresTimeouts) throws(PostgresFailure) {
        let seconds = max(2, timeouts.connect.components.seconds)
        let pointer = unsafe tidemark_pq_connect(address.text, "\(seconds)", "\(timeouts.statement.milliseconds)")
        guard let pointer = unsafe pointer else {
            throw PostgresFailure(state: "53200", message: "there is no memory left", isLost: true)
        }
        unsafe self.pointer = unsafe pointer
        self.patience = timeouts.answer
        unsafe tidemark_pq_be_quiet(pointer)
        guard unsafe PQstatus(pointer) == CONNECTION_OK else {
            let message = unsafe String(cString: PQerrorMessage(pointer))
            // The system's part in it comes without a SQLSTATE.
            throw PostgresFailure(state: "", message: message, isLost: true)
        }
        // What is sent may not wait for ever either.
        _ = unsafe PQsetnonblocking(pointer, 1)
        try self.set(timeouts)
    }

    deinit {
        unsafe PQfinish(self.pointer)
    }

    private func set(_ timeouts: PostgresTimeouts) throws(PostgresFailure) {
        let settings = [
            ("statement_timeout", timeouts.statement), ("lock_timeout", timeouts.lock),
            ("idle_in_transaction_session_timeout", timeouts.silence),
        ]
        for (name, time) in settings {
            try self.attempt(Self.setting, [.text(name), .text("\(time.milliseconds)")])
        }
        // A plan for whatever may come takes all accounts and collections for equally large. Where they are not, it reads all rows of
        // one, each time, in place of those that it is asked for.
        try self.attempt(Self.setting, [.text("plan_cache_mode"), .text("force_custom_plan")])
        try self.attempt(Self.durability, [])
    }

    /// A database that only speaks PostgreSQL's language may not know a setting, and does without.
    private func attempt(_ statement: PostgresStatement, _ values: [PostgresValue]) throws(PostgresFailure) {
        do throws(PostgresFailure) {
            _ = try self.run(statement, values)
        } catch  where ["42704", "0A000"].contains(error.state) {
            return
        }
    }

    private static let setting = PostgresStatement("setting", "SELECT set_config($1, $2, false)")
    /// What was answered is on disk; a database that is set to answer earlier does not do so here.
    private static let durability = PostgresStatement(
        "durability",
        """
        SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
        """)

    /// Runs SQL that has no parameters and gives no rows.
    @discardableResult
    func execute(_ sql: String) throws(PostgresFailure) -> PostgresResult {
        unsafe try self.taken(PQsendQuery(self.pointer, sql), sql)
    }

    /// Does what takes as long as it takes.
    func withoutHurry(_ work: () throws(PostgresFailure) -> Void) throws(PostgresFailure) {
        let patience = self.patience
        self.patience = .seconds(Int64(Int32.max))
        defer { self.patience = patience }
        try work()
    }

    /// Runs a statement, which is prepared where this connection has not seen it.
    func run(_ statement: PostgresStatement, _ values: [PostgresValue]) throws(PostgresFailure) -> PostgresResult {
        try self.prepare(statement)
        return try self.taken(self.send(PostgresCall(statement, values)), statement.name)
    }

    /// Runs statements one after the other. They are sent together, so that all of them take one way to the database and back.
    ///
    /// - Returns: What each of them gave.
    /// - Throws: The failure of the first that failed; what came behind it was not carried out.
    func run(_ calls: [PostgresCall]) throws(PostgresFailure) -> [PostgresResult] {
        for call in calls { try self.prepare(call.statement) }
        guard unsafe PQenterPipelineMode(self.pointer) == 1 else { throw self.broken }
        // Refused where answers are still to come: then the connection is lost, and given up.
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
                guard !error.isLost else { throw error }
                // Those behind it only say that they were left out.
                guard failure == nil else { continue }
                failure = error
                failure?.hasStopped = index < calls.count - 1
            }
        }
        _ = try self.taken(1, "the end of a pipeline")
        if let failure { throw failure }
        return results
    }

    private func prepare(_ statement: PostgresStatement) throws(PostgresFailure) {
        guard !self.prepared.contains(statement.name) else { return }
        _ = unsafe try self.taken(
            PQsendPrepare(self.pointer, statement.name, statement.sql, 0, nil), statement.name)
        self.prepared.insert(statement.name)
    }

    /// Sends a statement that was prepared; 0 where that can't be.
    private func send(_ call: PostgresCall) -> Int32 {
        var bytes: [UInt8] = []
        let lengths = call.values.map { $0.append(to: &bytes) ?? -1 }
        // An empty value has a place, too.
        bytes.append(0)
        return unsafe tidemark_pq_send(self.pointer, call.statement.name, Int32(lengths.count), bytes, lengths)
    }

    private var broken: PostgresFailure {
        PostgresFailure(state: "", message: unsafe String(cString: PQerrorMessage(self.pointer)), isLost: true)
    }

    /// Waits until a notification comes, or the time is over; those that came, by what they carry.
    func notifications(waiting time: Duration) throws(PostgresFailure) -> [String] {
        guard unsafe tidemark_pq_wait(self.pointer, Int32(clamping: time.milliseconds)) != 0 else { throw self.broken }
        var texts: [String] = []
        while let note = unsafe PQnotifies(self.pointer) {
            unsafe texts.append(String(cString: note.pointee.extra))
            unsafe PQfreemem(note)
        }
        return texts
    }

    /// The answer to what was sent, if it could be.
    private func taken(_ wasSent: Int32, _ statement: String) throws(PostgresFailure) -> PostgresResult {
        var isOver: Int32 = 0
        let result = unsafe tidemark_pq_result(self.pointer, wasSent, self.patience.milliseconds, &isOver)
        guard isOver == 0 else {
            throw PostgresFailure(
                state: "",
                message: "the database said nothing for \(self.patience); it stands still, or the way to it does",
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
