import Dispatch
import Synchronization
import TidemarkServer

/// Tells the other processes which feeds have moved (SPEC §10), over a connection of its own.
///
/// PostgreSQL lets the commits of all that notify wait for each other, in the whole database: where one of them waits for a
/// replica, say, all do. So no POST waits for a notification. The moves are queued, of each feed the newest, and sent on a
/// thread of its own. One that is lost does little harm: whoever listens looks now and then.
final class PostgresNotifier: Sendable {
    private struct Queue {
        /// By the name of their feed.
        var waiting: [[[UInt8]]: PostgresMove] = [:]
        var isSending = false
        /// False once the database said that it has no notifications.
        var isPossible = true
    }

    private struct Line {
        var connection: PostgresConnection?
        var pausedUntil: ContinuousClock.Instant?
    }

    /// Of how many feeds a move may wait; of others it is left out.
    static let limit = 4_096

    private let address: PostgresAddress
    private let timeouts: PostgresTimeouts
    private let queue = Mutex(Queue())
    private let line = Mutex(Line())
    private let thread = DispatchQueue(label: "tidemark.notify")

    init(_ address: PostgresAddress, timeouts: PostgresTimeouts) {
        var timeouts = timeouts
        // Nobody waits for it, so it may wait for others as long as any statement.
        timeouts.lock = timeouts.statement
        self.address = address
        self.timeouts = timeouts
    }

    /// Tells of moves, soon; returns at once.
    func add(_ moves: [PostgresMove]) {
        let begins = self.queue.withLock { queue -> Bool in
            guard queue.isPossible, !moves.isEmpty else { return false }
            for move in moves where queue.waiting.count < Self.limit || queue.waiting[move.name] != nil {
                queue.waiting[move.name] = move
            }
            defer { queue.isSending = true }
            return !queue.isSending
        }
        if begins { self.thread.async { self.send() } }
    }

    /// Gives up the connection.
    func close() {
        self.thread.async { self.line.withLock { $0 = Line() } }
    }

    private func send() {
        while let moves = self.takeWaiting() {
            for payload in PostgresMove.payloads(of: moves) {
                do throws(PostgresFailure) {
                    try self.send(payload)
                } catch {
                    self.failed(error)
                    break
                }
            }
        }
    }

    private func takeWaiting() -> [PostgresMove]? {
        self.queue.withLock { queue in
            guard queue.isPossible, !queue.waiting.isEmpty else {
                queue.isSending = false
                return nil
            }
            defer { queue.waiting = [:] }
            return Array(queue.waiting.values)
        }
    }

    /// Sends one payload; over a new connection where the one that is there broke since it was used.
    private func send(_ payload: String) throws(PostgresFailure) {
        let values: [PostgresValue] = [.text(PostgresMove.channel), .text(payload)]
        try self.line.withLock { line throws(PostgresFailure) in
            if let pausedUntil = line.pausedUntil, ContinuousClock.now < pausedUntil { return }
            if let connection = line.connection {
                do throws(PostgresFailure) {
                    _ = try connection.run(Self.notify, values)
                    return
                } catch  where error.isLost {
                    line.connection = nil
                }
            }
            let connection = try PostgresConnection(self.address, timeouts: self.timeouts)
            _ = try connection.run(Self.notify, values)
            line.connection = connection
        }
    }

    /// That there is no database is said by those who read and write.
    private func failed(_ error: PostgresFailure) {
        self.line.withLock { line in
            if error.isLost { line.connection = nil }
            line.pausedUntil = ContinuousClock.now + self.timeouts.pause
        }
        if Self.hasNone.contains(error.state) { self.queue.withLock { $0.isPossible = false } }
    }

    /// The SQLSTATEs of a database that has no notifications.
    private static let hasNone = ["0A000", "42883"]
    private static let notify = PostgresStatement("notify", "SELECT pg_notify($1, $2)")
}
