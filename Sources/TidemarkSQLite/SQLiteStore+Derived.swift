import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkMachine
package import TidemarkRules

// MARK: - Following rows

extension SQLiteStore {
    /// The followers of changed rows; nil if a collection has none, as most.
    ///
    /// - Parameter page: The number of the collection, if a page of rows is written to it. Then indexes and projections of a
    ///   collection without rows of the server are left to the builder: rows that come together are faster to add at the end.
    func followers(of collection: String, page: Int64? = nil) throws(DatabaseError) -> RowFollowers? {
        if try self.derived.all().isEmpty { return nil }
        let declared = self.declared[CodePointString(collection)]
        let indexes = try self.derived.all(.index, in: collection)
        let knowsIndexes = declared?.are(indexes) == true
        if let page, !indexes.isEmpty, indexes.allSatisfy(\.isComplete), try self.hasOnlyFewChanges(page) {
            try self.derived.restart(indexes)
        }
        let (projections, unknown) = try self.projections.follower(of: collection, declared) {
            () throws(DatabaseError) in
            try page.map { (id) throws(DatabaseError) in try !self.hasRecords(id) } ?? false
        }
        var list: [any RowFollower] = []
        if knowsIndexes, let declared, !indexes.allSatisfy({ $0.builtTo == 0 }) {
            list.append(IndexFollower(indexes, declared, on: self.database))
        }
        if let projections { list.append(projections) }
        let debtors = (knowsIndexes ? [] : indexes) + unknown
        if debtors.contains(where: { $0.builtTo != 0 }) { list.append(DebtFollower(debtors, self.derived)) }
        return list.isEmpty ? nil : RowFollowers(list: list, declared: declared)
    }

    /// Whether a collection is empty, or has only a few records, which the app made before its first sync.
    private func hasOnlyFewChanges(_ collection: Int64) throws(DatabaseError) -> Bool {
        let statement = try self.database.statement(
            """
            SELECT count(*) < 100 AND count(*) = count(activity)
            FROM (SELECT activity FROM record WHERE collection = ?1 LIMIT 100)
            """, binding: collection)
        return try statement.rows { (columns) throws(DatabaseError) in try columns.integer() } == [1]
    }

    func hasRecords(_ collection: Int64) throws(DatabaseError) -> Bool {
        let statement = try self.database.statement(
            "SELECT 1 FROM record WHERE collection = ?1 LIMIT 1", binding: collection)
        return try !statement.rows { (columns) throws(DatabaseError) in try columns.integer() }.isEmpty
    }
}

// MARK: - Building

extension SQLiteStore {
    /// A slice is complete with the record that makes its contents this large, in bytes.
    package static let sliceBytes = 8 << 20

    /// The maximum number of rows of a slice for projections: a row of theirs is a call of the app's code, and costs more than an
    /// entry of an index.
    package static let projectionSlice = 2_000

    /// Whether there are rows to add to indexes or projections.
    package func isIncomplete(_ collection: String) throws(TidemarkError) -> Bool {
        try self.read { () throws(DatabaseError) in try !self.nextTables(of: collection).isEmpty }
    }

    /// Adds some more rows to the indexes that are not complete, or else to projections.
    package func buildIndexes(in collection: String, limit: Int) throws(TidemarkError) -> Bool {
        try self.write { () throws(DatabaseError) in
            let tables = try self.nextTables(of: collection)
            guard let declared = self.declared[CodePointString(collection)], let first = tables.first,
                let place = first.builtTo
            else { return false }
            let follower: any RowFollower
            var count = limit
            switch first.kind {
            case .index: follower = IndexFollower(tables, declared, on: self.database, isBuilding: true)
            case .projection:
                follower = self.projections.builder(of: tables)
                count = min(limit, Self.projectionSlice)
            }
            let last = try self.add(
                rowsAfter: place, of: try self.collectionID(collection), limit: count,
                to: RowFollowers(list: [follower], declared: declared))
            try self.derived.advance(tables, to: last)
            return try !self.nextTables(of: collection).isEmpty
        }
    }

    /// The declared tables to which rows are added next, which are built to the same place: indexes first, since queries wait for
    /// them. Those of the file are others if the transaction of a declaration was rolled back.
    private func nextTables(of collection: String) throws(DatabaseError) -> [DerivedTable] {
        guard try !self.derived.all().isEmpty, let declared = self.declared[CodePointString(collection)] else {
            return []
        }
        let indexes = try self.declaredIndexes(in: collection) ?? []
        for tables in [indexes, try self.projections.tables(in: collection, declared)] {
            let unfinished = tables.filter(\.isUnfinished)
            guard let place = unfinished.compactMap(\.builtTo).min() else { continue }
            return unfinished.filter { $0.builtTo == place }
        }
        return []
    }

    /// - Returns: The number of the last row; nil if there are no more.
    private func add(
        rowsAfter place: Int64, of collection: Int64?, limit: Int, to followers: RowFollowers
    ) throws(DatabaseError) -> Int64? {
        // Rows of other collections count, since they are passed as well; but not those before the collection's first one.
        let rows = try self.database.statement(
            """
            SELECT id, collection = ?1, \(StoredRecord.columnList) FROM record
            WHERE id > coalesce(nullif(?2, 0), (SELECT min(id) - 1 FROM record WHERE collection = ?1)) ORDER BY id LIMIT ?3
            """, binding: collection, place, Int64(limit))
        var (last, count, bytes) = (place, 0, 0)
        while bytes < Self.sliceBytes, try rows.step() {
            (last, count) = (try rows.int64(0), count + 1)
            guard try rows.int64(1) != 0 else { continue }
            // No record is made of a SYNCD row, as most are.
            if rows.isText(RowColumn.state, SyncState.synced.rawValue) {
                let data = try rows.bytesOrNull(RowColumn.data)
                bytes += data?.count ?? 0
                try followers.follow(last, of: try rows.text(RowColumn.first), from: .none, to: .payload(data?[...]))
            } else {
                var columns = ColumnReader(rows, from: RowColumn.first)
                let record = try StoredRecord(&columns)
                let parts = [record.confirmed.data, record.editedData, record.upload?.edit]
                bytes += parts.reduce(0) { $0 + ($1?.count ?? 0) }
                try followers.follow(last, of: record.pk, from: .none, to: .record(record))
            }
        }
        rows.reset()
        try followers.flush()
        return count < limit && bytes < Self.sliceBytes ? nil : last
    }
}

/// The places of columns of a record behind two others.
private enum RowColumn {
    static let first = 2
    static let state = Self.place(of: .state)
    static let data = Self.place(of: .data)

    private static func place(of column: StoredRecord.Column) -> Int {
        Self.first + (StoredRecord.Column.all.firstIndex(of: column) ?? 0)
    }
}
