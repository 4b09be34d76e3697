public import TidemarkCore
import TidemarkDatabase
public import TidemarkRules

extension SQLiteStore {
    /// A setting of the store as a whole; nil when it was never set.
    public func setting(_ key: String) throws(TidemarkError) -> String? {
        try self.read { () throws(DatabaseError) in
            let statement = try self.database.statement("SELECT value FROM setting WHERE key = ?1", binding: key)
            return try statement.rows { (columns) throws(DatabaseError) in try columns.text() }.first
        }
    }

    /// Sets or (nil) removes a setting of the store as a whole.
    public func set(_ key: String, to value: String?) throws(TidemarkError) {
        try self.write { () throws(DatabaseError) in
            let sql =
                value == nil
                ? "DELETE FROM setting WHERE key = ?1" : "INSERT OR REPLACE INTO setting (key, value) VALUES (?1, ?2)"
            let statement = try self.database.statement(sql, binding: key)
            if let value {
                try statement.bind(2, value)
            }
            try statement.run()
        }
    }

    /// The names of the collections that have a row of any kind, in the order of their UTF-8 bytes.
    public func collections() throws(TidemarkError) -> [String] {
        try self.read { () throws(DatabaseError) in
            let statement = try self.database.statement(
                """
                SELECT name FROM collection WHERE has_state
                OR EXISTS (SELECT 1 FROM record WHERE collection = collection.id)
                OR EXISTS (SELECT 1 FROM quarantined_item WHERE collection = collection.id)
                OR EXISTS (SELECT 1 FROM journal WHERE collection = collection.id)
                OR EXISTS (SELECT 1 FROM removal WHERE collection = collection.id)
                ORDER BY name
                """)
            return try statement.rows { (columns) throws(DatabaseError) in try columns.text() }
        }
    }

    /// The state of a collection besides its records; a new value for an unknown collection.
    public func state(of collection: String) throws(TidemarkError) -> CollectionState {
        try self.read { () throws(DatabaseError) in
            let statement = try self.database.statement(
                """
                SELECT cursor, seen, epoch, resync, resync_is_running, claim, resync_generation, malformed_tries,
                    resync_began, last_in_sync, exchange_memory
                FROM collection WHERE name = ?1
                """, binding: collection)
            return try statement.rows { (columns) throws(DatabaseError) in
                CollectionState(
                    cursor: try columns.textOrNull(), seen: try columns.textOrNull(),
                    epoch: try columns.textOrNull(), resync: try columns.resync(),
                    claim: try columns.reason(), resyncGeneration: try columns.integer(),
                    malformedTries: try columns.count(),
                    resyncBegan: try columns.time(), lastInSync: try columns.time(),
                    exchangeMemory: try columns.textOrNull())
            }.first ?? CollectionState()
        }
    }

    /// Saves the state of a collection besides its records.
    public func save(_ state: CollectionState, of collection: String) throws(TidemarkError) {
        try self.write { () throws(DatabaseError) in
            try self.database.statement(
                """
                UPDATE collection SET has_state = 1, cursor = ?2, seen = ?3, epoch = ?4, resync = ?5,
                    resync_is_running = ?6, claim = ?7, resync_generation = ?8, malformed_tries = ?9, resync_began = ?10,
                    last_in_sync = ?11, exchange_memory = ?12
                WHERE id = ?1
                """, binding: try self.knownCollectionID(collection), state.cursor, state.seen, state.epoch,
                state.resync?.reason.rawValue, state.resync?.isRunning == true ? 1 : 0 as Int64, state.claim?.rawValue,
                state.resyncGeneration, Int64(state.malformedTries), state.resyncBegan?.wholeMicroseconds,
                state.lastInSync?.wholeMicroseconds, state.exchangeMemory
            ).run()
        }
    }

    /// Removes all data of a collection. Its rows stay in the file, with a number that no other collection gets, until
    /// ``removeErased(limit:)``: a million of them take seconds, in which no other call would be answered.
    public func erase(collection: String) throws(TidemarkError) {
        try self.write { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return }
            self.known.forgetAll()
            self.figures.forget(id)
            try self.dropIndexes(of: collection)
            try self.projections.erase(collection)
            try self.database.statement("DELETE FROM reference WHERE collection = ?1", binding: collection).run()
            try self.database.statement("DELETE FROM collection WHERE id = ?1", binding: id).run()
            self.forgetCollectionID(of: collection)
        }
    }

    /// Removes rows of erased collections.
    public func removeErased(limit: Int) throws(TidemarkError) -> Bool {
        try self.write { () throws(DatabaseError) in
            var left = max(1, limit)
            for (table, key) in Self.tablesOfCollections {
                while let id = try self.erasedCollection(in: table) {
                    guard left > 0 else { return true }
                    try self.database.statement(
                        """
                        DELETE FROM \(table) WHERE collection = ?1
                        AND \(key) IN (SELECT \(key) FROM \(table) WHERE collection = ?1 LIMIT ?2)
                        """, binding: id, Int64(left)
                    ).run()
                    left -= self.database.changes
                }
            }
            return false
        }
    }

    /// The tables with rows of collections, and the key of a row in its collection.
    static let tablesOfCollections: [(name: String, key: String)] = [
        ("record", "id"), ("quarantined_item", "pk"), ("journal", "number"), ("removal", "number"),
    ]

    /// The first number in a table that is no collection's any more. The numbers are looked up one after the other in an index: each
    /// costs the same, however many rows it has.
    private func erasedCollection(in table: String) throws(DatabaseError) -> Int64? {
        let statement = try self.database.statement(
            """
            WITH RECURSIVE number (id) AS (
                SELECT min(collection) FROM \(table) UNION ALL
                SELECT (SELECT min(collection) FROM \(table) WHERE collection > number.id) FROM number WHERE id IS NOT NULL)
            SELECT id FROM number WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM collection) LIMIT 1
            """)
        return try statement.rows { (columns) throws(DatabaseError) in try columns.integer() }.first
    }

    /// Quarantined feed items, in the order of the UTF-8 bytes of their pk.
    public func quarantinedItems(in collection: String) throws(TidemarkError) -> [QuarantinedItem] {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return [] }
            let statement = try self.database.statement(
                "SELECT pk, reason FROM quarantined_item WHERE collection = ?1 ORDER BY pk", binding: id)
            return try statement.rows { (columns) throws(DatabaseError) in
                QuarantinedItem(pk: try columns.text(), reason: try columns.text())
            }
        }
    }

    /// Inserts or replaces (by pk) a quarantined item.
    public func quarantine(_ item: QuarantinedItem, in collection: String) throws(TidemarkError) {
        try self.write { () throws(DatabaseError) in
            try self.database.statement(
                "INSERT OR REPLACE INTO quarantined_item (collection, pk, reason) VALUES (?1, ?2, ?3)",
                binding: try self.knownCollectionID(collection), item.pk, item.reason
            ).run()
        }
    }

    /// Removes a quarantined item.
    public func clearQuarantine(_ pk: String, in collection: String) throws(TidemarkError) {
        try self.write { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return }
            try self.database.statement(
                "DELETE FROM quarantined_item WHERE collection = ?1 AND pk = ?2", binding: id, pk
            ).run()
        }
    }
}

extension ColumnReader {
    fileprivate mutating func resync() throws(DatabaseError) -> CollectionState.Resync? {
        let reason = try self.reason()
        let isRunning = try self.flag()
        return reason.map { CollectionState.Resync($0, isRunning: isRunning) }
    }

    fileprivate mutating func reason() throws(DatabaseError) -> CollectionState.Resync.Reason? {
        guard let text = try self.textOrNull() else { return nil }
        guard let reason = CollectionState.Resync.Reason(rawValue: text) else {
            throw DatabaseError(unknown: text, of: "reason of a full resync")
        }
        return reason
    }

    fileprivate mutating func time() throws(DatabaseError) -> Duration? {
        try self.integerOrNull().map { .microseconds($0) }
    }
}

extension Duration {
    fileprivate var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = self.components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
