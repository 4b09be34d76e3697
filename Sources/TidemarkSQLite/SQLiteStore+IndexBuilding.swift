import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkMachine
package import TidemarkRules

extension SQLiteStore {
    /// A slice of an index is complete with the record that makes its contents this large, in bytes.
    package static let indexSliceBytes = 8 << 20

    /// Adds the entries of some more rows to the indexes that are not complete, or else rows to tables of the app.
    package func buildIndexes(in collection: String, limit: Int) throws(TidemarkError) -> Bool {
        try self.write { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection), let indexes = try self.indexes(of: id),
                let rules = indexes.rules, let builtTo = indexes.leastBuiltTo
            else { return try self.buildProjections(of: collection, limit: limit) }
            var slice = IndexSlice(indexes, rules, builtTo)
            let last = try slice.read(self, of: id, limit: limit)
            try slice.insert(on: self.database)
            let statement = try self.database.statement(
                "UPDATE field_index SET built_to = ?3 WHERE collection = ?1 AND built_to = ?2")
            try statement.bind(1, id)
            try statement.bind(2, builtTo)
            try statement.bind(3, last)
            try statement.run()
            indexes.advance(builtTo, to: last)
            return indexes.areComplete ? try self.projections.isIncomplete(collection) : true
        }
    }
}

/// The rows of one slice, and their entries in the indexes that are built to the same place.
private struct IndexSlice {
    private let rules: RecordIndexes
    private let builtTo: Int64

    /// The indexes, as numbers in ``RecordIndexes``, with their tables and new entries.
    private var parts: [(number: Int, table: String, batch: EntryBatch)]
    private var keys = KeyList()

    /// The size of the contents that were read.
    private var bytes = 0

    init(_ indexes: CollectionIndexes, _ rules: RecordIndexes, _ builtTo: Int64) {
        self.rules = rules
        self.builtTo = builtTo
        self.parts = indexes.list.enumerated().filter { $1.builtTo == builtTo }.map { ($0, $1.table, EntryBatch()) }
    }

    /// Reads rows.
    ///
    /// - Returns: The number of the last row; nil if there are no more.
    mutating func read(_ store: SQLiteStore, of collection: Int64, limit: Int) throws(DatabaseError) -> Int64? {
        // Rows of other collections count, since they are passed as well; but not those before the collection's first one.
        let statement = try store.database.statement(
            """
            SELECT id, collection = ?1, \(StoredRecord.columnList) FROM record
            WHERE id > coalesce(nullif(?2, 0), (SELECT min(id) - 1 FROM record WHERE collection = ?1)) ORDER BY id LIMIT ?3
            """)
        try statement.bind(1, collection)
        try statement.bind(2, self.builtTo)
        try statement.bind(3, Int64(limit))
        var (last, count) = (self.builtTo, 0)
        while self.bytes < SQLiteStore.indexSliceBytes, try statement.step() {
            (last, count) = (try statement.int64(0), count + 1)
            if try statement.int64(1) != 0 { try self.take(last, statement) }
        }
        let isLast = count < limit && self.bytes < SQLiteStore.indexSliceBytes
        statement.reset()
        return isLast ? nil : last
    }

    private mutating func take(_ row: Int64, _ statement: DatabaseStatement) throws(DatabaseError) {
        let content: IndexedContent?
        if try statement.text(Self.state) == SyncState.synced.rawValue {
            let data = try statement.bytesOrNull(Self.data)
            self.bytes += data?.count ?? 0
            content = self.rules.content(synced: data)
        } else {
            var columns = ColumnReader(statement, from: Self.columns)
            let record = try StoredRecord(&columns)
            let parts = [record.confirmed.data, record.editedData, record.upload?.edit]
            self.bytes += parts.reduce(0) { $0 + ($1?.count ?? 0) }
            content = self.rules.content(of: record)
        }
        guard let content else { return }
        for place in self.parts.indices {
            self.rules.keys.write(keysOf: content.value, in: self.parts[place].number, to: &self.keys)
            unsafe try statement.withBytes(Self.columns) { (pk) throws(DatabaseError) in
                for key in 0..<self.keys.count {
                    unsafe self.parts[place].batch.append(key, of: self.keys, pk: pk, row: row)
                }
            }
        }
    }

    /// Inserts the entries.
    mutating func insert(on database: DatabaseConnection) throws(DatabaseError) {
        for place in self.parts.indices {
            try self.parts[place].batch.write(to: self.parts[place].table, on: database)
        }
    }

    /// The place of the record's first column, and of two others.
    private static let columns = 2
    private static let state = Self.place(of: .state)
    private static let data = Self.place(of: .data)

    private static func place(of column: StoredRecord.Column) -> Int {
        Self.columns + (StoredRecord.Column.all.firstIndex(of: column) ?? 0)
    }
}
