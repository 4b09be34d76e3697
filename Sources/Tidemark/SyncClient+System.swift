public import TidemarkCore

extension SyncClient {
    /// Makes a client, and waits for a busy store without blocking a thread of Swift's pool: another process may just be
    /// closing it.
    ///
    /// ```swift
    /// let client = try await SyncClient.open(store: .sqlite(at: path), remote: .http(url, token: token))
    /// ```
    ///
    /// - Parameters:
    ///   - store: Opens the store; evaluated again, on a separate thread, while it throws `storeBusy`.
    ///   - remote: The server.
    ///   - configuration: The rules that decide conflicts, and all limits.
    ///   - collections: The only collections that may be used, as in ``init(store:remote:configuration:collections:)``; nil for any.
    ///   - limit: How long to wait for a store that is busy; ``openingLimit`` if it is left out.
    /// - Throws: ``TidemarkError/Code/storeBusy`` if the store is busy after that time, ``TidemarkError/Code/cancelled`` if the
    ///   task was cancelled, and the errors of ``init(store:remote:configuration:collections:)``.
    public static func open<Store: RecordStore & SendableMetatype>(
        store: @autoclosure @escaping @Sendable () throws(TidemarkError) -> sending Store, remote: some Remote,
        configuration: SyncConfiguration = SyncConfiguration(), collections: [String]? = nil,
        waiting limit: Duration = SyncClient.openingLimit
    ) async throws(TidemarkError) -> SyncClient {
        try await self.open(
            store: try store(), remote: remote, configuration: configuration, collections: collections,
            time: SystemTime(), seed: UInt64.random(in: .min ... .max), waiting: limit)
    }

    /// Makes a client with the device's clock and the system's random numbers, without waiting: a store that another client has
    /// open is an error. ``open(store:remote:configuration:collections:waiting:)`` waits for it.
    ///
    /// ```swift
    /// let client = try SyncClient(store: .sqlite(at: path), remote: .http(url, token: token))
    /// ```
    ///
    /// - Parameters:
    ///   - store: The store of the records. It belongs to this client alone.
    ///   - remote: The server.
    ///   - configuration: The rules that decide conflicts, and all limits.
    ///   - collections: The only collections that may be used: any other name throws ``TidemarkError/Code/unknownCollection``,
    ///     and the error suggests the most similar name. Nil for any: then a collection is synced from its first use on.
    /// - Throws: ``TidemarkError/Code/guaranteeNotAccepted`` if the server can't keep a guarantee that
    ///   ``SyncConfiguration/accepts`` does not name, ``TidemarkError/Code/unknownCollection`` if the configuration has rules
    ///   for another collection, and the errors of the store, such as ``TidemarkError/Code/storeBusy``.
    public init(
        store: sending some RecordStore, remote: some Remote, configuration: SyncConfiguration = SyncConfiguration(),
        collections: [String]? = nil
    ) throws(TidemarkError) {
        try self.init(
            store: store, remote: remote, configuration: configuration, collections: collections, time: SystemTime(),
            seed: UInt64.random(in: .min ... .max))
    }
}
