public import TidemarkCore

extension SyncClient {
    /// Makes a client with the device's clock and with chance from the system.
    ///
    /// ```swift
    /// let client = try SyncClient(store: .sqlite(at: path), remote: .http(url, token: token))
    /// ```
    ///
    /// - Parameters:
    ///   - store: Where the records are. It belongs to this client alone.
    ///   - remote: The server.
    ///   - configuration: What decides conflicts, and all limits.
    /// - Throws: ``TidemarkError/Code/promiseNotAccepted`` where the server can't keep a promise that
    ///   ``SyncConfiguration/accepts`` does not name, and what the store throws.
    public init(
        store: sending some RecordStore, remote: some Remote, configuration: SyncConfiguration = SyncConfiguration()
    ) throws(TidemarkError) {
        try self.init(
            store: store, remote: remote, configuration: configuration, time: SystemTime(),
            seed: UInt64.random(in: .min ... .max))
    }
}
