public import TidemarkCore
import TidemarkDatabase
import TidemarkMachine
public import TidemarkRules

extension SQLiteStore {
    /// A record; nil when it is absent.
    public func record(_ pk: String, in collection: String) throws(TidemarkError) -> StoredRecord? {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return nil }
            return try self.row(pk, of: id)?.record
        }
    }

    /// The row of a record; nil when it is absent.
    func row(_ pk: String, of collection: Int64) throws(DatabaseError) -> KnownRows.Row? {
        if let row = self.known[pk, collection] { return row }
        let statement = try self.lookingUp()
        try statement.bind(1, collection)
        try statement.bind(2, pk)
        guard try statement.step() else { return nil }
        // The pk is unique, so there is no second row.
        defer { statement.reset() }
        return try self.readRow(statement, of: collection)
    }

    /// The columns for ``readRow(_:of:)``: the number of a row, and its columns.
    static let numbered = "id, \(StoredRecord.columnList)"

    /// Reads all remaining rows.
    func readRows(_ statement: DatabaseStatement, of collection: Int64) throws(DatabaseError) -> [StoredRecord] {
        var records: [StoredRecord] = []
        while try statement.step() { records.append(try self.readRow(statement, of: collection).record) }
        return records
    }

    /// Reads a row. A row that is read within a transaction is likely to be changed, so it is cached.
    private func readRow(_ statement: DatabaseStatement, of collection: Int64) throws(DatabaseError) -> KnownRows.Row {
        var columns = ColumnReader(statement)
        let row = KnownRows.Row(id: try columns.integer(), record: try StoredRecord(&columns))
        if self.isInTransaction { self.known.note(row, in: collection) }
        return row
    }

    /// The record with a name that the server made, or nil.
    public func record(named name: String, in collection: String) throws(TidemarkError) -> StoredRecord? {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return nil }
            let statement = try self.database.statement(Self.recordByName)
            try statement.bind(1, id)
            try statement.bind(2, name)
            return try self.readRows(statement, of: id).first
        }
    }

    package static let recordByName = """
        SELECT \(numbered) FROM record WHERE collection = ?1 AND name = ?2 ORDER BY pk LIMIT 1
        """

    /// Inserts or replaces a record.
    public func save(_ record: StoredRecord, in collection: String) throws(TidemarkError) {
        try self.write { () throws(DatabaseError) in
            let id = try self.knownCollectionID(collection)
            let followers = try self.followers(of: collection)
            // Entries are removed by their old keys, and the figures by their old state.
            let needsOld = followers != nil || self.figures.areKept(of: id)
            if let row = needsOld ? try self.row(record.pk, of: id) : self.known[record.pk, id] {
                let old = row.record
                try self.update(row.id, from: old, to: record)
                self.figures.replace(old.phase, by: record.phase, in: id)
                try followers?.write(row.id, from: old, to: record)
                return self.known.note(record, savedIn: row, of: id)
            }
            // A saved record usually exists already, unless it was just created; an INSERT that then updates does the work of
            // both.
            if !needsOld, record.phase != .created(.idle), try self.replace(record, in: id) { return }
            try self.insert(record, in: id)
            self.figures.replace(nil, by: record.phase, in: id)
            try followers?.write(self.database.lastInsertRowID, from: nil, to: record)
        }
    }

    /// - Returns: Whether the row exists.
    private func replace(_ record: StoredRecord, in collection: Int64) throws(DatabaseError) -> Bool {
        let statement = try self.database.statement(Self.replacing)
        try statement.bind(1, collection)
        try record.bind(.all, to: statement, from: 2)
        try statement.run()
        return self.database.changes > 0
    }

    /// Inserts a row. Most columns of a new record have their defaults, and are not named.
    private func insert(_ record: StoredRecord, in collection: Int64) throws(DatabaseError) {
        let columns = record.changesFromDefault
        let statement = try self.inserting(columns)
        try statement.bind(1, collection)
        try record.bind(columns, to: statement, from: 2)
        try statement.run()
        try self.noteInsertion()
    }

    /// Writes the columns of a row that differ from the cached record.
    private func update(_ row: Int64, from old: StoredRecord, to record: StoredRecord) throws(DatabaseError) {
        let changed = record.changes(from: old)
        guard !changed.isEmpty else { return }
        let statement = try self.updating(changed)
        try statement.bind(1, row)
        try record.bind(changed, to: statement, from: 2)
        try statement.run()
    }

    /// Removes a record; does nothing if it does not exist.
    public func erase(_ pk: String, in collection: String) throws(TidemarkError) {
        try self.write { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return }
            let followers = try self.followers(of: collection)
            if followers != nil || self.figures.areKept(of: id), let row = try self.row(pk, of: id) {
                try followers?.write(row.id, from: row.record, to: nil)
                self.figures.replace(row.record.phase, by: nil, in: id)
            }
            self.known.forget(pk, in: id)
            let statement = try self.database.statement("DELETE FROM record WHERE collection = ?1 AND pk = ?2")
            try statement.bind(1, id)
            try statement.bind(2, pk)
            try statement.run()
        }
    }

    private static let replacing: String = {
        let assignments = StoredRecord.Column.all.enumerated().dropFirst()
            .map { "\($1.rawValue) = ?\($0 + 2)" }.joined(separator: ", ")
        return "UPDATE record SET \(assignments) WHERE collection = ?1 AND pk = ?2"
    }()
}
