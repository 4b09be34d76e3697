import TestSupport
import Testing
import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite

@Suite struct `A store of release 0.1.0` {
    private let folder: TemporaryFolder
    private static let phases = RecordPhase.allCases.filter { $0 != .absent }

    init() throws {
        self.folder = try TemporaryFolder()
        try FrozenStore.write(to: self.folder.path("a.db"))
    }

    @Test func `the first step of the migration makes the tables of release 0_1_0`() throws {
        let new = try DatabaseConnection(.memory)
        try DatabaseMigrator([StoreSchema.steps[0]]).migrate(new)
        let old = try DatabaseConnection(.file(self.folder.path("a.db")))
        let sql = "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY type, name"
        #expect(try self.texts(sql, in: new) == self.texts(sql, in: old))
    }

    @Test func `a store of 0_1_0 is migrated to the newest version, and is intact`() throws {
        let store = try self.folder.store()
        #expect(try store.database.userVersion() == StoreSchema.migrator.newestVersion)
        #expect(try self.texts("PRAGMA integrity_check", in: store.database) == ["ok"])
        let sql = """
            SELECT schema.name || '.' || info.name || ' ' || info.type || ' ' || info."notnull"
            FROM sqlite_schema AS schema, pragma_table_info(schema.name) AS info ORDER BY 1
            """
        let new = try self.folder.store("new.db")
        #expect(try self.texts(sql, in: store.database) == self.texts(sql, in: new.database))
    }

    @Test func `a later step changes the file, and one that fails leaves it at the previous version`() throws {
        let database = try DatabaseConnection(.file(self.folder.path("a.db")), applicationID: SQLiteStore.applicationID)
        func migrate(_ sql: String) throws {
            try DatabaseMigrator(StoreSchema.steps + [DatabaseMigration("a later step", sql: sql)]).migrate(database)
        }
        let error = #expect(throws: DatabaseError.self) {
            try migrate("ALTER TABLE record ADD COLUMN later TEXT; DELETE FROM record; INSERT INTO nowhere VALUES (1)")
        }
        #expect(error?.message.contains("“a later step” to version \(StoreSchema.steps.count + 1)") == true)
        #expect(try database.userVersion() == StoreSchema.migrator.newestVersion)
        #expect(try database.integer("SELECT count(*) FROM record") == 16)
        #expect(try database.integer("SELECT count(*) FROM pragma_table_info('record') WHERE name = 'later'") == 0)
        try migrate("ALTER TABLE record ADD COLUMN later TEXT")
        #expect(try database.userVersion() == StoreSchema.migrator.newestVersion + 1)
        #expect(try database.integer("SELECT count(*) FROM record WHERE later IS NULL") == 16)
        database.close()
        #expect(throws: TidemarkError.self) { try self.folder.store() }
    }

    @Test(arguments: Self.phases)
    func `a record of each phase is read with all its parts, and is the same after it was saved`(
        phase: RecordPhase
    ) throws {
        let expected = try #require(FrozenStore.records[phase])
        let pk = phase.description
        let store = try self.folder.store()
        #expect(try store.record(pk, in: "notes") == expected)
        try store.commit { (store) throws(TidemarkError) in
            try store.erase(pk, in: "notes")
            try store.save(expected, in: "notes")
        }
        store.close()
        #expect(try self.folder.store().record(pk, in: "notes") == expected)
    }

    @Test func `the records are listed, counted, and found by activity, name and watch`() throws {
        let store = try self.folder.store()
        #expect(try store.pks(in: "notes") == Self.phases.map(\.description).sorted())
        #expect(try store.counts(in: "notes") == [.synced: 1, .edited: 5, .created: 5, .deleted: 5])
        #expect(
            try store.recordsToSend(in: "notes", limit: 9).map(\.pk) == ["EDITED.idle", "CREATED.idle", "DELETED.idle"])
        #expect(try store.unsettledRecords(in: "notes").count == 6)
        let waiting = try store.waiting(in: "notes")
        #expect(waiting.deciding.count == 3)
        let held = FrozenStore.records.values.filter { $0.phase.activity == .held }
            .sorted { $0.sequence < $1.sequence }
        #expect(waiting.held == held.map { StoredRecord.Waiting.Held(pk: $0.pk, hold: $0.hold) })
        #expect(try store.record(named: "server-57", in: "notes")?.pk == "SYNCD")
        #expect(try store.watchedRecords(in: "notes", after: nil, limit: 9).map(\.pk) == ["SYNCD"])
        #expect(
            try store.recordsNotInResync(in: "notes", resyncGeneration: 4, after: nil, limit: 9).map(\.pk)
                == ["CREATED.deciding", "CREATED.held", "CREATED.idle", "CREATED.unconfirmed", "CREATED.uploading"]
                + ["EDITED.unconfirmed"])
    }

    @Test func `the states of collections, the settings and quarantined items are kept`() throws {
        let store = try self.folder.store()
        #expect(try store.collections() == ["lists", "notes"])
        let notes = try store.state(of: "notes")
        #expect(
            notes
                == CollectionState(
                    cursor: "c1", seen: "c2", epoch: "e1", resync: .init(.rollback, isRunning: true),
                    resyncGeneration: 4,
                    malformedTries: 1, resyncBegan: .microseconds(1_795_289_085_544_001),
                    lastInSync: .microseconds(1_795_289_085_544_002), exchangeMemory: notes.exchangeMemory))
        let lists = CollectionState(resync: .init(.wanted), claim: .historyLost)
        #expect(try store.state(of: "lists") == lists)
        #expect(
            try store.quarantinedItems(in: "notes") == [QuarantinedItem(pk: "é", reason: "Its version is missing.")])
        #expect(try store.setting("account") == "ada" && store.setting("sequence") == "64")
        try store.commit { (store) throws(TidemarkError) in
            try store.save(notes, of: "lists")
            try store.save(lists, of: "notes")
        }
        #expect(try store.state(of: "lists") == notes && store.state(of: "notes") == lists)
    }

    @Test func `the memory of an exchange is read with all its parts`() throws {
        typealias Memory = ExchangeMemory<CodePointString, RemoteFailure>
        let text = try #require(try self.folder.store().state(of: "notes").exchangeMemory)
        let memory = try JSON(parsing: text).decode(Memory.self)
        #expect(memory.batchSize == 8 && memory.pageSize == 50 && memory.attempts == 3 && memory.failedPosts == 2)
        #expect(memory.readsFirst && memory.isAccountUnconfirmed)
        #expect(memory.poison.suspect == "s" && memory.poison.last == "l")
        #expect(memory.poison.hasSeveral && memory.poison.canWrite)
        #expect(memory.postFailure == RemoteFailure(.busy, "It is busy"))
        #expect(try JSON(encoding: memory) == JSON(parsing: text))
    }

    @Test func `the journal and the removals are kept, and numbers continue`() throws {
        let store = try self.folder.store()
        let journal = try store.journal(of: nil, in: "notes")
        #expect(
            journal == [
                StoredJournalEntry(
                    number: 1, pk: "SYNCD", reason: .merge, lost: .client, path: "/n", value: Array("1.10".utf8),
                    version: "7", isRestored: true),
                StoredJournalEntry(
                    number: 2, pk: "SYNCD", reason: .serverRolledBack, lost: .client, path: "", value: Array("{}".utf8),
                    version: "7", shown: Array(#"{"n":1}"#.utf8), isRestored: true),
                StoredJournalEntry(
                    number: 4, pk: "SYNCD", reason: .serverRolledBack, lost: .client, path: "/t", value: nil,
                    version: nil),
            ])
        #expect(try store.journal(of: "x", in: "lists").map(\.lost) == [.server])
        #expect(try store.lostByServer(in: "notes", limit: 9) == 1)
        #expect(
            try store.removals(of: "gone", in: "notes") == [StoredRemoval(pk: "gone", path: "", version: "6")])
        #expect(
            try store.removals(of: "SYNCD", in: "notes") == [StoredRemoval(pk: "SYNCD", path: "/t", version: nil)])
        try store.commit { (store) throws(TidemarkError) in
            #expect(try store.append(journal[0], in: "notes") == 6)
        }
    }

    @Test(arguments: Self.phases)
    func `the engine reads a record of each phase without damage`(phase: RecordPhase) throws {
        let engine = try SyncEngine(store: try self.folder.store(), configuration: SyncConfiguration(), seed: 1)
        let record = try #require(try engine.snapshot(of: phase.description, in: "notes"))
        // The POST of an earlier process has an unknown outcome (R17).
        let revived: [RecordPhase: RecordPhase] = [
            .edited(.uploading): .edited(.unconfirmed), .created(.uploading): .created(.unconfirmed),
            .deleted(.uploading): .deleted(.unconfirmed),
        ]
        #expect(record.phase == revived[phase] ?? phase && record.damage == nil)
        let holds: [RecordPhase: RecordHold] = [
            .edited(.held): RecordHold(
                .refused(status: 422, problem: ["title": "No", "detail": "n is too small"]), isAsked: true),
            .created(.held): RecordHold(.rounds(5)),
            .deleted(.held): RecordHold(.alone(problem: ["title": "The server fails on this record alone."])),
        ]
        #expect(record.hold == holds[phase])
        let merge = try engine.explain(phase.description, in: "notes").lastMerge
        #expect(merge?.fromHere == (phase == .synced ? ["/n"] : nil))
    }

    @Test func `the engine reads the watched write, the trace, and the journal`() throws {
        let store = try self.folder.store()
        let bytes = try #require(try store.record("SYNCD", in: "notes")?.watched)
        let watch = try #require(AcknowledgedWrite(bytes: bytes))
        #expect(watch.until == .microseconds(1_795_289_085_544_001))
        #expect(try watch.json == JSON(parsing: bytes))
        let engine = try SyncEngine(store: store, configuration: SyncConfiguration(), seed: 1)
        #expect(try engine.storedTrace().entries.map(\.number) == [1, 2, 3])
        #expect(
            try engine.journal(of: nil, in: "notes").map(\.reason) == [.merge, .serverRolledBack, .serverRolledBack])
    }

    private func texts(_ sql: String, in database: DatabaseConnection) throws -> [String] {
        let select = try database.statement(sql)
        var texts: [String] = []
        while try select.step() { texts.append(try select.text(0)) }
        return texts
    }
}

extension FrozenStore {
    /// The records of `notes`; the pk of each is its phase.
    static let records: [RecordPhase: StoredRecord] = {
        let confirmed = StoredVersion(version: "7", data: Array(#"{"n":1.10,"é":"ß"}"#.utf8))
        let (none, newer) = (StoredVersion(), StoredVersion(version: "8", data: Array(#"{"n":3}"#.utf8)))
        let edit = Array(#"[{"op":"replace","path":"/n","value":2}]"#.utf8)
        let creation = Array(#"[{"op":"add","path":"","value":{"n":2}}]"#.utf8)
        func upload(_ phase: RecordPhase, _ rest: String, again: Bool, _ recognition: Recognition) -> StoredUpload {
            let state = phase.state?.rawValue ?? ""
            return StoredUpload(
                requestID: "r-\(phase)",
                edit: Array(
                    #"{"request_id":"r-\#(phase)","pk":"\#(phase)","sync_state":"\#(state)"\#(rest)}"#.utf8),
                wasResent: again, recognition: recognition)
        }
        func uploads(_ state: (RecordPhase.Activity) -> RecordPhase, _ rest: String, _ recognition: Recognition)
            -> (first: StoredUpload, again: StoredUpload)
        {
            (
                upload(state(.uploading), rest, again: false, .byAnswer),
                upload(state(.unconfirmed), rest, again: true, recognition)
            )
        }
        let edits = uploads(
            RecordPhase.edited, #","updated_at":7,"edited_data":\#(String(decoding: edit, as: UTF8.self))"#, .byContent)
        let creations = uploads(
            RecordPhase.created, #","edited_data":\#(String(decoding: creation, as: UTF8.self))"#, .byContent)
        let deletions = uploads(RecordPhase.deleted, #","updated_at":7"#, .byAnswer)
        func make(
            _ phase: RecordPhase, _ confirmed: StoredVersion, generation: Int64 = 0, _ sequence: Int64,
            _ change: (inout StoredRecord) -> Void = { _ in }
        ) -> StoredRecord {
            var record = StoredRecord(
                pk: phase.description, phase: phase, confirmed: confirmed, sequence: sequence,
                resyncGeneration: generation)
            change(&record)
            return record
        }
        let records = [
            make(.synced, confirmed, generation: 4, 0) {
                $0.lastMerge = Array(
                    #"{"updated_at":7,"from_here":["/n"],"from_server":[],"on_both":[]}"#.utf8)
                $0.name = "server-57"
                $0.watched = Array(
                    #"{"until":1795289085544001,"values":[{"path":"/n","value":[1.10],"before":[[1],[]],"returns":1}]}"#
                        .utf8)
            },
            make(.edited(.idle), confirmed, generation: 4, 1) { $0.editedData = edit },
            make(.edited(.uploading), confirmed, generation: 4, 2) { $0.upload = edits.first },
            make(.edited(.unconfirmed), confirmed, generation: 3, 3) {
                $0.upload = edits.again
                $0.editedData = Array(#"[{"op":"add","path":"/t","value":"x"}]"#.utf8)
                $0.failures = 2
                $0.seen = StoredVersion(version: "8", data: nil)
            },
            make(.edited(.deciding), confirmed, generation: 4, 4) {
                ($0.editedData, $0.seen, $0.base, $0.rounds) = (edit, newer, Array(#"{"n":1}"#.utf8), 2)
            },
            make(.edited(.held), confirmed, generation: 4, 5) {
                $0.editedData = edit
                $0.hold = Array(
                    #"{"cause":"refused","status":422,"problem":{"title":"No","detail":"n is too small"},"asked":true}"#
                        .utf8)
            },
            make(.created(.idle), none, 6) { $0.editedData = creation },
            make(.created(.uploading), none, 7) { $0.upload = creations.first },
            make(.created(.unconfirmed), none, 8) { $0.upload = creations.again },
            make(.created(.deciding), none, 9) { ($0.editedData, $0.seen, $0.rounds) = (creation, newer, 1) },
            make(.created(.held), none, 10) {
                ($0.editedData, $0.rounds) = (creation, 5)
                $0.hold = Array(#"{"cause":"rounds","rounds":5}"#.utf8)
            },
            make(.deleted(.idle), confirmed, generation: 4, 11),
            make(.deleted(.uploading), confirmed, generation: 4, 12) { $0.upload = deletions.first },
            make(.deleted(.unconfirmed), confirmed, generation: 4, 13) { $0.upload = deletions.again },
            make(.deleted(.deciding), confirmed, generation: 4, 14) { ($0.seen, $0.rounds) = (newer, 1) },
            make(.deleted(.held), confirmed, generation: 4, 15) {
                $0.failures = 3
                $0.hold = Array(
                    #"{"cause":"alone","problem":{"title":"The server fails on this record alone."}}"#.utf8)
            },
        ]
        return records.reduce(into: [:]) { $0[$1.phase] = $1 }
    }()
}
