import CSQLite

/// A prepared statement in the hand of one user; it goes back to the connection's cache when it is let go.
///
/// Parameters count from 1 and columns from 0, as in SQLite. Bindings stay until they are replaced or cleared, so a
/// bulk insert binds and `run()`s one statement again and again.
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

    /// Goes to the next row; `false` when there is none, and then the statement is reset.
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

    /// Runs the statement to its end, whatever rows it gives, and resets it.
    package func run() throws(DatabaseError) {
        while try self.step() {}
    }

    /// Ends the read, so that the statement can be bound and run again; bindings stay.
    package func reset() {
        // What it returns is the failure of the last step, which was thrown then.
        unsafe sqlite3_reset(self.pointer)
    }
}
