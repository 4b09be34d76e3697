import TidemarkDatabase

/// The tables of the server's file; a released migration step never changes.
enum SQLiteServerSchema {
    /// Marks the file as a server's file, as opposed to a client's.
    static let applicationID = DatabaseOwner.server.rawValue

    /// The failure for a file whose tables are of an earlier version that may not be changed.
    static let olderVersion = DatabaseError.Code("olderVersion")

    /// Migrates the tables to the current version, if the use may change them.
    static func migrate(
        _ database: DatabaseConnection, for use: ServerStorageUse, by migrator: DatabaseMigrator = Self.migrator
    ) throws(DatabaseError) {
        let version = try database.userVersion()
        guard version >= migrator.newestVersion || use.mayChange(tablesOfVersion: version) else {
            throw DatabaseError(
                code: self.olderVersion,
                message: """
                    \(database.path): the tables are of version \(version), and this program's are of \
                    \(migrator.newestVersion). Start tidemark serve of this version, which changes them, or use the \
                    program of the version that made them.
                    """)
        }
        try migrator.migrate(database)
    }

    private static let migrator = DatabaseMigrator(Self.steps)

    /// Steps are only added at the end.
    static let steps = [DatabaseMigration("the first tables", sql: Self.firstTables)]

    private static let firstTables = """
        CREATE TABLE server (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            epoch TEXT NOT NULL
        ) STRICT;

        CREATE TABLE feed (
            id INTEGER PRIMARY KEY,
            account TEXT NOT NULL,
            collection TEXT NOT NULL,
            last INTEGER NOT NULL DEFAULT 0,
            horizon INTEGER NOT NULL DEFAULT 0,
            purges INTEGER NOT NULL DEFAULT 0,
            row_count INTEGER NOT NULL DEFAULT 0,
            byte_count INTEGER NOT NULL DEFAULT 0,
            UNIQUE (account, collection)
        ) STRICT;

        CREATE TABLE record (
            feed INTEGER NOT NULL REFERENCES feed (id),
            pk TEXT NOT NULL,
            updated_at INTEGER NOT NULL,
            data BLOB,
            UNIQUE (feed, pk)
        ) STRICT;
        CREATE UNIQUE INDEX record_in_commit_order ON record (feed, updated_at);
        CREATE INDEX tombstone ON record (updated_at) WHERE data IS NULL;

        -- The incarnation that committed the versions above `after`.
        CREATE TABLE run (
            feed INTEGER NOT NULL REFERENCES feed (id),
            after INTEGER NOT NULL,
            name TEXT NOT NULL,
            PRIMARY KEY (feed, after)
        ) STRICT, WITHOUT ROWID;

        -- With an edit or its digest, and with a result or the version of the row that it names.
        CREATE TABLE answer (
            feed INTEGER NOT NULL REFERENCES feed (id),
            request_id TEXT NOT NULL,
            answered_at INTEGER NOT NULL,
            edit BLOB,
            digest TEXT,
            result BLOB,
            version INTEGER,
            is_conflicted INTEGER NOT NULL DEFAULT 0,
            UNIQUE (feed, request_id)
        ) STRICT;
        CREATE INDEX answer_by_age ON answer (answered_at);

        CREATE TABLE account (
            id TEXT PRIMARY KEY,
            -- Null in one that was removed: that a server ever had accounts has to stay known.
            name TEXT UNIQUE,
            added_at INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE token (
            -- A number is never given out again: who revokes 3 means the one that was 3.
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            account TEXT NOT NULL REFERENCES account (id),
            label TEXT NOT NULL,
            digest TEXT NOT NULL UNIQUE,
            added_at INTEGER NOT NULL,
            expires_at INTEGER
        ) STRICT;
        CREATE INDEX token_of_account ON token (account);
        """
}
