public import TidemarkCore
import TidemarkDatabase
public import TidemarkMachine
public import TidemarkRules

extension SQLiteStore {
    /// Records in the order of the UTF-8 bytes of their pk.
    public func records(
        in collection: String, states: Set<SyncState>, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [StoredRecord] {
        guard !states.isEmpty else { return [] }
        return try self.list(Self.listing(states, continued: pk != nil), in: collection, after: pk, limit: limit)
    }

    /// Records whose listing is below this one, in the order of the UTF-8 bytes of their pk.
    public func unlistedRecords(
        in collection: String, listing: Int64, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [StoredRecord] {
        let sql = Self.selection("listing < ?4", continued: pk != nil) + " ORDER BY pk LIMIT ?2"
        return try self.list(sql, in: collection, after: pk, limit: limit, fourth: listing)
    }

    /// How many records there are of each state; a state without records is left out.
    public func counts(in collection: String) throws(TidemarkError) -> [SyncState: Int] {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return [:] }
            var counts: [SyncState: Int] = [:]
            let changed = try self.database.statement(Self.countingChanged)
            try changed.bind(1, id)
            for (name, count) in try changed.rows(Self.nameAndCount) {
                guard let state = SyncState(rawValue: name) else {
                    throw DatabaseError(unknown: name, of: "sync state")
                }
                counts[state] = count
            }
            let all = try self.database.statement(Self.countingAll)
            try all.bind(1, id)
            let total = try all.rows { (columns) throws(DatabaseError) in try columns.count() }.first ?? 0
            let synced = total - counts.values.reduce(0, +)
            counts[.synced] = synced == 0 ? nil : synced
            return counts
        }
    }

    /// Counts the records that are not SYNCD, on their own index.
    package static let countingChanged =
        "SELECT state, count(*) FROM record WHERE collection = ?1 AND state <> 'SYNCD' GROUP BY state"

    /// Counts all records on the index of the pks, which has no payloads to step over.
    package static let countingAll = "SELECT count(*) FROM record WHERE collection = ?1"

    /// The list of records of some states: ?1 collection, ?2 limit, ?3 where to go on.
    ///
    /// States other than SYNCD are read from the index of changed records, each in the order of the pks, and merged.
    package static func listing(_ states: Set<SyncState>, continued: Bool) -> String {
        let selections: [String]
        if states.count == SyncState.allCases.count {
            selections = [Self.selection("TRUE", continued: continued)]
        } else if states.contains(.synced) {
            let names = states.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
            selections = [Self.selection("+state IN (\(names))", continued: continued)]
        } else {
            selections = states.map(\.rawValue).sorted().map {
                Self.selection("state = '\($0)' AND state <> 'SYNCD'", continued: continued)
            }
        }
        return selections.joined(separator: " UNION ALL ") + " ORDER BY pk LIMIT ?2"
    }

    private static func selection(_ condition: String, continued: Bool) -> String {
        """
        SELECT \(StoredRecord.columnList) FROM record
        WHERE collection = ?1 AND \(condition)\(continued ? " AND pk > ?3" : "")
        """
    }

    private static func nameAndCount(_ columns: inout ColumnReader) throws(DatabaseError) -> (String, Int) {
        (try columns.text(), try columns.count())
    }

    private func list(
        _ sql: String, in collection: String, after pk: String?, limit: Int, fourth: Int64? = nil
    ) throws(TidemarkError) -> [StoredRecord] {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return [] }
            let statement = try self.database.statement(sql)
            try statement.bind(1, id)
            try statement.bind(2, Int64(limit))
            if let pk {
                try statement.bind(3, pk)
            }
            if let fourth {
                try statement.bind(4, fourth)
            }
            return try statement.rows(StoredRecord.init)
        }
    }
}
