import CSQLite

extension DatabaseStatement {
    /// Returns how many steps of its program SQLite has run for this statement since the last call: the work, without a clock.
    ///
    /// A statement from the cache includes its earlier uses.
    package func takeWork() -> Int {
        unsafe Int(sqlite3_stmt_status(self.pointer, SQLITE_STMTSTATUS_VM_STEP, 1))
    }
}
