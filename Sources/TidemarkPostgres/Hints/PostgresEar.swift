import CPostgres

/// The connection that notifications come over, made anew when it breaks.
struct PostgresEar {
    private let address: PostgresAddress
    private let timeouts: PostgresTimeouts
    private var connection: PostgresConnection?
    private var nextTry = ContinuousClock.now
    /// False for a database that has no notifications.
    private var isPossible = true

    init(_ address: PostgresAddress, timeouts: PostgresTimeouts) {
        self.address = address
        self.timeouts = timeouts
    }

    /// Whether notifications come.
    var isListening: Bool { self.connection != nil }

    /// What others have moved; waits for it so long at most. The first call after a break returns at once.
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
            // That there is no database is said by those who read and write.
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
