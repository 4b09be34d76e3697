import CSQLite

/// One connection to one SQLite file; it belongs to one owner at a time and is not `Sendable`.
///
/// A file that is opened for writing is in WAL mode with `synchronous=FULL`: committed data is on disk when the call returns
/// (Contract §3). Strings are bound and read as their exact UTF-8, so that SQLite compares them by code point.
///
///     let database = try DatabaseConnection(.file("phone.db"), applicationID: 0x7469_6465)
///     try database.transaction { () throws(DatabaseError) in
///         try database.statement("INSERT INTO note (pk, data) VALUES (?1, ?2)", binding: "42", bytes).run()
///     }
package final class DatabaseConnection {
    let handle: DatabaseHandle

    /// A statement that begins or ends a transaction.
    enum Bound: Int, CaseIterable {
        case write, snapshot, commit, rollback

        fileprivate var sql: String {
            switch self {
            case .write: "BEGIN IMMEDIATE"
            case .snapshot: "BEGIN DEFERRED"
            case .commit: "COMMIT"
            case .rollback: "ROLLBACK"
            }
        }
    }

    /// Their statements, by raw value: they are used for every transaction, so they are kept and not looked up each time.
    private var bounds = DatabaseConnection.unprepared
    private static var unprepared: [DatabaseStatement?] { Array(repeating: nil, count: Bound.allCases.count) }

    /// The file as the caller named it, or `:memory:`; every error's message begins with it.
    package var path: String {
        self.handle.path
    }

    /// The absolute path of the file, without symbolic links where SQLite resolves them; nil in memory. It names the same
    /// place after a change of the current folder.
    package var resolvedPath: String? {
        guard unsafe self.handle.pointer != nil, let name = unsafe sqlite3_db_filename(self.handle.pointer, "main")
        else { return nil }
        let path = unsafe String(cString: name)
        return path.isEmpty ? nil : path
    }

    /// Opens the file, creates it if it does not exist, and does not change one of another program.
    ///
    /// - Parameters:
    ///   - location: A file, or memory.
    ///   - access: `.readWrite` makes a missing file; `.readOnly` never writes.
    ///   - sharing: Which other connections may have the file until `close()`.
    ///   - applicationID: Marks a new file (`PRAGMA application_id`), and refuses one with another mark.
    ///   - busyTimeout: How long a call waits for another connection's lock before it throws `busy`.
    /// - Throws: `cannotOpen`, `busy`, `notADatabase`, `foreignDatabase`, `readOnly`, `corrupt` or `io`.
    package init(
        _ location: DatabaseLocation, access: DatabaseAccess = .readWrite, sharing: DatabaseSharing = .all,
        applicationID: Int32? = nil, busyTimeout: Duration = .seconds(5)
    ) throws(DatabaseError) {
        self.handle = try DatabaseHandle(
            opening: location.path, as: try location.filename(), flags: access.flags, sharing: sharing)
        unsafe sqlite3_busy_timeout(try self.handle.open(), busyTimeout.wholeMilliseconds)
        do throws(DatabaseError) {
            try self.prepare(location, access: access, sharing: sharing, applicationID: applicationID)
        } catch {
            // A refused file stays as it is, and so does the log of a process that was killed.
            if let pointer = unsafe self.handle.pointer { _ = unsafe tidemark_sqlite_keep_log(pointer) }
            self.close()
            guard access == .readWrite, error.code == .io || error.code == .cannotOpen else { throw error }
            throw DatabaseError(readOnly: location) ?? error
        }
    }

    /// Closes the file and releases its locks; every later call throws.
    package func close() {
        self.bounds = Self.unprepared
        self.handle.close()
    }

    /// Closes the file without writing its log into it: in a time that does not depend on the size of the log. Every later call
    /// throws.
    ///
    /// - Throws: The error of SQLite if a statement of another owner is in use; then the file stays open.
    package func closeAtOnce() throws(DatabaseError) {
        self.bounds = Self.unprepared
        try self.handle.closeAtOnce()
    }

    /// Runs one or several statements that return no rows.
    package func execute(_ sql: String) throws(DatabaseError) {
        let result = unsafe sqlite3_exec(try self.handle.open(), sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw self.handle.error(result, sql: sql) }
    }

    /// Returns a prepared statement without bindings, from the cache if there is an unused one.
    package func statement(_ sql: String) throws(DatabaseError) -> DatabaseStatement {
        try DatabaseStatement(sql, on: self.handle)
    }

    /// Returns a prepared statement whose first parameters are bound to these values, in their order.
    ///
    /// A statement that runs for each row of many is bound with `bind` of ``DatabaseStatement``, which is not generic.
    package func statement<each Value: DatabaseValue>(
        _ sql: String, binding values: repeat each Value
    ) throws(DatabaseError) -> DatabaseStatement {
        let statement = try self.statement(sql)
        var index = 0
        for value in repeat each values {
            index += 1
            try value.bind(to: statement, at: index)
        }
        return statement
    }

    func statement(at bound: Bound) throws(DatabaseError) -> DatabaseStatement {
        if let statement = self.bounds[bound.rawValue] { return statement }
        let statement = try self.statement(bound.sql)
        self.bounds[bound.rawValue] = statement
        return statement
    }

    /// Makes this connection read-only from here on.
    package func giveUpWriting() throws(DatabaseError) {
        try self.execute("PRAGMA query_only = ON")
    }

    /// How many rows the last `INSERT`, `UPDATE` or `DELETE` changed.
    package var changes: Int {
        guard let pointer = unsafe self.handle.pointer else { return 0 }
        return unsafe Int(sqlite3_changes64(pointer))
    }

    /// The rowid of the last `INSERT` that succeeded, or 0.
    package var lastInsertRowID: Int64 {
        guard let pointer = unsafe self.handle.pointer else { return 0 }
        return unsafe sqlite3_last_insert_rowid(pointer)
    }

    /// Sets ``lastInsertRowID`` to 0, so that it is another number only after the next `INSERT` that adds a row.
    package func clearLastInsertRowID() {
        if let pointer = unsafe self.handle.pointer { unsafe sqlite3_set_last_insert_rowid(pointer, 0) }
    }

    /// The version of the schema, stored in the file's header (`PRAGMA user_version`); 0 in a new file.
    package func userVersion() throws(DatabaseError) -> Int64 {
        try self.integer("PRAGMA user_version")
    }

    /// Sets the version of the schema, in the open transaction.
    package func setUserVersion(_ version: Int32) throws(DatabaseError) {
        try self.execute("PRAGMA user_version = \(version)")
    }

    /// The mark of the program that created the file (`PRAGMA application_id`); 0 without a mark.
    package func applicationID() throws(DatabaseError) -> Int64 {
        try self.integer("PRAGMA application_id")
    }

    /// The whole number in the first column of the first row of `sql`, which must have one.
    package func integer(_ sql: String) throws(DatabaseError) -> Int64 {
        let statement = try self.statement(sql)
        guard try statement.step() else {
            throw DatabaseError(code: .unexpectedValue, message: "\(self.path): “\(sql)” returned no row.")
        }
        return try statement.int64(0)
    }
}
