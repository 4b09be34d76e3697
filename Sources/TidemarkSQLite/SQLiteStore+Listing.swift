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
        // A caller that needs only the first few changed records should not have to wait for a scan of all records.
        var isAmongAll = states.contains(.synced)
        if !isAmongAll, pk != nil { isAmongAll = try self.hasManyChanges(in: collection) }
        let sql = isAmongAll ? Self.listing : Self.choosing
        return try self.list(sql(states, pk != nil), in: collection, after: pk, limit: limit)
    }

    /// Whether many records are changed: then a scan of all records finds a page of them sooner than the index.
    private func hasManyChanges(in collection: String) throws(TidemarkError) -> Bool {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return false }
            let statement = try self.database.statement(Self.countingSomeChanged, binding: id, Int64(Self.manyChanges))
            return try statement.rows { (columns) throws(DatabaseError) in try columns.count() } == [Self.manyChanges]
        }
    }

    /// For each page of a list the changed records are sorted again: for the first page all of them, for later pages up to this
    /// number, which takes some milliseconds. If there are more, a scan of all records in the order of the pks continues after
    /// the last page. So a list of any length takes time linear in the collection.
    package static let manyChanges = 10_000

    /// Records whose `resyncGeneration` is below the given one, in the order of the UTF-8 bytes of their pk.
    public func recordsNotInResync(
        in collection: String, resyncGeneration: Int64, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [StoredRecord] {
        let sql = Self.selection("resync_generation < ?4", continued: pk != nil) + " ORDER BY pk LIMIT ?2"
        return try self.list(sql, in: collection, after: pk, limit: limit, fourth: resyncGeneration)
    }

    /// The number of records of each state; a state without records is left out.
    ///
    /// It also checks that the file is in place: the status of a lost file must not be “in sync”.
    public func counts(in collection: String) throws(TidemarkError) -> [SyncState: Int] {
        try self.requireFile()
        return try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return [:] }
            return try self.figures.counts(of: id) { () throws(DatabaseError) in try self.count(id) }
        }
    }

    private func count(_ collection: Int64) throws(DatabaseError) -> [SyncState: Int] {
        var counts: [SyncState: Int] = [:]
        let changed = try self.database.statement(Self.countingChanged, binding: collection)
        _ = try changed.rows { (columns) throws(DatabaseError) in
            if let name = try columns.textOrNull() { throw DatabaseError(unknown: name, of: "sync state") }
            for state in Self.changedStates {
                let count = try columns.count()
                if count > 0 { counts[state] = count }
            }
        }
        let all = try self.database.statement(Self.countingAll, binding: collection)
        let total = try all.rows { (columns) throws(DatabaseError) in try columns.count() }.first ?? 0
        let synced = total - counts.values.reduce(0, +)
        counts[.synced] = synced == 0 ? nil : synced
        return counts
    }

    /// Counts the records that are not SYNCD, on their own index: an invalid state, if there is one, and then the number of
    /// records of each of ``changedStates``.
    package static let countingChanged = """
        SELECT max(state) FILTER (WHERE NOT \(isOne(of: Set(SyncState.allCases)))),
            \(changedStates.map { "count(*) FILTER (WHERE state = '\($0.rawValue)')" }.joined(separator: ", "))
        FROM record WHERE collection = ?1 AND activity IS NOT NULL
        """

    private static let changedStates: [SyncState] = [.created, .edited, .deleted]

    /// Counts them, up to ?2.
    package static let countingSomeChanged = """
        SELECT count(*) FROM (SELECT 1 FROM record WHERE collection = ?1 AND activity IS NOT NULL LIMIT ?2)
        """

    /// Counts all records on the index of the pks, which has no payloads to skip.
    package static let countingAll = "SELECT count(*) FROM record WHERE collection = ?1"

    /// The list of records of some states: ?1 collection, ?2 limit, ?3 the pk to continue after. It scans all records.
    package static func listing(_ states: Set<SyncState>, _ isContinued: Bool) -> String {
        let isAll = states.count == SyncState.allCases.count
        return Self.selection(isAll ? "TRUE" : "+\(Self.isOne(of: states))", continued: isContinued)
            + " ORDER BY pk LIMIT ?2"
    }

    /// The list of records of some states other than SYNCD, with the same parameters. It reads only changed records.
    package static func choosing(_ states: Set<SyncState>, _ isContinued: Bool) -> String {
        """
        SELECT \(StoredRecord.columnList) FROM record WHERE id IN (
            SELECT id FROM record INDEXED BY record_changed
            WHERE collection = ?1 AND activity IS NOT NULL AND \(Self.isOne(of: states))\(isContinued ? " AND pk > ?3" : "")
            ORDER BY pk LIMIT ?2)
        ORDER BY pk
        """
    }

    private static func isOne(of states: Set<SyncState>) -> String {
        "state IN (\(states.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")))"
    }

    private static func selection(_ condition: String, continued: Bool) -> String {
        """
        SELECT \(StoredRecord.columnList) FROM record
        WHERE collection = ?1 AND \(condition)\(continued ? " AND pk > ?3" : "")
        """
    }

    private func list(
        _ sql: String, in collection: String, after pk: String?, limit: Int, fourth: Int64? = nil
    ) throws(TidemarkError) -> [StoredRecord] {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return [] }
            let statement = try self.database.statement(sql, binding: id, Int64(limit))
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
