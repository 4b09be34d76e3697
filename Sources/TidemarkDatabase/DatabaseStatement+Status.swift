import CSQLite

extension DatabaseStatement {
    /// How many steps of its program SQLite has run for this statement since it was last asked: the work, without a clock.
    ///
    /// A statement from the cache brings what it was used for before.
    package func takeWork() -> Int {
        unsafe Int(sqlite3_stmt_status(self.pointer, SQLITE_STMTSTATUS_VM_STEP, 1))
    }
}
