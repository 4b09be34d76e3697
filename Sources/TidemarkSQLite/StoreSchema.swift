package import TidemarkDatabase

/// The tables of a store, and the migration of older files.
package enum StoreSchema {
    /// Steps are only added at the end; a released step never changes.
    package static let migrator = DatabaseMigrator([
        DatabaseMigration("the first tables", sql: Self.firstTables),
        DatabaseMigration("the summary of the last merge", sql: "ALTER TABLE record ADD COLUMN last_merge BLOB"),
        DatabaseMigration("one upload at a time, and its recognition", sql: Self.oneUpload),
        DatabaseMigration("columns for other servers", sql: Self.otherServers),
        DatabaseMigration("indexes of server names and of watched records", sql: Self.found),
        DatabaseMigration("one index of changed records", sql: Self.oneIndex),
        DatabaseMigration("removals that a rolled back server may have lost", sql: Self.undone),
        DatabaseMigration("the base of a conflict", sql: "ALTER TABLE record ADD COLUMN base BLOB"),
        DatabaseMigration("the newest token of a collection", sql: Self.newestToken),
        DatabaseMigration("the state of a collection from settings", sql: Self.fromSettings),
        DatabaseMigration("indexes of members", sql: Self.fieldIndexes),
        DatabaseMigration("tables of the app", sql: Self.projections),
        DatabaseMigration("an index of journal entries by reason", sql: Self.reasons),
    ])

    // The oldest entries of one reason are removed beyond its limit.
    package static let reasons = "CREATE INDEX journal_by_reason ON journal (collection, reason)"

    // A projection has the table `app_` with its name, and others whose names begin with that and `_`. They are complete if
    // `built_to` is null; otherwise rows with a larger id are not in them yet. With a `failure` they are wrong.
    package static let projections = """
        CREATE TABLE projection (
            name TEXT NOT NULL PRIMARY KEY,
            collection TEXT NOT NULL,
            version INTEGER NOT NULL,
            fingerprint TEXT NOT NULL,
            built_to INTEGER,
            failure TEXT
        ) STRICT, WITHOUT ROWID;
        """

    // Each index has a table `entry_` with its id: plain bytes, which any program can read and copy. `built_to` is null in a
    // complete index; otherwise rows with a larger id have no entries yet.
    package static let fieldIndexes = """
        CREATE TABLE field_index (
            id INTEGER PRIMARY KEY,
            collection INTEGER NOT NULL,
            paths TEXT NOT NULL,
            fingerprint TEXT NOT NULL,
            built_to INTEGER,
            UNIQUE (collection, paths)
        ) STRICT;
        """

    // Earlier versions stored these in settings: `claimed-loss/` had the refused cursor, or nothing if a full resync was
    // interrupted; `went-back/` meant that the full resync followed a rollback, "claimed" while the refusal was unverified.
    // `restored/` had the number up to which all entries of a reason were restored, and other numbers, separated by spaces. A
    // trace had another format, and begins anew. A name may contain U+0000, at which SQL functions of text stop; functions of
    // blobs do not.
    package static let fromSettings = """
        ALTER TABLE collection ADD COLUMN epoch TEXT;
        ALTER TABLE collection ADD COLUMN resync TEXT;
        ALTER TABLE collection ADD COLUMN claim TEXT;
        ALTER TABLE collection ADD COLUMN in_step INTEGER;
        ALTER TABLE collection ADD COLUMN trouble TEXT;
        ALTER TABLE journal ADD COLUMN restored INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX journal_lost ON journal (collection) WHERE reason = 'server-went-back' AND NOT restored;

        CREATE TEMP TABLE kept AS SELECT CAST(substr(text, 1, instr(text, x'2F') - 1) AS TEXT) AS kind,
            CAST(substr(text, instr(text, x'2F') + 1) AS TEXT) AS name, value
            FROM (SELECT CAST(key AS BLOB) AS text, value FROM setting);
        INSERT INTO collection (name, has_state) SELECT DISTINCT name, 1 FROM kept
            WHERE kind IN ('epoch', 'in-step', 'trouble') AND name NOT IN (SELECT name FROM collection);
        UPDATE collection SET epoch = value FROM kept WHERE kind = 'epoch' AND kept.name = collection.name;
        UPDATE collection SET in_step = CAST(value AS INTEGER) FROM kept
            WHERE kind = 'in-step' AND kept.name = collection.name;
        UPDATE collection SET trouble = iif(json_type(value, '$.failure') IS NULL AND json_type(value, '$.class') IS NOT NULL,
                json_set(value, '$.failure', json(value)), value)
            FROM kept WHERE kind = 'trouble' AND kept.name = collection.name AND json_valid(value);
        UPDATE collection SET resync = 'history-lost' WHERE is_listing;
        UPDATE collection SET is_listing = 0 WHERE watermark IS NULL;
        UPDATE collection SET resync = iif(value = 'listing', 'rollback', resync),
                claim = iif(value = 'claimed', 'rollback', NULL)
            FROM kept WHERE kind = 'went-back' AND kept.name = collection.name AND resync IS NOT NULL;
        UPDATE collection SET claim = coalesce(claim, 'history-lost'),
                watermark = nullif(value, ''), resync = iif(value = '', resync, NULL)
            FROM kept WHERE kind = 'claimed-loss' AND kept.name = collection.name;
        CREATE TEMP TABLE done AS SELECT collection.id AS collection, kept.name AS name, each.key = 0 AS is_last,
            each.value AS number FROM kept, collection, json_each(iif(json_valid('[' || replace(kept.value, ' ', ',') || ']'),
                '[' || replace(kept.value, ' ', ',') || ']', '[]')) AS each
            WHERE kind = 'restored' AND substr(CAST(kept.name AS BLOB), -1 - length(CAST(collection.name AS BLOB)))
                = CAST('/' || collection.name AS BLOB);
        UPDATE journal SET restored = 1 FROM done, collection WHERE journal.number = done.number
            AND journal.collection = done.collection AND collection.id = done.collection
            AND done.name = journal.reason || '/' || collection.name;
        UPDATE journal SET restored = 1 FROM done, collection WHERE done.is_last AND journal.number <= done.number
            AND journal.collection = done.collection AND collection.id = done.collection
            AND done.name = journal.reason || '/' || collection.name;
        UPDATE journal SET restored = 1 WHERE reason = 'server-went-back' AND collection NOT IN (
            SELECT collection.id FROM collection, kept WHERE kind = 'lost-by-server' AND kept.name = collection.name);
        DROP TABLE kept;
        DROP TABLE done;
        DELETE FROM setting WHERE key = 'trace' OR substr(key, 1, instr(key, '/') - 1)
            IN ('epoch', 'in-step', 'trouble', 'went-back', 'claimed-loss', 'restored', 'lost-by-server', 'trace');
        """

    // An earlier version stored a token that is newer than the cursor in the text of a setting, and, while it asked the server
    // about the token, in the cursor's column. Rows that it had not applied yet are in a setting only, so a full resync reads
    // them again.
    package static let newestToken = """
        ALTER TABLE collection ADD COLUMN seen TEXT;
        UPDATE collection SET seen = json_extract(setting.value, '$.ahead'),
            watermark = coalesce(json_extract(setting.value, '$.reached'), watermark)
            FROM setting WHERE setting.key = 'trouble/' || collection.name AND json_valid(setting.value)
            AND json_type(setting.value, '$.ahead') = 'text';
        UPDATE collection SET seen = coalesce(seen, watermark), watermark = NULL, listing = listing + 1, is_listing = 1
            WHERE EXISTS (SELECT 1 FROM setting WHERE key = 'shown-instead/' || collection.name);
        DELETE FROM setting WHERE substr(key, 1, 12) = 'shown-early/' OR substr(key, 1, 14) = 'shown-instead/';
        """

    // Removals are looked up by record during the full resync after a server rollback, and the oldest are deleted by number. A
    // pull writes nothing here.
    package static let undone = """
        ALTER TABLE journal ADD COLUMN shown BLOB;
        CREATE TABLE removal (
            number INTEGER PRIMARY KEY,
            collection INTEGER NOT NULL,
            pk TEXT NOT NULL,
            path TEXT NOT NULL,
            stamp TEXT,
            UNIQUE (collection, pk, path)
        ) STRICT;
        CREATE INDEX removal_by_collection ON removal (collection);
        """

    // There were four indexes of the records that are not SYNCD. Each of them was searched for every received row, and an edit
    // wrote to two of them: two pages of the log, in addition to that of the row. The state is the last column, so that
    // counting need not read the rows.
    package static let oneIndex = """
        DROP INDEX record_changed;
        DROP INDEX record_to_send;
        DROP INDEX record_unsettled;
        DROP INDEX record_waiting;
        CREATE INDEX record_changed ON record (collection, activity, sequence, pk, state) WHERE activity IS NOT NULL;
        """

    // Empty with our own servers, and so small.
    package static let found = """
        CREATE INDEX record_by_name ON record (collection, name, pk) WHERE name IS NOT NULL;
        CREATE INDEX record_watched ON record (collection, pk) WHERE watched IS NOT NULL;
        """

    // Nullable, and empty with our own servers: at the end of an older row they need no space.
    package static let otherServers = """
        ALTER TABLE record ADD COLUMN name TEXT;
        ALTER TABLE record ADD COLUMN watched BLOB;
        ALTER TABLE collection ADD COLUMN listed_at INTEGER;
        """

    // An upload that an edit of a held record had replaced was stored in addition to the next one, to recognize an own write.
    // It is now sent first (R17). A replaced create becomes the upload again, and the later content, which is a whole record,
    // follows it (I11). A replaced edit or delete is dropped: the later edit is a patch of the confirmed record and not of the
    // upload, and no version that stored both was ever released.
    package static let oneUpload = """
        ALTER TABLE record ADD COLUMN upload_recognition TEXT;
        UPDATE record
            SET upload_id = doubt_id, upload_edit = doubt_edit, upload_was_resent = doubt_was_resent,
                activity = 'unconfirmed'
            WHERE doubt_id IS NOT NULL AND upload_id IS NULL AND activity = 'idle' AND state = 'CREATED';
        ALTER TABLE record DROP COLUMN doubt_id;
        ALTER TABLE record DROP COLUMN doubt_edit;
        ALTER TABLE record DROP COLUMN doubt_was_resent;
        """

    // Reasons for the layout:
    // - A record is found by its pk in a separate index, and rows are stored in the order of insertion: a pulled page is then
    //   appended and no page of the file is split for it. With the payloads inside the tree of the pks (WITHOUT ROWID)
    //   the same page takes two to five times as long.
    // - Another index has only records that are not SYNCD, in the order in which they are sent. It costs a pull almost nothing,
    //   and to find the records to send, no other record is read (SPEC §9).
    // - Payloads are blobs: SQLite then neither checks nor converts them. They come after the small columns, so that
    //   reading those does not touch a payload's overflow pages.
    package static let firstTables = """
        CREATE TABLE setting (
            key TEXT NOT NULL PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE collection (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            has_state INTEGER NOT NULL DEFAULT 0,
            watermark TEXT,
            listing INTEGER NOT NULL DEFAULT 0,
            is_listing INTEGER NOT NULL DEFAULT 0,
            malformed_tries INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        CREATE TABLE record (
            id INTEGER PRIMARY KEY,
            collection INTEGER NOT NULL,
            pk TEXT NOT NULL,
            state TEXT NOT NULL,
            activity TEXT,
            listing INTEGER NOT NULL DEFAULT 0,
            sequence INTEGER NOT NULL DEFAULT 0,
            rounds INTEGER NOT NULL DEFAULT 0,
            failures INTEGER NOT NULL DEFAULT 0,
            stamp TEXT,
            data BLOB,
            edited_data BLOB,
            upload_id TEXT,
            upload_edit BLOB,
            upload_was_resent INTEGER,
            was_seen INTEGER NOT NULL DEFAULT 0,
            seen_stamp TEXT,
            seen_data BLOB,
            doubt_id TEXT,
            doubt_edit BLOB,
            doubt_was_resent INTEGER,
            hold BLOB
        ) STRICT;
        CREATE UNIQUE INDEX record_by_pk ON record (collection, pk);
        CREATE INDEX record_changed ON record (collection, state, pk) WHERE state <> 'SYNCD';
        CREATE INDEX record_to_send ON record (collection, sequence, pk) WHERE activity = 'idle';
        CREATE INDEX record_unsettled ON record (collection, failures, sequence, pk)
            WHERE activity IN ('uploading', 'unconfirmed');
        CREATE INDEX record_waiting ON record (collection, sequence, pk) WHERE activity IN ('deciding', 'held');

        CREATE TABLE item_set_aside (
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
            stamp TEXT
        ) STRICT;
        CREATE INDEX journal_by_collection ON journal (collection);
        CREATE INDEX journal_by_pk ON journal (collection, pk);
        """
}
