import CSQLite

/// A prepared statement of one owner; on deinit it returns to the connection's cache.
///
/// Parameters count from 1 and columns from 0, as in SQLite. Bindings are kept until they are replaced or cleared, so a bulk
/// insert binds and `run()`s one statement again and again.
@safe
package final class DatabaseStatement {
    let handle: DatabaseHandle
    let sql: String
    let pointer: OpaquePointer

    init(_ sql: String, on handle: DatabaseHandle) throws(DatabaseError) {
        unsafe self.pointer = try handle.take(sql)
        self.handle = handle
        self.sql = sql
    }

    deinit {
        unsafe self.handle.giveBack(self.pointer, sql: self.sql)
    }

    /// Moves to the next row; `false` after the last row, and then the statement is reset.
    package func step() throws(DatabaseError) -> Bool {
        switch unsafe sqlite3_step(self.pointer) {
        case SQLITE_ROW:
            return true
        case SQLITE_DONE:
            self.reset()
            return false
        case let result:
            let error = self.handle.error(result, sql: self.sql)
            self.reset()
            throw error
        }
    }

    /// Runs the statement to its end, ignores its rows, and resets it.
    package func run() throws(DatabaseError) {
        while try self.step() {}
    }

    /// Ends the read, so that the statement can be bound and run again; bindings are kept.
    package func reset() {
        // The result is the failure of the last step, which was thrown then.
        unsafe sqlite3_reset(self.pointer)
    }
}
