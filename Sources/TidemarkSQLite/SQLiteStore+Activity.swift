public import TidemarkCore
import TidemarkDatabase
public import TidemarkRules

extension SQLiteStore {
    /// Records whose phase is idle, in the order of their sequence.
    public func recordsToSend(in collection: String, limit: Int) throws(TidemarkError) -> [StoredRecord] {
        try self.lookUp(Self.recordsToSend, in: collection, limit: limit)
    }

    /// Records whose phase is uploading or unconfirmed, those with fewer failures first.
    public func unsettledRecords(in collection: String) throws(TidemarkError) -> [StoredRecord] {
        // All of these records are read in any case, and there are hardly more than one request contains.
        try self.lookUp(Self.unsettledRecords, in: collection).sorted { one, other in
            one.failures == other.failures ? one.isBefore(other) : one.failures < other.failures
        }
    }

    /// Which records wait, in the order of their sequence.
    public func waiting(in collection: String) throws(TidemarkError) -> StoredRecord.Waiting {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return StoredRecord.Waiting() }
            return try self.figures.waiting(in: id) { () throws(DatabaseError) in
                let deciding = try self.database.statement(Self.decidingRecords, binding: id)
                let held = try self.database.statement(Self.heldRecords, binding: id)
                return StoredRecord.Waiting(
                    deciding: try deciding.rows { (columns) throws(DatabaseError) in try columns.text() },
                    held: try held.rows { (columns) throws(DatabaseError) in
                        StoredRecord.Waiting.Held(pk: try columns.text(), hold: try columns.bytesOrNull())
                    })
            }
        }
    }

    /// Records with a watched edit, in the order of the UTF-8 bytes of their pk.
    public func watchedRecords(
        in collection: String, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [StoredRecord] {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return [] }
            let statement = try self.database.statement(
                pk == nil ? Self.watchedRecords : Self.watchedRecordsAfter, binding: id, Int64(limit))
            if let pk { try statement.bind(3, pk) }
            return try self.readRows(statement, of: id)
        }
    }

    package static let watchedRecords = """
        SELECT \(numbered) FROM record WHERE collection = ?1 AND watched IS NOT NULL
        ORDER BY pk LIMIT ?2
        """

    package static let watchedRecordsAfter = """
        SELECT \(numbered) FROM record WHERE collection = ?1 AND watched IS NOT NULL AND pk > ?3
        ORDER BY pk LIMIT ?2
        """

    // A condition on the activity implies the condition of the partial index.

    package static let recordsToSend = """
        SELECT \(numbered) FROM record WHERE collection = ?1 AND activity = 'idle'
        ORDER BY sequence, pk LIMIT ?2
        """

    package static let unsettledRecords = """
        SELECT \(numbered) FROM record WHERE collection = ?1 AND activity IN ('uploading', 'unconfirmed')
        """

    package static let decidingRecords = """
        SELECT pk FROM record WHERE collection = ?1 AND activity = 'deciding' ORDER BY sequence, pk
        """

    package static let heldRecords = """
        SELECT pk, hold FROM record WHERE collection = ?1 AND activity = 'held' ORDER BY sequence, pk
        """

    private func lookUp(
        _ sql: String, in collection: String, limit: Int? = nil
    ) throws(TidemarkError) -> [StoredRecord] {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return [] }
            let statement = try self.database.statement(sql, binding: id)
            if let limit {
                try statement.bind(2, Int64(limit))
            }
            return try self.readRows(statement, of: id)
        }
    }
}

extension StoredRecord {
    /// Whether it was changed before another one; if both have the same number, whether its pk is smaller.
    fileprivate func isBefore(_ other: StoredRecord) -> Bool {
        self.sequence == other.sequence
            ? self.pk.utf8.lexicographicallyPrecedes(other.pk.utf8) : self.sequence < other.sequence
    }
}
