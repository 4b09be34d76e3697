public import TidemarkCore
import TidemarkDatabase
import TidemarkMachine
public import TidemarkRules

extension SQLiteStore {
    /// A record; nil when it is absent.
    public func record(_ pk: String, in collection: String) throws(TidemarkError) -> StoredRecord? {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return nil }
            let statement = try self.database.statement(Self.recordByPK)
            try statement.bind(1, id)
            try statement.bind(2, pk)
            return try statement.rows(StoredRecord.init).first
        }
    }

    // Once, and not each time: the text is the statement's name in the connection's cache.
    private static let recordByPK =
        "SELECT \(StoredRecord.columnList) FROM record WHERE collection = ?1 AND pk = ?2"

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
            let id = try self.knownCollectionID(collection)
            // What is saved was stored before, as a rule, unless it was just made; an INSERT that then updates does the work of
            // both.
            let isNew = record.phase == .created(.idle)
            for sql in isNew ? [Self.inserting] : [Self.updating, Self.inserting] {
                let statement = try self.database.statement(sql)
                try statement.bind(1, id)
                try record.bind(to: statement, from: 2)
                try statement.run()
                if self.database.changes > 0 { return }
            }
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

    private static let updating = "UPDATE record SET \(assignments) WHERE collection = ?1 AND pk = ?2"

    private static let inserting: String = {
        let parameters = (1...StoredRecord.columns.count + 1).map { "?\($0)" }.joined(separator: ", ")
        return """
            INSERT INTO record (collection, \(StoredRecord.columnList)) VALUES (\(parameters))
            ON CONFLICT (collection, pk) DO UPDATE SET \(assignments)
            """
    }()

    /// Sets all columns but the pk, which is the key and stays.
    private static let assignments = StoredRecord.columns.enumerated().dropFirst()
        .map { "\($1) = ?\($0 + 2)" }.joined(separator: ", ")
}
