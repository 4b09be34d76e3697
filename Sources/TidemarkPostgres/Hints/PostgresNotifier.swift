import Dispatch
import Synchronization
import TidemarkServer

/// Notifies the other processes of changed feeds (Contract §10), over a separate connection.
///
/// In PostgreSQL, commits with a notification wait for each other, in the whole database: if one of them waits for a replica,
/// for example, all do. So no POST waits for a notification. The newest change of each feed is queued, and sent on a separate
/// thread. A lost notification does little harm: the listeners also poll.
final class PostgresNotifier: Sendable {
    private struct Queue {
        /// The newest change, by the feed's name.
        var waiting: [[[UInt8]]: PostgresMove] = [:]
        var isSending = false
        /// False once the database has reported that it has no notifications.
        var isPossible = true
    }

    private struct Line {
        var connection: PostgresConnection?
        var pausedUntil: ContinuousClock.Instant?
    }

    /// The most feeds with a queued change; changes of other feeds are dropped.
    static let limit = 4_096

    private let address: PostgresAddress
    private let timeouts: PostgresTimeouts
    private let queue = Mutex(Queue())
    private let line = Mutex(Line())
    private let thread = DispatchQueue(label: "tidemark.notify")

    init(_ address: PostgresAddress, timeouts: PostgresTimeouts) {
        var timeouts = timeouts
        // No request waits for it, so it may wait for locks as long as any statement.
        timeouts.lock = timeouts.statement
        self.address = address
        self.timeouts = timeouts
    }

    /// Queues changes; returns at once.
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

    /// Closes the connection.
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

    /// Sends one payload, over a new connection if the current one is broken.
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

    /// The readers and the writer report an unreachable database.
    private func failed(_ error: PostgresFailure) {
        self.line.withLock { line in
            if error.isLost { line.connection = nil }
            line.pausedUntil = ContinuousClock.now + self.timeouts.pause
        }
        if Self.hasNone.contains(error.state) { self.queue.withLock { $0.isPossible = false } }
    }

    /// The SQLSTATEs of a database without notifications.
    private static let hasNone = ["0A000", "42883"]
    private static let notify = PostgresStatement("notify", "SELECT pg_notify($1, $2)")
}
