public import TidemarkCore
import TidemarkDatabase
public import TidemarkRules

extension SQLiteStore {
    /// A record; nil when it is absent.
    public func record(_ pk: String, in collection: String) throws(TidemarkError) -> StoredRecord? {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return nil }
            let statement = try self.database.statement(
                "SELECT \(StoredRecord.columnList) FROM record WHERE collection = ?1 AND pk = ?2")
            try statement.bind(1, id)
            try statement.bind(2, pk)
            return try statement.rows(StoredRecord.init).first
        }
    }

    /// The record that the server has under a name of its own; nil where there is none.
    public func record(named name: String, in collection: String) throws(TidemarkError) -> StoredRecord? {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return nil }
            let statement = try self.database.statement(Self.recordByName)
            try statement.bind(1, id)
            try statement.bind(2, name)
            return try statement.rows(StoredRecord.init).first
        }
    }

    package static let recordByName = """
        SELECT \(StoredRecord.columnList) FROM record WHERE collection = ?1 AND name = ?2 ORDER BY pk LIMIT 1
        """

    /// Inserts or replaces a record.
    public func save(_ record: StoredRecord, in collection: String) throws(TidemarkError) {
        try self.write { () throws(DatabaseError) in
            let statement = try self.database.statement(Self.saving)
            try statement.bind(1, try self.knownCollectionID(collection))
            try record.bind(to: statement, from: 2)
            try statement.run()
        }
    }

    /// Removes a record; nothing happens when there is none.
    public func erase(_ pk: String, in collection: String) throws(TidemarkError) {
        try self.write { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return }
            let statement = try self.database.statement("DELETE FROM record WHERE collection = ?1 AND pk = ?2")
            try statement.bind(1, id)
            try statement.bind(2, pk)
            try statement.run()
        }
    }

    private static let saving: String = {
        let columns = StoredRecord.columns
        let parameters = (1...columns.count + 1).map { "?\($0)" }.joined(separator: ", ")
        // The pk is the key and stays.
        let updates = columns.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        return """
            INSERT INTO record (collection, \(StoredRecord.columnList)) VALUES (\(parameters))
            ON CONFLICT (collection, pk) DO UPDATE SET \(updates)
            """
    }()
}
