import CPostgres

/// The connection that receives notifications; it is replaced when it breaks.
struct PostgresEar {
    private let address: PostgresAddress
    private let timeouts: PostgresTimeouts
    private var connection: PostgresConnection?
    private var nextTry = ContinuousClock.now
    /// False if the database has no notifications.
    private var isPossible = true

    init(_ address: PostgresAddress, timeouts: PostgresTimeouts) {
        self.address = address
        self.timeouts = timeouts
    }

    /// Whether notifications can arrive.
    var isListening: Bool { self.connection != nil }

    /// Returns the changes of other processes; waits for them at most for `time`. The first call after a break returns at once.
    mutating func moves(waiting time: Duration) -> [PostgresMove] {
        do throws(PostgresFailure) {
            guard let connection = self.connection else {
                try self.connect(waiting: time)
                return []
            }
            return try connection.notifications(waiting: time).flatMap { payload in
                payload.utf8.split(separator: UInt8(ascii: "\n")).compactMap { PostgresMove(Substring($0)) }
            }
        } catch {
            // The readers and the writer report an unreachable database.
            self.connection = nil
            self.isPossible = self.isPossible && !["0A000", "42601", "42883"].contains(error.state)
            self.nextTry = ContinuousClock.now + self.timeouts.pause
            return []
        }
    }

    private mutating func connect(waiting time: Duration) throws(PostgresFailure) {
        guard self.isPossible, ContinuousClock.now >= self.nextTry else {
            tidemark_pq_rest(Int32(clamping: time.milliseconds))
            return
        }
        let connection = try PostgresConnection(self.address, timeouts: self.timeouts)
        try connection.execute("LISTEN \(PostgresMove.channel)")
        self.connection = connection
    }
}
