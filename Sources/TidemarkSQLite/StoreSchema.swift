package import TidemarkDatabase

/// The tables of a store, and the migration of older files.
package enum StoreSchema {
    /// Steps are only added at the end; a released step never changes.
    package static let steps = [
        DatabaseMigration("the first tables", sql: Self.firstTables),
        DatabaseMigration("references", sql: Self.references),
        DatabaseMigration("debts", sql: Self.debts),
    ]

    package static let migrator = DatabaseMigrator(Self.steps)

    // Reasons for the layout:
    // - A record is found by its pk in a separate index, and rows are stored in the order of insertion: a pulled page is then
    //   appended and no page of the file is split for it. With the payloads inside the tree of the pks (WITHOUT ROWID)
    //   the same page takes two to five times as long.
    // - One index has only records that are not SYNCD. It costs a pull almost nothing, and to find the records to send, no other
    //   record is read (Contract §9). With more than one, each would be searched for every received row, and an edit would write to
    //   two of them: two pages of the log, in addition to that of the row. The state is its last column, so that counting need
    //   not read the rows.
    // - Payloads are blobs: SQLite then neither checks nor converts them. They come after the small columns, so that
    //   reading those does not touch a payload's overflow pages.
    // - The columns at the end, and their indexes, are empty with our own servers.
    // - Removals are looked up by record during the full resync after a server rollback, and the oldest are deleted by number. A
    //   pull writes nothing there.
    // - The oldest journal entries of one reason are removed beyond its limit, and those of a rollback are counted.
    // - Tables are derived from the records: an index of members has the table `entry_` with its id, of plain bytes, which any
    //   program can read and copy; a projection has `app_` with its name, and others whose names begin with that and `_`. Both are
    //   complete if `built_to` is null; otherwise rows with a larger id are not in them yet. A missing entry would lose a row of a
    //   query, so only a projection can have a `failure`, with which it is wrong. The collection need not exist yet.
    private static let firstTables = """
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

    // What the rows of pending records say about references (`ReferenceStore`), if any are declared. It is found by both records. Names
    // instead of the numbers of collections, since a collection that is named need not exist.
    private static let references = """
        CREATE TABLE reference (
            collection TEXT NOT NULL,
            pk TEXT NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('added', 'removed', 'missing')),
            target TEXT NOT NULL,
            name TEXT NOT NULL,
            PRIMARY KEY (collection, pk, kind, target, name)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX reference_to ON reference (target, name, kind, collection, pk);
        """

    // The records that a program has changed which could not write them to a table of `derived`: by the id of the table, since one
    // program may know some tables of a collection and not others. Only pks, since the contents of a table depend on the present row
    // alone.
    private static let debts = """
        CREATE TABLE debt (
            derived INTEGER NOT NULL,
            pk TEXT NOT NULL,
            PRIMARY KEY (derived, pk)
        ) STRICT, WITHOUT ROWID;
        """
}
