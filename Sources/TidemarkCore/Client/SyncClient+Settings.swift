package import TidemarkRules

// What a tool keeps beside the records, in the same store.

extension SyncClient {
    /// A value that belongs to the store as a whole; nil when it was never set.
    package func setting(_ key: String) throws(TidemarkError) -> String? {
        try self.engine.setting(key)
    }

    /// Sets or (nil) removes a value that belongs to the store as a whole. Durable when it returns.
    package func set(_ key: String, to value: String?) throws(TidemarkError) {
        try self.engine.set(key, to: value)
    }

    /// The same value as ``setting(_:)``, before there is a client: for a configuration that is in the store itself.
    package static func setting(_ key: String, in store: some RecordStore) throws(TidemarkError) -> String? {
        try SyncEngine(store: store, configuration: SyncConfiguration(), seed: 0).setting(key)
    }
}

extension SyncClient {
    /// The last transitions of both machines, which the store keeps where ``SyncConfiguration/traceLimit`` says so; empty
    /// where it keeps none.
    public var trace: SyncTrace {
        get throws(TidemarkError) { try self.engine.storedTrace() }
    }

    /// The collections that the store or the configuration names, in the order of their UTF-8 bytes.
    public var collectionNames: [String] {
        get throws(TidemarkError) { try self.engine.collections() }
    }
}
