public import TidemarkServer

/// The reference server in this process, in memory, with its clock in the test's hand.
///
/// Every instance has a history of its own, and forgets all with the instance.
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
    ///   - clock: Stamps the rows; it stands still until it is moved, and versions grow all the same.
    ///   - tokens: Each is one account; without any there is one account, open to all.
    ///   - limits: How much of everything is allowed.
    ///   - epoch: The name of its history, the same in every run, so that a run can be repeated byte for byte.
    ///   - run: The name of the server's run, which stands in its watermarks (SPEC W8); the same, for the same reason.
    public init(
        clock: ManualClock = ManualClock(), tokens: [String] = [], limits: ServerLimits = ServerLimits(),
        epoch: String = "epoch-1", run: String = "run-1"
    ) throws(ServerStorageError) {
        let storage = try SQLiteServerStorage(.memory, epoch: { epoch }, run: { run })
        self.clock = clock
        self.core = ServerCore(
            storage: storage, accounts: ServerAccounts(tokens: tokens), limits: limits, now: { clock.microseconds })
    }

    /// What a server had at one moment.
    public struct Backup: Sendable {
        fileprivate let image: [UInt8]
    }

    /// What the server has now, as a backup of its file would have it.
    public func backup() throws(ServerStorageError) -> Backup {
        Backup(image: try self.core.image() ?? [])
    }

    /// Starts a server on what another one had: the same one started again, or one that was put back to a backup.
    ///
    /// - Parameters:
    ///   - backup: What it begins with, the name of the history included.
    ///   - clock: Stamps the rows.
    ///   - tokens: Each is one account; without any there is one account, open to all.
    ///   - limits: How much of everything is allowed.
    ///   - run: The name of the server's run: another one than those before, as each start has its own (SPEC W8).
    public init(
        _ backup: Backup, clock: ManualClock, tokens: [String] = [], limits: ServerLimits = ServerLimits(), run: String
    ) throws(ServerStorageError) {
        let storage = try SQLiteServerStorage(image: backup.image) { run }
        self.clock = clock
        self.core = ServerCore(
            storage: storage, accounts: ServerAccounts(tokens: tokens), limits: limits, now: { clock.microseconds })
    }

    /// How long a watch hears nothing before it hears that the server is there, by the server's clock (SPEC §10).
    public static let heartbeat = Duration.seconds(15)

    /// Answers one request, as over a connection.
    public func handle(_ request: ServerRequest) -> ServerResponse {
        self.core.handle(request)
    }

    /// Forgets tombstones and remembered answers that are older than an age, by the server's clock (SPEC W7).
    @discardableResult
    public func purge(olderThan age: Duration) throws(ServerStorageError) -> ServerPurge {
        try self.core.purge(olderThan: age)
    }
}
