import CSQLite

extension DatabaseConnection {
    /// The size of the write-ahead log on disk, in bytes; 0 without a log.
    package var logSize: Int64 {
        DatabaseFileMark(path: "\(self.path)-wal")?.size ?? 0
    }

    /// Writes the whole log into the file, and truncates it.
    ///
    /// SQLite restarts its log only at a moment without readers, and overlapping readers may leave no such moment for long.
    /// This call waits for the readers: readers that begin meanwhile read from the file alone, so the wait ends.
    ///
    /// - Parameter timeout: How long to wait for the readers.
    /// - Returns: False after the timeout; committed data is safe in the log in any case.
    package func emptyLog(lockTimeout: Duration, thenWaiting timeout: Duration) throws(DatabaseError) -> Bool {
        let pointer = unsafe try self.handle.open()
        unsafe sqlite3_busy_timeout(pointer, lockTimeout.wholeMilliseconds)
        defer { unsafe sqlite3_busy_timeout(pointer, timeout.wholeMilliseconds) }
        switch unsafe sqlite3_wal_checkpoint_v2(pointer, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) {
        case SQLITE_OK: return true
        case SQLITE_BUSY, SQLITE_LOCKED: return false
        case let result: throw self.handle.error(result)
        }
    }
}
