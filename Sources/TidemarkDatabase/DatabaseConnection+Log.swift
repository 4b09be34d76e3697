import CSQLite

extension DatabaseConnection {
    /// How many bytes the write-ahead log has on disk; 0 where there is none.
    package var logSize: Int64 {
        DatabaseFileMark(path: "\(self.path)-wal")?.size ?? 0
    }

    /// Brings all of the log into the file, and cuts it to nothing.
    ///
    /// SQLite begins its log anew in a moment when nobody reads, and with readers that take turns there may be none for long.
    /// Here they are waited for: who comes meanwhile reads from the file alone, so there is an end to it.
    ///
    /// - Parameter patience: For how long.
    /// - Returns: False where a reader held out; what was committed is safe in the log either way.
    package func emptyLog(patience: Duration, thenWaiting timeout: Duration) throws(DatabaseError) -> Bool {
        let pointer = unsafe try self.handle.open()
        unsafe sqlite3_busy_timeout(pointer, patience.wholeMilliseconds)
        defer { unsafe sqlite3_busy_timeout(pointer, timeout.wholeMilliseconds) }
        switch unsafe sqlite3_wal_checkpoint_v2(pointer, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) {
        case SQLITE_OK: return true
        case SQLITE_BUSY, SQLITE_LOCKED: return false
        case let result: throw self.handle.error(result)
        }
    }
}
