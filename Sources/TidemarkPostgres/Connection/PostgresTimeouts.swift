/// How long the database may take, so that one that hangs never holds the server for ever (SPEC §3.7).
public struct PostgresTimeouts: Sendable, Hashable {
    /// To make a connection.
    public var connect: Duration = .seconds(10)
    /// After a connection could not be made, until the next is tried.
    public var pause: Duration = .seconds(1)
    /// For one statement.
    public var statement: Duration = .seconds(30)
    /// Until anything comes at all: longer than a statement may take, for a database, or a network, that stands still. Then
    /// the connection is given up.
    public var answer: Duration = .seconds(35)
    /// To wait for another process that writes to the same collection of the same account: that takes milliseconds, unless it
    /// stands still, and whoever comes behind waits as well.
    public var lock: Duration = .seconds(2)
    /// For a server that says nothing within its transaction: the database then ends it, so that a process that stands still
    /// doesn't hold the others.
    public var silence: Duration = .seconds(30)

    /// The times as they are without a word said.
    public init() {}
}

extension Duration {
    /// Whole milliseconds, as the database's settings count.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = self.components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
