import Testing
import TidemarkDatabase

/// A server's file in the form of an earlier version: its tables and rows are written out here, and must not change with the
/// schema.
///
/// The collection `notes` has record 1 (with number text and a key that JSON can spell differently), the tombstone of record
/// 2, and record 3; two answers are remembered.
struct FrozenServerFile: CustomTestStringConvertible, Sendable {
    /// The `user_version` of the file.
    let version: Int32
    private let sql: String

    var testDescription: String { "version \(self.version)" }

    static let all = [FrozenServerFile.first, .second]

    /// Writes the file.
    func write(to path: String) throws {
        let database = try DatabaseConnection(.file(path), applicationID: 0x746D_5356)
        try database.transaction { () throws(DatabaseError) in
            try database.execute(self.sql)
            try database.setUserVersion(self.version)
        }
        database.close()
    }

    private static let first = FrozenServerFile(version: 1, sql: Self.firstTables + Self.rows)
    private static let second = FrozenServerFile(version: 2, sql: Self.firstTables + Self.secondTables + Self.rows)

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
        CREATE TABLE answer (
            feed INTEGER NOT NULL REFERENCES feed (id),
            request_id TEXT NOT NULL,
            answered_at INTEGER NOT NULL,
            edit BLOB NOT NULL,
            result BLOB NOT NULL,
            UNIQUE (feed, request_id)
        ) STRICT;
        CREATE INDEX answer_by_age ON answer (answered_at);
        """

    private static let secondTables = """
        CREATE TABLE run (
            feed INTEGER NOT NULL REFERENCES feed (id),
            after INTEGER NOT NULL,
            name TEXT NOT NULL,
            PRIMARY KEY (feed, after)
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE answer ADD COLUMN digest TEXT;
        ALTER TABLE answer ADD COLUMN version INTEGER;
        ALTER TABLE answer ADD COLUMN is_conflicted INTEGER NOT NULL DEFAULT 0;
        """

    private static let rows = #"""
        INSERT INTO server (id, epoch) VALUES (1, 'old');
        INSERT INTO feed (id, account, collection, last, horizon, purges) VALUES (1, 'open', 'notes', 1003, 900, 950);
        INSERT INTO record (feed, pk, updated_at, data) VALUES
            (1, '1', 1001, CAST('{"n":1.10,"é":"ß"}' AS BLOB)), (1, '2', 1002, NULL),
            (1, '3', 1003, CAST('{"t":"x"}' AS BLOB));
        INSERT INTO answer (feed, request_id, answered_at, edit, result) VALUES
            (1, 'r1', 1001,
            CAST('{"request_id":"r1","pk":"1","sync_state":"EDITED","updated_at":1000,"edited_data":[]}' AS BLOB),
            CAST('{"request_id":"r1","pk":"1","is_conflicted":true,"item":{"pk":"1","updated_at":1001,"is_active":true,"data":{"n":1.10}},"error":null}' AS BLOB)),
            (1, 'r2', 1002,
            CAST('{"request_id":"r2","pk":"2","sync_state":"DELETED","updated_at":1000}' AS BLOB),
            CAST('{"request_id":"r2","pk":"2","is_conflicted":false,"item":{"pk":"2","updated_at":1002,"is_active":false},"error":null}' AS BLOB));
        """#
}
