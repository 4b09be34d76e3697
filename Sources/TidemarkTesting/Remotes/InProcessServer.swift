public import TidemarkServer

/// The reference server in this process, in memory, with a clock under the test's control.
///
/// Every instance has a separate history, and discards its data in `deinit`.
///
/// ```swift
/// let server = try InProcessServer()
/// let phone = try SyncClient(store: MemoryStore(), remote: InProcessRemote(server))
/// ```
public final class InProcessServer: Sendable {
    /// The server's clock.
    public let clock: ManualClock

    /// The server itself.
    public let core: ServerCore

    /// Makes an empty server.
    ///
    /// - Parameters:
    ///   - clock: The clock of the versions; it moves only when the test moves it, and versions grow nevertheless.
    ///   - tokens: One account for each token; without any there is one account, open to all.
    ///   - limits: The limits of sizes and counts.
    ///   - epoch: The name of its history, the same in every run of a test, so that it can be repeated byte for byte.
    ///   - run: The name of the server's incarnation, a part of its cursors (W8); the same, for the same reason.
    public init(
        clock: ManualClock = ManualClock(), tokens: [String] = [], limits: ServerLimits = ServerLimits(),
        epoch: String = "epoch-1", run: String = "run-1"
    ) throws(ServerStorageError) {
        let storage = try SQLiteServerStorage(.memory, epoch: { epoch }, run: { run })
        self.clock = clock
        self.core = ServerCore(
            storage: storage, accounts: ServerAccounts(tokens: tokens), limits: limits, now: { clock.microseconds })
    }

    /// The data of a server at one moment.
    public struct Backup: Sendable {
        fileprivate let image: [UInt8]
    }

    /// The server's current data, as in a backup of its file.
    public func backup() throws(ServerStorageError) -> Backup {
        Backup(image: try self.core.image() ?? [])
    }

    /// Starts a server with the data of another one: a restarted server, or one that was rolled back to a backup.
    ///
    /// - Parameters:
    ///   - backup: The initial data, including the name of the history.
    ///   - clock: The clock of the versions.
    ///   - tokens: One account for each token; without any there is one account, open to all.
    ///   - limits: How much of everything is allowed.
    ///   - run: The name of the server's incarnation, different from all earlier ones, since each start has its own (W8).
    public init(
        _ backup: Backup, clock: ManualClock, tokens: [String] = [], limits: ServerLimits = ServerLimits(), run: String
    ) throws(ServerStorageError) {
        let storage = try SQLiteServerStorage(image: backup.image) { run }
        self.clock = clock
        self.core = ServerCore(
            storage: storage, accounts: ServerAccounts(tokens: tokens), limits: limits, now: { clock.microseconds })
    }

    /// The time without hints after which a watch gets a heartbeat, by the server's clock (Contract §10).
    public static let heartbeat = Duration.seconds(15)

    /// Answers one request, as over a connection.
    public func handle(_ request: ServerRequest) -> ServerResponse {
        self.core.handle(request)
    }

    /// Deletes tombstones and remembered answers that are older than an age, by the server's clock (W7).
    @discardableResult
    public func purge(olderThan age: Duration) throws(ServerStorageError) -> ServerPurge {
        try self.core.purge(olderThan: age)
    }
}
