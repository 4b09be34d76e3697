public import TidemarkCore
import TidemarkDatabase
public import TidemarkRules

extension SQLiteStore {
    /// Adds an entry, and returns its new number.
    public func append(_ entry: StoredJournalEntry, in collection: String) throws(TidemarkError) -> Int64 {
        try self.write { () throws(DatabaseError) in
            try self.database.statement(
                """
                INSERT INTO journal (collection, pk, reason, lost, path, value, version, shown, is_restored)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                """, binding: try self.knownCollectionID(collection), entry.pk, entry.reason.name, entry.lost.rawValue,
                entry.path, entry.value, entry.version, entry.shown, entry.isRestored ? 1 : 0 as Int64
            ).run()
            return self.database.lastInsertRowID
        }
    }

    /// Removes all but the newest entries of a collection: those with a reason, or all if there is none.
    public func trimJournal(
        of collection: String, keeping count: Int, reason: JournalEntry.Reason?
    ) throws(TidemarkError) {
        let filter = reason == nil ? "" : "AND reason = ?3"
        try self.write { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return }
            let statement = try self.database.statement(
                """
                DELETE FROM journal WHERE collection = ?1 \(filter) AND number <= (
                    SELECT number FROM journal WHERE collection = ?1 \(filter) ORDER BY number DESC LIMIT 1 OFFSET ?2)
                """, binding: id, Int64(max(0, count)))
            if let reason { try statement.bind(3, reason.name) }
            try statement.run()
        }
    }

    /// Entries from the oldest to the newest: of one record, or of the whole collection.
    public func journal(of pk: String?, in collection: String) throws(TidemarkError) -> [StoredJournalEntry] {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return [] }
            let statement = try self.database.statement(
                """
                SELECT number, pk, reason, lost, path, value, version, shown, is_restored FROM journal
                WHERE collection = ?1\(pk == nil ? "" : " AND pk = ?2") ORDER BY number
                """, binding: id)
            if let pk {
                try statement.bind(2, pk)
            }
            return try statement.rows(StoredJournalEntry.init)
        }
    }

    /// Marks entries of a collection as restored.
    public func noteRestored(_ numbers: [Int64], in collection: String) throws(TidemarkError) {
        try self.write { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return }
            for number in numbers {
                try self.database.statement(
                    "UPDATE journal SET is_restored = 1 WHERE number = ?1 AND collection = ?2", binding: number, id
                ).run()
            }
        }
    }

    /// The number of entries of a collection about values that a server lost, and that were not restored.
    public func lostByServer(in collection: String, limit: Int) throws(TidemarkError) -> Int {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return 0 }
            let statement = try self.database.statement(
                """
                SELECT count(*) FROM (
                    SELECT 1 FROM journal
                    WHERE collection = ?1 AND reason = 'server-rolled-back' AND NOT is_restored LIMIT ?2)
                """, binding: id, Int64(max(0, limit)))
            return try statement.rows { (columns) throws(DatabaseError) in try columns.count() }.first ?? 0
        }
    }
}

extension StoredJournalEntry {
    fileprivate init(_ columns: inout ColumnReader) throws(DatabaseError) {
        let number = try columns.integer()
        let pk = try columns.text()
        let reason = try columns.text()
        let side = try columns.text()
        guard let lost = Side(rawValue: side) else { throw DatabaseError(unknown: side, of: "side of a journal entry") }
        self.init(
            number: number, pk: pk, reason: Reason(reason), lost: lost, path: try columns.text(),
            value: try columns.bytesOrNull(), version: try columns.textOrNull(), shown: try columns.bytesOrNull(),
            isRestored: try columns.flag())
    }
}
