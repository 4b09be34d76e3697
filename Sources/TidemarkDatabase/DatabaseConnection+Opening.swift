import CSQLite

extension DatabaseConnection {
    /// Checks the file before anything is written to it, then sets it up.
    func prepare(
        _ location: DatabaseLocation, access: DatabaseAccess, sharing: DatabaseSharing, applicationID: Int32?
    ) throws(DatabaseError) {
        if sharing == .none {
            // Before the first read: then the WAL index is in memory, and that read takes the lock.
            try self.execute("PRAGMA locking_mode = EXCLUSIVE")
        }
        let isNew = try self.recognize(applicationID)
        try self.execute("PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF")
        switch access {
        case .readOnly:
            break
        case .readWrite:
            try self.requireWritable()
            try self.makeDurable(location)
            if isNew, let applicationID {
                try self.execute("PRAGMA application_id = \(applicationID)")
            }
        }
        if sharing == .none, access == .readWrite {
            // Only a write takes the lock of a new file.
            try self.execute("BEGIN EXCLUSIVE; COMMIT")
        }
    }

    /// Returns whether the file is new; refuses another program's file.
    private func recognize(_ expected: Int32?) throws(DatabaseError) -> Bool {
        // This is the first read of the file, so it detects a file that is not a database.
        let found = try self.applicationID()
        let version = try self.userVersion()
        let tables = try self.integer("SELECT count(*) FROM sqlite_schema")
        let isNew = found == 0 && version == 0 && tables == 0
        guard let expected, !isNew, found != Int64(expected) else { return isNew }
        if let complaint = DatabaseOwner.complaint(aboutMark: found) {
            throw DatabaseError(code: .foreignDatabase, message: "\(self.path): \(complaint)")
        }
        let mark = found == 0 ? "without a mark" : "marked 0x\(String(UInt32(truncatingIfNeeded: found), radix: 16))"
        throw DatabaseError(
            code: .foreignDatabase,
            message: """
                \(self.path): this is another program's database (\(mark)), and it was not changed. \
                Name the right file, or a new one.
                """)
    }

    /// SQLite opens a write-protected file for reading without an error.
    private func requireWritable() throws(DatabaseError) {
        if unsafe sqlite3_db_readonly(try self.handle.open(), "main") == 1 {
            throw DatabaseError(
                result: SQLITE_READONLY, reason: "the file is write-protected", path: self.path)
        }
    }

    /// Throws the reason why an old file can't be opened for reading only.
    func requireWrites(for version: Int64) throws(DatabaseError) {
        if unsafe sqlite3_db_readonly(try self.handle.open(), "main") == 1 {
            throw DatabaseError(
                code: .readOnly,
                message: """
                    \(self.path): the file has version \(try self.userVersion()) and is read-only; version \(version) is \
                    needed. Open it for writing once.
                    """)
        }
    }

    private func makeDurable(_ location: DatabaseLocation) throws(DatabaseError) {
        let journal = try self.statement("PRAGMA journal_mode = WAL")
        let mode = try journal.step() ? try journal.text(0) : "none"
        switch location {
        case .memory, .temporary:
            break
        case .file:
            guard mode == "wal" else {
                throw DatabaseError(
                    code: .io,
                    message: """
                        \(self.path): this file system can't keep a write-ahead log (journal mode is “\(mode)”). \
                        Put the file on a local disk.
                        """)
            }
        }
        // FULL syncs the log at every commit; on Apple's systems `fullfsync` is needed for that to reach the disk.
        try self.execute("PRAGMA synchronous = FULL")
        try self.execute("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
        try self.execute("PRAGMA wal_autocheckpoint = \(Self.logPages)")
    }

    /// After how many pages of 4 KiB the log is written into the file, 16 MiB; SQLite's default is 1,000.
    ///
    /// Rows arrive in any order of their pks, so commits write the same pages of an index again and again: with a longer log,
    /// each of them is written into the file once. `make bench NAME=pull.floor_ratio` compares it with SQLite's default.
    private static let logPages = 4_000
}
