import TidemarkJSON
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

    /// The collections that are synced: those that the store holds, that the configuration has rules for, that the client was
    /// made for, and that the app has used since; in the order of the UTF-8 bytes of their names.
    public var collectionNames: [String] {
        get throws(TidemarkError) {
            let known = try self.engine.collections().map { CodePointString($0) }
            return self.collections.names.union(known).sorted().map(\.value)
        }
    }

    /// The collections of a sync: those that are asked for, or all, also what the store still holds of an earlier version of the
    /// app.
    ///
    /// - Throws: ``TidemarkError/Code/unknownCollection`` and ``TidemarkError/Code/invalidName`` for one that is asked for.
    func names(_ collections: [String]?) throws(TidemarkError) -> [String] {
        guard let collections else { return try self.collectionNames }
        for name in collections { try self.collections.use(name) }
        return collections
    }

    /// The engine, for something in a collection.
    ///
    /// - Throws: ``TidemarkError/Code/unknownCollection`` and ``TidemarkError/Code/invalidName``.
    func engine(using collection: String) throws(TidemarkError) -> SyncEngine {
        let engine = try self.engine
        try self.collections.use(collection)
        return engine
    }
}
