package import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkMachine
package import TidemarkRules

extension SQLiteStore: IndexedStore {
    /// Makes and drops indexes, so that a collection has exactly the given indexes.
    package func declare(_ indexes: RecordIndexes, in collection: String) throws(TidemarkError) {
        try self.write { () throws(DatabaseError) in
            let isProjected = self.projections.has(collection)
            self.declared[CodePointString(collection)] = indexes.keys.indexes.isEmpty && !isProjected ? nil : indexes
            let id = try self.collectionID(collection)
            // The indexes of an unknown collection are made with its first row.
            if let id { try self.makeIndexes(indexes, of: id) }
            guard isProjected else { return }
            let hasRecords = try id.map { (id) throws(DatabaseError) in try self.hasRecords(id) } ?? false
            try self.projections.declare(collection, indexes.fingerprint, hasRecords: hasRecords)
        }
    }

    /// Makes and drops indexes of a collection in the file.
    func makeIndexes(_ indexes: RecordIndexes, of collection: Int64) throws(DatabaseError) {
        var kept: [FieldIndex] = []
        for old in try self.indexes(of: collection)?.list ?? [] {
            if indexes.keys.indexes.contains(old.index), old.fingerprint == indexes.fingerprint {
                kept.append(old)
            } else {
                try self.drop(old)
            }
        }
        let missing = indexes.keys.indexes.filter { index in !kept.contains { $0.index == index } }
        if !missing.isEmpty {
            let builtTo: Int64? = try self.hasRecords(collection) ? 0 : nil
            for index in missing { kept.append(try self.make(index, indexes.fingerprint, builtTo, of: collection)) }
        }
        self.stored?[collection] = kept.isEmpty ? nil : CollectionIndexes(kept, declared: indexes)
    }

    private func make(
        _ index: RecordIndex, _ fingerprint: String, _ builtTo: Int64?, of collection: Int64
    ) throws(DatabaseError) -> FieldIndex {
        let statement = try self.database.statement(
            "INSERT INTO field_index (collection, paths, fingerprint, built_to) VALUES (?1, ?2, ?3, ?4)")
        try statement.bind(1, collection)
        try statement.bind(2, JSON.array(index.paths.map { JSON($0) }).text)
        try statement.bind(3, fingerprint)
        try statement.bind(4, builtTo)
        try statement.run()
        let made = FieldIndex(
            id: self.database.lastInsertRowID, index: index, fingerprint: fingerprint, builtTo: builtTo)
        try self.database.execute(
            """
            CREATE TABLE \(made.table) (
                key BLOB NOT NULL,
                pk TEXT NOT NULL,
                record INTEGER NOT NULL,
                PRIMARY KEY (key, pk)
            ) STRICT, WITHOUT ROWID
            """)
        return made
    }

    private func drop(_ index: FieldIndex) throws(DatabaseError) {
        try self.database.execute("DROP TABLE \(index.table); DELETE FROM field_index WHERE id = \(index.id)")
    }

    /// Drops the indexes of a collection.
    func dropIndexes(of collection: Int64) throws(DatabaseError) {
        for index in try self.indexes(of: collection)?.list ?? [] { try self.drop(index) }
        self.stored?[collection] = nil
    }

    /// Drops all indexes.
    func dropAllIndexes() throws(DatabaseError) {
        for collection in try self.readIndexes().keys { try self.dropIndexes(of: collection) }
    }

    /// The indexes in the store, complete or not.
    package func storedIndexes(in collection: String) throws(TidemarkError) -> [RecordIndex] {
        try self.indexes(in: collection)?.list.map(\.index) ?? []
    }

    /// The indexes that are complete.
    package func completeIndexes(in collection: String) throws(TidemarkError) -> [RecordIndex] {
        guard let indexes = try self.indexes(in: collection), indexes.rules != nil else { return [] }
        return indexes.list.filter { $0.builtTo == nil }.map(\.index)
    }

    private func indexes(in collection: String) throws(TidemarkError) -> CollectionIndexes? {
        try self.read { () throws(DatabaseError) in
            if try self.readIndexes().isEmpty { return nil }
            return try self.collectionID(collection).flatMap { (id) throws(DatabaseError) in try self.indexes(of: id) }
        }
    }
}

// MARK: - The definitions

extension SQLiteStore {
    /// The indexes of a collection; nil if there are none.
    func indexes(of collection: Int64) throws(DatabaseError) -> CollectionIndexes? {
        try self.readIndexes()[collection]
    }

    /// Reads the definitions: once, and again after a rollback.
    private func readIndexes() throws(DatabaseError) -> [Int64: CollectionIndexes] {
        if let stored { return stored }
        let statement = try self.database.statement(
            """
            SELECT field_index.id, collection, name, paths, fingerprint, built_to
            FROM field_index JOIN collection ON collection.id = collection ORDER BY field_index.id
            """)
        var lists: [Int64: (name: String, list: [FieldIndex])] = [:]
        _ = try statement.rows { (columns) throws(DatabaseError) in
            let (id, collection, name) = (try columns.integer(), try columns.integer(), try columns.text())
            let text = try columns.text()
            let paths = (try? JSON(parsing: text))?.array?.compactMap(\.string) ?? []
            guard !paths.isEmpty else { throw DatabaseError(unknown: text, of: "index") }
            let index = FieldIndex(
                id: id, index: RecordIndex(paths), fingerprint: try columns.text(), builtTo: try columns.integerOrNull()
            )
            lists[collection, default: (name, [])].list.append(index)
        }
        let stored = lists.mapValues { CollectionIndexes($0.list, declared: self.declared[CodePointString($0.name)]) }
        self.stored = stored
        return stored
    }

    /// The writer of the index entries of a record; nil if the collection has no indexes, as most have none.
    func indexWriter(of collection: Int64) throws(DatabaseError) -> IndexWriter? {
        guard let indexes = try self.indexes(of: collection) else { return nil }
        guard let rules = indexes.rules else {
            // Code that does not know the indexes can't keep them; the next client makes them again.
            try self.dropIndexes(of: collection)
            return nil
        }
        return IndexWriter(indexes, rules, on: self.database)
    }

    /// The writer of the index entries of a page of rows; nil if they are added later. That is so in a collection that is
    /// empty, or has only a few records, which the app made before its first sync.
    func indexWriter(ofPageIn collection: Int64) throws(DatabaseError) -> IndexWriter? {
        guard let indexes = try self.indexes(of: collection) else { return nil }
        if indexes.areComplete, try self.hasOnlyFewChanges(collection) {
            for index in indexes.list { try self.database.execute("DELETE FROM \(index.table)") }
            let statement = try self.database.statement("UPDATE field_index SET built_to = 0 WHERE collection = ?1")
            try statement.bind(1, collection)
            try statement.run()
            indexes.startOver()
        }
        return indexes.areUnbuilt ? nil : try self.indexWriter(of: collection)
    }

    private func hasOnlyFewChanges(_ collection: Int64) throws(DatabaseError) -> Bool {
        let statement = try self.database.statement(
            """
            SELECT count(*) < 100 AND count(*) = count(activity)
            FROM (SELECT activity FROM record WHERE collection = ?1 LIMIT 100)
            """)
        try statement.bind(1, collection)
        return try statement.rows { (columns) throws(DatabaseError) in try columns.integer() } == [1]
    }

    func hasRecords(_ collection: Int64) throws(DatabaseError) -> Bool {
        let statement = try self.database.statement("SELECT 1 FROM record WHERE collection = ?1 LIMIT 1")
        try statement.bind(1, collection)
        return try !statement.rows { (columns) throws(DatabaseError) in try columns.integer() }.isEmpty
    }
}
