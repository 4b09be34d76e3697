import Testing
import TidemarkDatabase
import TidemarkSQLite

/// A store as release 0.1.0 writes it: its tables and rows are written out here, and must not change with the schema.
///
/// The collection `notes` has a record in each phase, and each column has a value in one of them; `lists` has a refused cursor.
enum FrozenStore {
    /// The `user_version` of the file.
    static let version: Int32 = 1

    /// Writes the file.
    static func write(to path: String) throws {
        let database = try DatabaseConnection(.file(path), applicationID: 0x544D_636C)
        try database.transaction { () throws(DatabaseError) in
            try database.execute(Self.tables)
            try database.execute(Self.rows)
            try database.setUserVersion(Self.version)
        }
        database.close()
    }

    private static let rows = #"""
        INSERT INTO setting (key, value) VALUES
            ('account', 'ada'), ('sequence', '64'), ('trace', '0..1'),
            ('trace/0', '{"n":1,"of":"store","collection":"notes","event":"opened"}
        {"n":2,"of":"record","collection":"notes","pk":"SYNCD","event":"edited","from":"SYNCD","to":"EDITED.idle","actions":["save","notify"]}
        {"n":3,"of":"exchange","collection":"notes","event":"answerApplied","from":"getting","to":"idle","actions":["advanceCursor"],"failure":"auth","at":1795289085544}
        ');

        INSERT INTO collection (
            id, name, has_state, cursor, seen, epoch, resync, resync_is_running, claim, resync_generation, malformed_tries,
            resync_began, last_in_sync, exchange_memory)
        VALUES
            (1, 'notes', 1, 'c1', 'c2', 'e1', 'rollback', 1, NULL, 4, 1, 1795289085544001, 1795289085544002,
            '{"batchSize":8,"pageSize":50,"attempts":3,"failedPosts":2,"readsFirst":true,"suspect":"s","last":"l","hasSeveral":true,"canWrite":true,"isAccountUnconfirmed":true,"postFailure":{"class":"busy","message":"It is busy"}}'),
            (2, 'lists', 1, NULL, NULL, NULL, 'wanted', 0, 'history-lost', 0, 0, NULL, NULL, NULL),
            (3, 'tags', 0, NULL, NULL, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL);

        INSERT INTO record (
            collection, pk, state, activity, resync_generation, sequence, rounds, failures, version, data, edited_data,
            upload_id, upload_edit, upload_was_resent, upload_recognition, was_seen, seen_version, seen_data, hold,
            last_merge, name, watched, base)
        SELECT 1, column1, column2, column3, column4, column5, column6, column7, column8, CAST(column9 AS BLOB),
            CAST(column10 AS BLOB), column11, CAST(column12 AS BLOB), column13, column14, column15, column16,
            CAST(column17 AS BLOB), CAST(column18 AS BLOB), CAST(column19 AS BLOB), column20, CAST(column21 AS BLOB),
            CAST(column22 AS BLOB)
        FROM (VALUES
            ('SYNCD', 'SYNCD', NULL, 4, 0, 0, 0, '7', '{"n":1.10,"é":"ß"}', NULL, NULL, NULL, NULL, NULL, 0, NULL,
            NULL, NULL, '{"updated_at":7,"from_here":["/n"],"from_server":[],"on_both":[]}', 'server-57',
            '{"until":1795289085544001,"values":[{"path":"/n","value":[1.10],"before":[[1],[]],"returns":1}]}', NULL),
            ('EDITED.idle', 'EDITED', 'idle', 4, 1, 0, 0, '7', '{"n":1.10,"é":"ß"}',
            '[{"op":"replace","path":"/n","value":2}]', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL,
            NULL, NULL),
            ('EDITED.uploading', 'EDITED', 'uploading', 4, 2, 0, 0, '7', '{"n":1.10,"é":"ß"}', NULL,
            'r-EDITED.uploading',
            '{"request_id":"r-EDITED.uploading","pk":"EDITED.uploading","sync_state":"EDITED","updated_at":7,"edited_data":[{"op":"replace","path":"/n","value":2}]}',
            0, 'byAnswer', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
            ('EDITED.unconfirmed', 'EDITED', 'unconfirmed', 3, 3, 0, 2, '7', '{"n":1.10,"é":"ß"}',
            '[{"op":"add","path":"/t","value":"x"}]', 'r-EDITED.unconfirmed',
            '{"request_id":"r-EDITED.unconfirmed","pk":"EDITED.unconfirmed","sync_state":"EDITED","updated_at":7,"edited_data":[{"op":"replace","path":"/n","value":2}]}',
            1, 'byContent', 1, '8', NULL, NULL, NULL, NULL, NULL, NULL),
            ('EDITED.deciding', 'EDITED', 'deciding', 4, 4, 2, 0, '7', '{"n":1.10,"é":"ß"}',
            '[{"op":"replace","path":"/n","value":2}]', NULL, NULL, NULL, NULL, 1, '8', '{"n":3}', NULL, NULL, NULL,
            NULL, '{"n":1}'),
            ('EDITED.held', 'EDITED', 'held', 4, 5, 0, 0, '7', '{"n":1.10,"é":"ß"}',
            '[{"op":"replace","path":"/n","value":2}]', NULL, NULL, NULL, NULL, 0, NULL, NULL,
            '{"cause":"refused","status":422,"problem":{"title":"No","detail":"n is too small"},"asked":true}', NULL,
            NULL, NULL, NULL),
            ('CREATED.idle', 'CREATED', 'idle', 0, 6, 0, 0, NULL, NULL, '[{"op":"add","path":"","value":{"n":2}}]',
            NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
            ('CREATED.uploading', 'CREATED', 'uploading', 0, 7, 0, 0, NULL, NULL, NULL, 'r-CREATED.uploading',
            '{"request_id":"r-CREATED.uploading","pk":"CREATED.uploading","sync_state":"CREATED","edited_data":[{"op":"add","path":"","value":{"n":2}}]}',
            0, 'byAnswer', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
            ('CREATED.unconfirmed', 'CREATED', 'unconfirmed', 0, 8, 0, 0, NULL, NULL, NULL, 'r-CREATED.unconfirmed',
            '{"request_id":"r-CREATED.unconfirmed","pk":"CREATED.unconfirmed","sync_state":"CREATED","edited_data":[{"op":"add","path":"","value":{"n":2}}]}',
            1, 'byContent', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
            ('CREATED.deciding', 'CREATED', 'deciding', 0, 9, 1, 0, NULL, NULL,
            '[{"op":"add","path":"","value":{"n":2}}]', NULL, NULL, NULL, NULL, 1, '8', '{"n":3}', NULL, NULL, NULL,
            NULL, NULL),
            ('CREATED.held', 'CREATED', 'held', 0, 10, 5, 0, NULL, NULL, '[{"op":"add","path":"","value":{"n":2}}]',
            NULL, NULL, NULL, NULL, 0, NULL, NULL, '{"cause":"rounds","rounds":5}', NULL, NULL, NULL, NULL),
            ('DELETED.idle', 'DELETED', 'idle', 4, 11, 0, 0, '7', '{"n":1.10,"é":"ß"}', NULL, NULL, NULL, NULL, NULL,
            0, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
            ('DELETED.uploading', 'DELETED', 'uploading', 4, 12, 0, 0, '7', '{"n":1.10,"é":"ß"}', NULL,
            'r-DELETED.uploading',
            '{"request_id":"r-DELETED.uploading","pk":"DELETED.uploading","sync_state":"DELETED","updated_at":7}', 0,
            'byAnswer', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
            ('DELETED.unconfirmed', 'DELETED', 'unconfirmed', 4, 13, 0, 0, '7', '{"n":1.10,"é":"ß"}', NULL,
            'r-DELETED.unconfirmed',
            '{"request_id":"r-DELETED.unconfirmed","pk":"DELETED.unconfirmed","sync_state":"DELETED","updated_at":7}',
            1, 'byAnswer', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
            ('DELETED.deciding', 'DELETED', 'deciding', 4, 14, 1, 0, '7', '{"n":1.10,"é":"ß"}', NULL, NULL, NULL,
            NULL, NULL, 1, '8', '{"n":3}', NULL, NULL, NULL, NULL, NULL),
            ('DELETED.held', 'DELETED', 'held', 4, 15, 0, 3, '7', '{"n":1.10,"é":"ß"}', NULL, NULL, NULL, NULL, NULL,
            0, NULL, NULL, '{"cause":"alone","problem":{"title":"The server fails on this record alone."}}', NULL,
            NULL, NULL, NULL));

        INSERT INTO quarantined_item (collection, pk, reason) VALUES (1, 'é', 'Its version is missing.');

        INSERT INTO journal (number, collection, pk, reason, lost, path, value, version, shown, is_restored) VALUES
            (1, 1, 'SYNCD', 'merge', 'client', '/n', CAST('1.10' AS BLOB), '7', NULL, 1),
            (2, 1, 'SYNCD', 'server-rolled-back', 'client', '', CAST('{}' AS BLOB), '7', CAST('{"n":1}' AS BLOB), 1),
            (4, 1, 'SYNCD', 'server-rolled-back', 'client', '/t', NULL, NULL, NULL, 0),
            (5, 2, 'x', 'take-client', 'server', '/t', CAST('"é"' AS BLOB), '"v"', NULL, 0);

        INSERT INTO removal (number, collection, pk, path, version) VALUES
            (1, 1, 'gone', '', '6'), (2, 1, 'SYNCD', '/t', NULL);
        """#

    private static let tables = """
        CREATE TABLE setting (
            key TEXT NOT NULL PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE collection (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            has_state INTEGER NOT NULL DEFAULT 0,
            cursor TEXT,
            seen TEXT,
            epoch TEXT,
            resync TEXT,
            resync_is_running INTEGER NOT NULL DEFAULT 0,
            claim TEXT,
            resync_generation INTEGER NOT NULL DEFAULT 0,
            malformed_tries INTEGER NOT NULL DEFAULT 0,
            resync_began INTEGER,
            last_in_sync INTEGER,
            exchange_memory TEXT
        ) STRICT;

        CREATE TABLE record (
            id INTEGER PRIMARY KEY,
            collection INTEGER NOT NULL,
            pk TEXT NOT NULL,
            state TEXT NOT NULL,
            activity TEXT,
            resync_generation INTEGER NOT NULL DEFAULT 0,
            sequence INTEGER NOT NULL DEFAULT 0,
            rounds INTEGER NOT NULL DEFAULT 0,
            failures INTEGER NOT NULL DEFAULT 0,
            version TEXT,
            data BLOB,
            edited_data BLOB,
            upload_id TEXT,
            upload_edit BLOB,
            upload_was_resent INTEGER,
            upload_recognition TEXT,
            was_seen INTEGER NOT NULL DEFAULT 0,
            seen_version TEXT,
            seen_data BLOB,
            hold BLOB,
            last_merge BLOB,
            name TEXT,
            watched BLOB,
            base BLOB
        ) STRICT;
        CREATE UNIQUE INDEX record_by_pk ON record (collection, pk);
        CREATE INDEX record_changed ON record (collection, activity, sequence, pk, state) WHERE activity IS NOT NULL;
        CREATE INDEX record_by_name ON record (collection, name, pk) WHERE name IS NOT NULL;
        CREATE INDEX record_watched ON record (collection, pk) WHERE watched IS NOT NULL;

        CREATE TABLE quarantined_item (
            collection INTEGER NOT NULL,
            pk TEXT NOT NULL,
            reason TEXT NOT NULL,
            PRIMARY KEY (collection, pk)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE journal (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            collection INTEGER NOT NULL,
            pk TEXT NOT NULL,
            reason TEXT NOT NULL,
            lost TEXT NOT NULL,
            path TEXT NOT NULL,
            value BLOB,
            version TEXT,
            shown BLOB,
            is_restored INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX journal_by_collection ON journal (collection);
        CREATE INDEX journal_by_pk ON journal (collection, pk);
        CREATE INDEX journal_by_reason ON journal (collection, reason);
        CREATE INDEX journal_lost ON journal (collection) WHERE reason = 'server-rolled-back' AND NOT is_restored;

        CREATE TABLE removal (
            number INTEGER PRIMARY KEY,
            collection INTEGER NOT NULL,
            pk TEXT NOT NULL,
            path TEXT NOT NULL,
            version TEXT,
            UNIQUE (collection, pk, path)
        ) STRICT;
        CREATE INDEX removal_by_collection ON removal (collection);

        CREATE TABLE derived (
            id INTEGER PRIMARY KEY,
            kind TEXT NOT NULL CHECK (kind IN ('index', 'projection')),
            name TEXT NOT NULL,
            collection TEXT NOT NULL,
            version INTEGER NOT NULL,
            fingerprint TEXT NOT NULL,
            built_to INTEGER,
            failure TEXT,
            CHECK (kind = 'projection' OR failure IS NULL)
        ) STRICT;
        CREATE UNIQUE INDEX derived_index ON derived (collection, name) WHERE kind = 'index';
        CREATE UNIQUE INDEX derived_projection ON derived (name) WHERE kind = 'projection';
        """
}
