import TidemarkJSON
package import TidemarkRules

// Settings that a tool stores in addition to the records.

extension SyncClient {
    /// Returns a setting of the store; nil if it was never set.
    package func setting(_ key: String) throws(TidemarkError) -> String? {
        try self.engine.setting(key)
    }

    /// Sets a setting of the store, or removes it (nil). Durable when it returns.
    package func set(_ key: String, to value: String?) throws(TidemarkError) {
        try self.engine.set(key, to: value)
    }

    /// Returns the same setting as ``setting(_:)`` before a client exists: for a configuration that is in the store itself.
    package static func setting(_ key: String, in store: some RecordStore) throws(TidemarkError) -> String? {
        try SyncEngine.setting(key, in: store)
    }

    /// The capabilities that the owner of a store has saved in it.
    ///
    /// - Throws: ``TidemarkError/Code/storeNewer`` if this code does not understand them.
    package static func storedCapabilities(in store: some RecordStore) throws(TidemarkError) -> RemoteCapabilities {
        try RemoteCapabilities.stored(in: store)
    }
}

extension SyncClient {
    /// Passes the store to a body that only reads, on the client's executor.
    package func withStore<Value>(_ body: (any RecordStore) throws -> Value) throws -> Value {
        try body(self.engine.store)
    }

    /// The last transitions of the state machines of records and exchanges; empty unless ``SyncConfiguration/traceLimit``
    /// makes the store keep them.
    public var trace: SyncTrace {
        get throws(TidemarkError) { try self.engine.storedTrace() }
    }

    /// The collections that are synced: those in the store, those with rules in the configuration, those that the client was
    /// made for, and those that the app has used since then; in the order of the UTF-8 bytes of their names.
    public var collectionNames: [String] {
        get throws(TidemarkError) {
            let known = try self.engine.collections().map { CodePointString($0) }
            return self.collections.names.union(known).sorted().map(\.value)
        }
    }

    /// Returns the collections of a sync: the given ones, or all, including those that an earlier version of the app has left
    /// in the store.
    ///
    /// - Throws: ``TidemarkError/Code/unknownCollection`` and ``TidemarkError/Code/invalidName`` for a given name.
    func names(_ collections: [String]?) throws(TidemarkError) -> [String] {
        guard let collections else { return try self.collectionNames }
        for name in collections { try self.collections.use(name) }
        return collections
    }

    /// Returns the engine for a call that uses a collection.
    ///
    /// - Throws: ``TidemarkError/Code/unknownCollection`` and ``TidemarkError/Code/invalidName``.
    func engine(using collection: String) throws(TidemarkError) -> SyncEngine {
        let engine = try self.engine
        try self.collections.use(collection)
        return engine
    }
}
