/// The time limits of the database, so that a hanging one can't block the server indefinitely (Contract §3.7).
public struct PostgresTimeouts: Sendable, Hashable {
    /// For a connection attempt.
    public var connect: Duration = .seconds(10)
    /// Between a failed connection attempt and the next one.
    public var pause: Duration = .seconds(1)
    /// For one statement.
    public var statement: Duration = .seconds(30)
    /// For the first byte of an answer: longer than a statement may take, in case the database or the network hangs. Then the
    /// connection is closed.
    public var answer: Duration = .seconds(35)
    /// The lock timeout: for another process that writes to the same collection of the same account. That takes milliseconds,
    /// unless that process hangs; later requests wait as well.
    public var lock: Duration = .seconds(2)
    /// For a server that is silent within its transaction: the database then ends the transaction, so that a hanging process
    /// does not block the others.
    public var silence: Duration = .seconds(30)

    /// The default time limits.
    public init() {}
}

extension Duration {
    /// Whole milliseconds, as the database's settings count.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = self.components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
