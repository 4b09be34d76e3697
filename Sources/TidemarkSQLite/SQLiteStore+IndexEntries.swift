package import TidemarkCore
import TidemarkDatabase
import TidemarkMachine
package import TidemarkRules

extension SQLiteStore {
    /// Returns entries of a complete index with their records.
    package func entries(
        of index: RecordIndex, in collection: String, range: KeyRange, beyond place: IndexPlace?, isBackward: Bool,
        limit: Int
    ) throws(TidemarkError) -> IndexEntries {
        // SQLite uses one bound at each end: the place replaces the bound of the range at the same end.
        var place = place
        if let some = place, !range.contains(some.key) {
            let isBefore = some.key.lexicographicallyPrecedes(range.lower)
            guard isBefore != isBackward else { return IndexEntries() }
            place = nil
        }
        return try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection), let table = try self.table(of: index, in: collection)
            else {
                return IndexEntries()
            }
            let (lower, upper) = (isBackward || place == nil, range.upper != nil && (!isBackward || place == nil))
            let statement = try self.database.statement(
                Self.entries(of: table, lower: lower, upper: upper, continued: place != nil, isBackward))
            try statement.bind(1, id)
            try statement.bind(2, Int64(limit))
            if lower { try statement.bind(3, range.lower) }
            if upper { try statement.bind(4, range.upper) }
            if let place {
                try statement.bind(5, place.key)
                try statement.bind(6, place.pk)
            }
            var entries = IndexEntries(capacity: limit)
            while try statement.step() {
                guard let record = try self.record(statement) else { continue }
                unsafe try statement.lend(1) { key in unsafe entries.append(key: key) }
                entries.append(record)
            }
            return entries
        }
    }

    /// Makes a SYNCD record from its few columns, and reads all columns of another one.
    private func record(_ statement: DatabaseStatement) throws(DatabaseError) -> IndexedRecord? {
        if statement.isText(3, Self.synced), let version = try statement.textOrNull(4),
            let data = try statement.bytesOrNull(5)
        {
            return .synced(pk: try statement.text(2), version: version, data: data)
        }
        let reading = try self.database.statement("SELECT \(StoredRecord.columnList) FROM record WHERE id = ?1")
        try reading.bind(1, try statement.int64(0))
        return try reading.rows(StoredRecord.init).first.map { .stored($0) }
    }

    private static let synced = SyncState.synced.rawValue

    /// The number of entries of a complete index in a range.
    package func count(of index: RecordIndex, in collection: String, range: KeyRange) throws(TidemarkError) -> Int {
        try self.read { () throws(DatabaseError) in
            guard let table = try self.table(of: index, in: collection) else { return 0 }
            let upper = range.upper == nil ? "" : " AND key < ?2"
            let statement = try self.database.statement("SELECT count(*) FROM \(table) WHERE key >= ?1\(upper)")
            try statement.bind(1, range.lower)
            if let upper = range.upper { try statement.bind(2, upper) }
            return try statement.rows { (columns) throws(DatabaseError) in try columns.count() }.first ?? 0
        }
    }

    private func table(of index: RecordIndex, in collection: String) throws(DatabaseError) -> String? {
        try self.derived.all(.index, in: collection).first { $0.index == index }?.entries
    }

    /// The entries of ?1 from the key ?3 on, before the key ?4, beyond ?5 and ?6, ?2 at most. An entry whose row belongs to
    /// another record, or is missing, is left out.
    package static func entries(
        of table: String, lower: Bool, upper: Bool, continued: Bool, _ isBackward: Bool
    ) -> String {
        let (beyond, direction) = isBackward ? ("<", "DESC") : (">", "ASC")
        return """
            SELECT record.id, entry.key, record.pk, record.state, record.version, record.data
            FROM \(table) AS entry CROSS JOIN record ON record.id = entry.record
            WHERE +record.collection = ?1 AND +record.pk = entry.pk\(lower ? " AND entry.key >= ?3" : "")\
            \(upper ? " AND entry.key < ?4" : "")\
            \(continued ? " AND (entry.key, entry.pk) \(beyond) (?5, ?6)" : "")
            ORDER BY entry.key \(direction), entry.pk \(direction) LIMIT ?2
            """
    }
}
