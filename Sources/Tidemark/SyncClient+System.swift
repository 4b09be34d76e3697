public import TidemarkCore

extension SyncClient {
    /// Makes a client, and waits for its store without blocking a thread of Swift's pool: another process may just be closing it.
    ///
    /// ```swift
    /// let client = try await SyncClient.open(store: .sqlite(at: path), remote: .http(url, token: token))
    /// ```
    ///
    /// - Parameters:
    ///   - store: Opens the store; evaluated again, on a thread of its own, as long as that throws `storeBusy`.
    ///   - remote: The server.
    ///   - configuration: What decides conflicts, and all limits.
    ///   - collections: The only collections that may be used, as in ``init(store:remote:configuration:collections:)``; nil for any.
    ///   - limit: How long to wait for a store that is busy; ``openingLimit`` if it is left out.
    /// - Throws: ``TidemarkError/Code/storeBusy`` if the store is busy after that time, ``TidemarkError/Code/cancelled`` to a
    ///   task that was cancelled, and what ``init(store:remote:configuration:collections:)`` throws.
    public static func open<Store: RecordStore & SendableMetatype>(
        store: @autoclosure @escaping @Sendable () throws(TidemarkError) -> sending Store, remote: some Remote,
        configuration: SyncConfiguration = SyncConfiguration(), collections: [String]? = nil,
        waiting limit: Duration = SyncClient.openingLimit
    ) async throws(TidemarkError) -> SyncClient {
        try await self.open(
            store: try store(), remote: remote, configuration: configuration, collections: collections,
            time: SystemTime(), seed: UInt64.random(in: .min ... .max), waiting: limit)
    }

    /// Makes a client with the device's clock and with chance from the system, at once: a store that another client has open is
    /// an error. ``open(store:remote:configuration:collections:waiting:)`` waits for it.
    ///
    /// ```swift
    /// let client = try SyncClient(store: .sqlite(at: path), remote: .http(url, token: token))
    /// ```
    ///
    /// - Parameters:
    ///   - store: Where the records are. It belongs to this client alone.
    ///   - remote: The server.
    ///   - configuration: What decides conflicts, and all limits.
    ///   - collections: The only collections that may be used: any other name throws ``TidemarkError/Code/unknownCollection``,
    ///     and says which one was probably meant. Nil for any: a collection is synced then from its first use on.
    /// - Throws: ``TidemarkError/Code/promiseNotAccepted`` where the server can't keep a promise that
    ///   ``SyncConfiguration/accepts`` does not name, ``TidemarkError/Code/unknownCollection`` where the configuration has rules
    ///   for another collection, and what the store throws, such as ``TidemarkError/Code/storeBusy``.
    public init(
        store: sending some RecordStore, remote: some Remote, configuration: SyncConfiguration = SyncConfiguration(),
        collections: [String]? = nil
    ) throws(TidemarkError) {
        try self.init(
            store: store, remote: remote, configuration: configuration, collections: collections, time: SystemTime(),
            seed: UInt64.random(in: .min ... .max))
    }
}
