package import TidemarkCore
import TidemarkDatabase
import TidemarkMachine
package import TidemarkRules

extension SQLiteStore {
    /// Returns entries of a complete index with their records.
    package func entries(
        of index: RecordIndex, in collection: String, range: KeyRange, beyond place: IndexPlace?, isBackward: Bool,
        limit: Int
    ) throws(TidemarkError) -> [IndexEntry] {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection), let table = try self.table(of: index, in: id) else {
                return []
            }
            let sql = Self.entries(of: table, hasUpper: range.upper != nil, isContinued: place != nil, isBackward)
            let statement = try self.database.statement(sql)
            try statement.bind(1, id)
            try statement.bind(2, Int64(limit))
            try statement.bind(3, range.lower)
            if let upper = range.upper { try statement.bind(4, upper) }
            if let place {
                try statement.bind(5, place.key)
                try statement.bind(6, place.pk)
            }
            var entries: [IndexEntry] = []
            while try statement.step() {
                let key = try statement.bytes(0)
                var columns = ColumnReader(statement, from: 1)
                entries.append(IndexEntry(key: key, record: try StoredRecord(&columns)))
            }
            return entries
        }
    }

    /// The number of entries of a complete index in a range.
    package func count(of index: RecordIndex, in collection: String, range: KeyRange) throws(TidemarkError) -> Int {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection), let table = try self.table(of: index, in: id) else {
                return 0
            }
            let upper = range.upper == nil ? "" : " AND key < ?2"
            let statement = try self.database.statement("SELECT count(*) FROM \(table) WHERE key >= ?1\(upper)")
            try statement.bind(1, range.lower)
            if let upper = range.upper { try statement.bind(2, upper) }
            return try statement.rows { (columns) throws(DatabaseError) in try columns.count() }.first ?? 0
        }
    }

    private func table(of index: RecordIndex, in collection: Int64) throws(DatabaseError) -> String? {
        try self.indexes(of: collection)?.list.first { $0.index == index }?.table
    }

    /// The entries of ?1 from the key ?3 on, before the key ?4, beyond ?5 and ?6, ?2 at most. An entry whose row belongs to
    /// another record, or is missing, is left out.
    package static func entries(of table: String, hasUpper: Bool, isContinued: Bool, _ isBackward: Bool) -> String {
        let (beyond, direction) = isBackward ? ("<", "DESC") : (">", "ASC")
        return """
            SELECT entry.key, \(Self.recordColumns) FROM \(table) AS entry CROSS JOIN record ON record.id = entry.record
            WHERE entry.key >= ?3\(hasUpper ? " AND entry.key < ?4" : "")
            \(isContinued ? "AND (entry.key, entry.pk) \(beyond) (?5, ?6) " : "")\
            AND +record.collection = ?1 AND +record.pk = entry.pk
            ORDER BY entry.key \(direction), entry.pk \(direction) LIMIT ?2
            """
    }

    static let recordColumns = StoredRecord.Column.all.map { "record.\($0.rawValue)" }.joined(separator: ", ")
}
