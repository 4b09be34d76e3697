import TestSupport
import Testing
import TidemarkCore
import TidemarkDatabase
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite

/// A store as version 3 of its tables wrote it; never changed.
@Suite struct `A store of version 3` {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
        let old = try DatabaseConnection(.file(self.folder.path("a.db")), applicationID: SQLiteStore.applicationID)
        try old.execute(Self.tables + Self.rows)
        try old.setUserVersion(3)
        old.close()
    }

    @Test func `is brought up to date with what it holds, and has room for what other servers need`() throws {
        let store = try self.folder.store()
        #expect(try store.database.userVersion() == StoreSchema.migrator.newestVersion)
        let record = try #require(try store.record("é", in: "c"))
        #expect(
            record
                == StoredRecord(
                    pk: "é", phase: .edited(.unconfirmed),
                    confirmed: StoredVersion(stamp: "7", data: Array(#"{"a": 1.10}"#.utf8)),
                    upload: StoredUpload(
                        requestID: "r1", edit: Array("{}".utf8), wasResent: true, recognition: .byContent),
                    editedData: Array("[]".utf8), rounds: 2, failures: 1, sequence: 3, listing: 4,
                    lastMerge: Array("[1]".utf8)))
        #expect(
            try store.state(of: "c") == CollectionState(watermark: "w", listing: 4, isListing: true, malformedTries: 1))
    }

    @Test func `keeps what is saved to it since`() throws {
        let first = try self.folder.store()
        var record = try #require(try first.record("é", in: "c"))
        first.close()
        (record.name, record.watched) = ("server-57", Array("[2]".utf8))
        let state = CollectionState(watermark: "w2", listedAt: .microseconds(1_795_289_085_544_001))
        let store = try self.folder.store()
        try store.commit { (store) throws(TidemarkError) in
            try store.save(record, in: "c")
            try store.save(state, of: "c")
        }
        store.close()
        let again = try self.folder.store()
        #expect(try again.record("é", in: "c") == record)
        #expect(try again.state(of: "c") == state)
    }

    /// An earlier version kept the newest token, and rows that it had not applied yet, as text in settings.
    @Test func `takes over a token that is newer than the cursor`() throws {
        let old = try DatabaseConnection(.file(self.folder.path("b.db")), applicationID: SQLiteStore.applicationID)
        try old.execute(Self.tables + Self.rows)
        for (id, name) in ["asked", "waits", "well", "odd"].enumerated() {
            try old.execute(
                "INSERT INTO collection (id, name, has_state, watermark) VALUES (\(id + 2), '\(name)', 1, 'w')")
        }
        try old.execute(
            """
            INSERT INTO setting (key, value) VALUES
                ('trouble/c', '{"ahead":"a"}'), ('trouble/asked', '{"ahead":"w","reached":"r"}'),
                ('trouble/waits', '{"ahead":"a"}'), ('shown-instead/waits', '[["1","2","{}"]]'),
                ('shown-early/waits', '["1"]'), ('trouble/well', '{"attempts":2}'), ('trouble/odd', '{"ahead":[]');
            """)
        try old.setUserVersion(3)
        old.close()
        let store = try self.folder.store("b.db")
        #expect(
            try store.state(of: "c")
                == CollectionState(watermark: "w", seen: "a", listing: 4, isListing: true, malformedTries: 1))
        #expect(try store.state(of: "asked") == CollectionState(watermark: "r", seen: "w"))
        #expect(
            try store.state(of: "waits") == CollectionState(seen: "a", listing: 1, isListing: true),
            "the rows in the setting come again")
        for name in ["well", "odd"] { #expect(try store.state(of: name) == CollectionState(watermark: "w")) }
        #expect(try store.setting("shown-early/waits") == nil && store.setting("shown-instead/waits") == nil)
    }

    private static let rows = """
        INSERT INTO collection (id, name, has_state, watermark, listing, is_listing, malformed_tries)
        VALUES (1, 'c', 1, 'w', 4, 1, 1);
        INSERT INTO record (
            collection, pk, state, activity, listing, sequence, rounds, failures, stamp, data, edited_data, upload_id,
            upload_edit, upload_was_resent, last_merge, upload_recognition)
        VALUES (
            1, 'é', 'EDITED', 'unconfirmed', 4, 3, 2, 1, '7', CAST('{"a": 1.10}' AS BLOB), CAST('[]' AS BLOB), 'r1',
            CAST('{}' AS BLOB), 1, CAST('[1]' AS BLOB), 'byContent');
        """

    private static let tables = """
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
            hold BLOB,
            last_merge BLOB,
            upload_recognition TEXT
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
