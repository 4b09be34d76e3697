package import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
package import TidemarkRules

extension SQLiteStore: IndexedStore {
    /// Makes and drops indexes, so that a collection has exactly the given indexes; a guest makes and drops nothing. Then pays the debts
    /// of the tables that are known here.
    package func declare(
        _ indexes: RecordIndexes, in collection: String, asGuest: Bool
    ) throws(TidemarkError) {
        try self.write { () throws(DatabaseError) in
            let isProjected = self.projections.has(collection)
            let declared = DeclaredIndexes(indexes)
            self.declared[CodePointString(collection)] = indexes.keys.indexes.isEmpty && !isProjected ? nil : declared
            if !asGuest {
                let id = try self.collectionID(collection)
                let hasRecords = try id.map { (id) throws(DatabaseError) in try self.hasRecords(id) } ?? false
                try self.projections.dropOthers()
                // The indexes of an unknown collection are made with its first row.
                if id != nil { try self.makeIndexes(declared, of: collection, hasRecords: hasRecords) }
                try self.projections.declare(collection, declared.fingerprint, hasRecords: hasRecords)
            }
            try self.payDebts(in: collection, declared)
        }
    }

    /// Makes and drops indexes of a collection in the file.
    func makeIndexes(_ declared: DeclaredIndexes, of collection: String, hasRecords: Bool) throws(DatabaseError) {
        let indexes = declared.rules.keys.indexes
        var kept: [RecordIndex] = []
        for old in try self.derived.all(.index, in: collection) {
            if indexes.contains(old.index), old.fingerprint == declared.fingerprint {
                kept.append(old.index)
            } else {
                try self.drop(old)
            }
        }
        for index in indexes where !kept.contains(index) {
            let made = try self.derived.add(
                .index, JSON.array(index.paths.map { JSON($0) }).text, of: collection, declared.fingerprint,
                builtTo: hasRecords ? 0 : nil)
            try self.database.execute(
                """
                CREATE TABLE \(made.entries) (
                    key BLOB NOT NULL,
                    pk TEXT NOT NULL,
                    record INTEGER NOT NULL,
                    PRIMARY KEY (key, pk)
                ) STRICT, WITHOUT ROWID
                """)
        }
    }

    private func drop(_ index: DerivedTable) throws(DatabaseError) {
        try self.database.execute("DROP TABLE \(index.entries)")
        try self.derived.remove(index)
    }

    /// Drops the indexes of a collection.
    func dropIndexes(of collection: String) throws(DatabaseError) {
        for index in try self.derived.all(.index, in: collection) { try self.drop(index) }
    }

    /// Drops all indexes.
    func dropAllIndexes() throws(DatabaseError) {
        for table in try self.derived.all() where table.kind == .index { try self.drop(table) }
    }

    /// The indexes in the file, in the order of the declaration; nil if other ones are declared.
    func declaredIndexes(in collection: String) throws(DatabaseError) -> [DerivedTable]? {
        let tables = try self.derived.all(.index, in: collection)
        guard let declared = self.declared[CodePointString(collection)], declared.are(tables) else { return nil }
        return declared.sorted(tables).map(\.table)
    }

    /// The indexes in the store, complete or not.
    package func storedIndexes(in collection: String) throws(TidemarkError) -> [RecordIndex] {
        try self.read { () throws(DatabaseError) in
            if let declared = try self.declaredIndexes(in: collection) { return declared.map(\.index) }
            return try self.derived.all(.index, in: collection).map(\.index)
        }
    }

    /// The indexes that are complete.
    package func completeIndexes(in collection: String) throws(TidemarkError) -> [RecordIndex] {
        try self.read { () throws(DatabaseError) in
            try (self.declaredIndexes(in: collection) ?? []).filter(\.isComplete).map(\.index)
        }
    }
}
