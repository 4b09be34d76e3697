import Testing
import TidemarkDatabase

/// A server's file as release 0.1.0 writes it: its tables and rows are written out here, and must not change with the schema.
///
/// The collection `notes` has record 1 (with number text and a key that JSON can spell differently), the tombstone of record
/// 2, and record 3, which another incarnation committed; three answers are remembered, one of them by digest and version.
enum FrozenServerFile {
    /// The `user_version` of the file.
    static let version: Int32 = 1

    /// Writes the file.
    ///
    /// - Parameter hasAccounts: Whether it has an account with a token; then each request needs one.
    static func write(to path: String, hasAccounts: Bool = false) throws {
        let database = try DatabaseConnection(.file(path), applicationID: 0x544D_7376)
        try database.transaction { () throws(DatabaseError) in
            try database.execute(Self.tables)
            try database.execute(Self.rows)
            if hasAccounts { try database.execute(Self.accounts) }
            try database.setUserVersion(Self.version)
        }
        database.close()
    }

    private static let tables = """
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

    private static let rows = #"""
        INSERT INTO server (id, epoch) VALUES (1, 'old');
        INSERT INTO feed (id, account, collection, last, horizon, purges, row_count, byte_count)
        VALUES (1, 'open', 'notes', 1003, 900, 950, 2, 29);
        INSERT INTO record (feed, pk, updated_at, data) VALUES
            (1, '1', 1001, CAST('{"n":1.10,"é":"ß"}' AS BLOB)), (1, '2', 1002, NULL),
            (1, '3', 1003, CAST('{"t":"x"}' AS BLOB));
        INSERT INTO run (feed, after, name) VALUES (1, 0, 'first'), (1, 1002, 'second');
        INSERT INTO answer (feed, request_id, answered_at, edit, digest, result, version, is_conflicted) VALUES
            (1, 'r1', 1001,
            CAST('{"request_id":"r1","pk":"1","sync_state":"EDITED","updated_at":1000,"edited_data":[]}' AS BLOB), NULL,
            CAST('{"request_id":"r1","pk":"1","is_conflicted":true,"item":{"pk":"1","updated_at":1001,"is_active":true,"data":{"n":1.10}},"error":null}' AS BLOB), NULL, 0),
            (1, 'r2', 1002,
            CAST('{"request_id":"r2","pk":"2","sync_state":"DELETED","updated_at":1000}' AS BLOB), NULL,
            CAST('{"request_id":"r2","pk":"2","is_conflicted":false,"item":{"pk":"2","updated_at":1002,"is_active":false},"error":null}' AS BLOB), NULL, 0),
            (1, 'r4', 1003, NULL, 'a9d53c0e4b2902c3219b608c7684de25', NULL, 1003, 0);
        """#

    private static let accounts = """
        INSERT INTO account (id, name, added_at) VALUES ('a1', 'ada', 1000), ('a2', NULL, 1000);
        INSERT INTO token (number, account, label, digest, added_at, expires_at) VALUES (3, 'a1', 'phone', 'd', 1000, 9000);
        """
}
