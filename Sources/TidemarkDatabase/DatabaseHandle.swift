import CSQLite

/// Owns the C connection and the prepared statements that are not in use.
///
/// Statements reference it too, so that the connection outlives each of them.
@safe
final class DatabaseHandle {
    /// The maximum number of cached statements; a statement beyond it is prepared again.
    static let largestPool = 128

    let path: String
    private(set) var pointer: OpaquePointer?
    private var free: [SQL: OpaquePointer] = unsafe [:]

    /// Lives as long as the connection, which refers to it.
    private var guardOfStatements: DatabaseGuard?

    /// The text of a statement as a key. It is long and nearly always the same string as before: hashing all of it would cost
    /// more than many a statement, and two equal strings are usually recognized by their address.
    private struct SQL: Hashable {
        let text: String

        func hash(into hasher: inout Hasher) { hasher.combine(self.text.utf8.count) }
    }

    init(
        opening path: String, as filename: String, flags: Int32, sharing: DatabaseSharing
    ) throws(DatabaseError) {
        self.path = path
        unsafe self.pointer = nil
        let result = unsafe sqlite3_open_v2(filename, &self.pointer, flags, sharing.system)
        guard result == SQLITE_OK else {
            // Even a failed open leaves a connection, which has the reason and must be closed.
            let error = self.error(result)
            self.close()
            throw error
        }
    }

    deinit {
        self.close()
    }

    /// Closes the file; statements in use keep it open until they are deinitialized.
    func close() {
        unsafe self.free.values.forEach { unsafe sqlite3_finalize($0) }
        unsafe self.free = [:]
        unsafe sqlite3_close_v2(self.pointer)
        unsafe self.pointer = nil
    }

    /// Closes the file at once and leaves its log as it is; no lock of this connection is left.
    ///
    /// - Throws: The error of SQLite if a statement is in use. It is reset then, and the file stays open.
    func closeAtOnce() throws(DatabaseError) {
        unsafe self.free.values.forEach { unsafe sqlite3_finalize($0) }
        unsafe self.free = [:]
        let pointer = unsafe try self.open()
        var statement = unsafe sqlite3_next_stmt(pointer, nil)
        while unsafe statement != nil {
            unsafe sqlite3_reset(statement)
            unsafe statement = sqlite3_next_stmt(pointer, statement)
        }
        _ = unsafe tidemark_sqlite_keep_log(pointer)
        let result = unsafe sqlite3_close(pointer)
        guard result == SQLITE_OK else { throw self.error(result) }
        unsafe self.pointer = nil
    }

    /// Returns the connection; throws after `close()`.
    func open() throws(DatabaseError) -> OpaquePointer {
        guard let pointer = unsafe self.pointer else {
            throw DatabaseError(code: .statement, message: "\(self.path): the connection was closed. Open it again.")
        }
        return unsafe pointer
    }

    /// The guard of statements that another party wrote.
    func statementGuard() throws(DatabaseError) -> DatabaseGuard {
        if let made = self.guardOfStatements { return made }
        let made = unsafe DatabaseGuard(try self.open())
        self.guardOfStatements = made
        return made
    }

    /// Returns an unused statement, reset and without bindings.
    func take(_ sql: String) throws(DatabaseError) -> OpaquePointer {
        if let statement = unsafe self.free.removeValue(forKey: SQL(text: sql)) {
            return unsafe statement
        }
        var statement: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(
            try self.open(), sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard result == SQLITE_OK else { throw self.error(result, sql: sql) }
        guard let prepared = unsafe statement else {
            throw DatabaseError(code: .statement, message: "\(self.path): “\(sql)” is not a statement.")
        }
        return unsafe prepared
    }

    /// Returns a statement to the cache, and ends the read that it may still have open.
    func giveBack(_ statement: OpaquePointer, sql: String) {
        // The failure of a reset repeats that of the last step, which was reported then.
        unsafe sqlite3_reset(statement)
        unsafe sqlite3_clear_bindings(statement)
        if unsafe self.pointer != nil, unsafe self.free.count < Self.largestPool,
            unsafe self.free[SQL(text: sql)] == nil
        {
            unsafe self.free[SQL(text: sql)] = statement
        } else {
            unsafe sqlite3_finalize(statement)
        }
    }

    /// Makes the error for SQLite's last failure on this connection.
    func error(_ result: Int32, sql: String? = nil) -> DatabaseError {
        let reason: String
        if let pointer = unsafe self.pointer, let text = unsafe sqlite3_errmsg(pointer) {
            reason = unsafe String(cString: text)
        } else {
            reason = unsafe String(cString: sqlite3_errstr(result))
        }
        return DatabaseError(result: result, reason: reason, path: self.path, sql: sql)
    }
}
