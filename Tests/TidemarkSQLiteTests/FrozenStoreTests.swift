import TestSupport
import Testing
import TidemarkCore
import TidemarkDatabase
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite

/// A store as version 3 of its tables wrote it. Its SQL must not change.
@Suite struct `A store of version 3` {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
        let old = try DatabaseConnection(.file(self.folder.path("a.db")), applicationID: SQLiteStore.applicationID)
        try old.execute(Self.tables + Self.rows)
        try old.setUserVersion(3)
        old.close()
    }

    @Test func `a store of version 3 is migrated with its records to the newest version`() throws {
        let store = try self.folder.store()
        #expect(try store.database.userVersion() == StoreSchema.migrator.newestVersion)
        let record = try #require(try store.record("é", in: "c"))
        #expect(
            record
                == StoredRecord(
                    pk: "é", phase: .edited(.unconfirmed),
                    confirmed: StoredVersion(version: "7", data: Array(#"{"a": 1.10}"#.utf8)),
                    upload: StoredUpload(
                        requestID: "r1", edit: Array("{}".utf8), wasResent: true, recognition: .byContent),
                    editedData: Array("[]".utf8), rounds: 2, failures: 1, sequence: 3, resyncGeneration: 4,
                    lastMerge: Array("[1]".utf8)))
        #expect(
            try store.state(of: "c")
                == CollectionState(
                    cursor: "w", resync: CollectionState.Resync(.historyLost, isRunning: true), resyncGeneration: 4,
                    malformedTries: 1))
    }

    @Test func `a store of version 3 saves new values after the migration`() throws {
        let first = try self.folder.store()
        var record = try #require(try first.record("é", in: "c"))
        first.close()
        (record.name, record.watched) = ("server-57", Array("[2]".utf8))
        let state = CollectionState(cursor: "w2", resyncBegan: .microseconds(1_795_289_085_544_001))
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

    /// An earlier version kept the newest cursor, and rows that it had not applied yet, as text in settings.
    @Test func `the migration keeps a token that is newer than the cursor`() throws {
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
                == CollectionState(
                    cursor: "w", seen: "a", resync: CollectionState.Resync(.historyLost, isRunning: true),
                    resyncGeneration: 4,
                    malformedTries: 1, trouble: #"{"ahead":"a"}"#))
        #expect(
            try store.state(of: "asked")
                == CollectionState(cursor: "r", seen: "w", trouble: #"{"ahead":"w","reached":"r"}"#))
        #expect(
            try store.state(of: "waits")
                == CollectionState(
                    seen: "a", resync: CollectionState.Resync(.historyLost), resyncGeneration: 1,
                    trouble: #"{"ahead":"a"}"#),
            "the rows in the setting come again")
        #expect(try store.state(of: "well") == CollectionState(cursor: "w", trouble: #"{"attempts":2}"#))
        #expect(try store.state(of: "odd") == CollectionState(cursor: "w"))
        #expect(try store.setting("shown-early/waits") == nil && store.setting("shown-instead/waits") == nil)
    }

    /// An earlier version kept the state of a collection in settings, in part in its own text format.
    @Test func `the migration moves the settings into columns`() throws {
        let old = try DatabaseConnection(.file(self.folder.path("c.db")), applicationID: SQLiteStore.applicationID)
        try old.execute(Self.tables + StoreSchema.otherServers + StoreSchema.found + StoreSchema.oneIndex)
        try old.execute(StoreSchema.undone + "ALTER TABLE record ADD COLUMN base BLOB;" + StoreSchema.newestToken)
        try old.execute(
            """
            INSERT INTO collection (id, name, has_state, watermark, seen, listing, is_listing) VALUES
                (1, 'a/b', 1, 'w', 's', 1, 0), (2, 'begun', 1, 'w', NULL, 2, 1), (3, 'asked', 1, NULL, 's', 2, 1),
                (4, 'claimed', 1, NULL, 'w', 2, 1), (5, 'again', 1, NULL, NULL, 3, 1), (6, 'back', 1, NULL, NULL, 3, 1);
            INSERT INTO setting (key, value) VALUES
                ('account', 'me'), ('sequence', '64'), ('trace', '0..1'), ('trace/0', '{}'),
                ('epoch/' || CAST(x'6100622F63' AS TEXT), 'nul'), ('app/epoch/x', 'app'), ('epoch/a/b', 'e'), ('epoch/new', 'n'),
                ('in-step/a/b', '1795289085544001'),
                ('trouble/a/b', '{"class":"busy","message":"It is busy","read":true}'), ('trouble/begun', 'no JSON'), ('went-back/begun', 'listing'),
                ('claimed-loss/claimed', 'w'), ('went-back/claimed', 'claimed'),
                ('claimed-loss/again', ''), ('went-back/again', 'listing'), ('claimed-loss/back', 'w'),
                ('restored/server-went-back/a/b', '2 4'), ('restored/conflict/a/b', '1'), ('restored/conflict/back', 'no'),
                ('lost-by-server/a/b', '2'), ('restored/server-went-back/begun', '9');
            """)
        for (collection, reason) in [
            (1, "server-went-back"), (1, "conflict"), (1, "server-went-back"), (1, "server-went-back"),
            (1, "server-went-back"), (2, "server-went-back"), (6, "server-went-back"), (6, "conflict"),
        ] {
            try old.execute(
                """
                INSERT INTO journal (collection, pk, reason, lost, path)
                VALUES (\(collection), '1', '\(reason)', 'client', '/x')
                """)
        }
        try old.setUserVersion(9)
        old.close()

        let store = try self.folder.store("c.db")
        let failure = #""class":"busy","message":"It is busy","read":true"#
        let memory = "{\(failure),\"failure\":{\(failure)}}"
        let states: [String: CollectionState] = [
            "a/b": CollectionState(
                cursor: "w", seen: "s", epoch: "e", resyncGeneration: 1,
                lastInSync: .microseconds(1_795_289_085_544_001),
                trouble: memory),
            "begun": CollectionState(cursor: "w", resync: .init(.rollback, isRunning: true), resyncGeneration: 2),
            "asked": CollectionState(seen: "s", resync: .init(.historyLost), resyncGeneration: 2),
            "claimed": CollectionState(cursor: "w", seen: "w", claim: .rollback, resyncGeneration: 2),
            "again": CollectionState(resync: .init(.rollback), claim: .historyLost, resyncGeneration: 3),
            "back": CollectionState(cursor: "w", claim: .historyLost, resyncGeneration: 3),
            "new": CollectionState(epoch: "n"),
            "a\u{0}b/c": CollectionState(epoch: "nul"),
        ]
        #expect(try store.collections() == states.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        for (name, state) in states { #expect(try store.state(of: name) == state, "\(name)") }
        let journal = try store.journal(of: nil, in: "a/b")
        #expect(journal.map(\.isRestored) == [true, false, false, true, false])
        #expect(try store.lostByServer(in: "a/b", limit: 9) == 2)
        for name in ["begun", "back"] {
            #expect(try store.lostByServer(in: name, limit: 9) == 0, "without an action of the app")
        }
        #expect(try store.setting("account") == "me" && store.setting("app/epoch/x") == "app")
        for key in [
            "trace", "trace/0", "epoch/a/b", "in-step/a/b", "claimed-loss/again", "restored/conflict/back",
            "lost-by-server/a/b",
        ] {
            #expect(try store.setting(key) == nil)
        }
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
