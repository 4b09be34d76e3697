import PostgresForTests
import Testing
import TidemarkJSON
import TidemarkPostgres
import TidemarkServer

@Suite("Several server processes on one database", .overPostgres, .timeLimit(.minutes(10)))
struct ProcessesTests {
    private let database: TestDatabase

    init() throws {
        self.database = try TestDatabase()
    }

    /// Delayed writes are sent together with the next read, and with the commit.
    @Test func `a record that the database refuses fails only its POST of the transaction (W5)`()
        throws
    {
        let process = try self.database.process()
        try process.make("0")
        try self.database.run(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN IF NEW.pk = ''bad'' THEN RAISE ''not this one''; END IF; RETURN NEW; END';
            CREATE TRIGGER refuse BEFORE INSERT ON tidemark_record FOR EACH ROW EXECUTE FUNCTION refuse()
            """)
        let requests = ["1", "bad", "2"].map { pk in
            let body: JSON = ["edits": [creation(of: pk)]]
            return ServerRequest(method: "POST", target: "/v1/notes", body: body.bytes)
        }
        var statuses: [Int: Int] = [:]
        process.core.handle(requests) { statuses[$0] = $1.status }
        #expect((0..<3).map { statuses[$0] } == [200, 500, 200])
        #expect(try process.list().pks == ["0", "1", "2"])
        #expect(process.heard.errors.count == 1)
    }

    /// No read follows that would carry out the delayed write: it is carried out alone, before the commit.
    @Test func `an answer that the database does not store fails only its POST (W5)`() throws {
        let process = try self.database.process()
        try process.make("0")
        try self.database.run(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN IF NEW.request_id = ''bad'' THEN RAISE ''not this one''; END IF; RETURN NEW; END';
            CREATE TRIGGER refuse BEFORE INSERT ON tidemark_answer FOR EACH ROW EXECUTE FUNCTION refuse()
            """)
        let refused: JSON = ["request_id": "bad", "pk": "1", "sync_state": "no state"]
        let requests = [("notes", creation(of: "1")), ("tags", refused)].map { collection, edit in
            let body: JSON = ["edits": [edit]]
            return ServerRequest(method: "POST", target: "/v1/\(collection)", body: body.bytes)
        }
        var statuses: [Int: Int] = [:]
        process.core.handle(requests) { statuses[$0] = $1.status }
        #expect((0..<2).map { statuses[$0] } == [200, 500])
        #expect(try process.list().pks == ["0", "1"])
    }

    /// Some rows and answers are read in advance, but not large rows, and not those that the same POST has written.
    @Test func `edits in one POST see the changes of earlier edits in it (W4)`() throws {
        let process = try self.database.process()
        let large = JSON.string(JSONString(String(repeating: "x", count: 10_000)))
        var create = creation(of: "1")
        create["edited_data"] = [["op": "add", "path": "", "value": ["a": large]]]
        func edit(_ id: String, at version: Int, to value: JSON) -> JSON {
            [
                "request_id": .string(JSONString(id)), "pk": "1", "sync_state": "EDITED",
                "updated_at": .number(JSONNumber(version)),
                "edited_data": [["op": "replace", "path": "/a", "value": value]],
            ]
        }
        let made = try Page(process.post([create, create, creation(of: "2")]))
        let version = try #require(made.versions.first)
        #expect(made.versions == [version, version, version + 1])
        let edits = [
            edit("e1", at: version, to: 1), edit("e2", at: version + 2, to: 2), edit("e1", at: version, to: 1),
        ]
        let edited = try Page(process.post(edits))
        #expect(edited.versions == [version + 2, version + 3, version + 2])
        #expect(try Page(process.post(edits)).versions == edited.versions)
        #expect(try process.list().itemVersions == [version + 1, version + 3])
    }

    @Test func `versions grow in the order of commits with any clocks of the processes (W3)`() throws {
        let (fast, slow) = (try self.database.process(clock: 5_000), try self.database.process(clock: 10))
        #expect(try [fast.make("1"), slow.make("2"), fast.make("3"), slow.make("4")] == [5_000, 5_001, 5_002, 5_003])
        #expect(try slow.list().itemVersions == [5_000, 5_001, 5_002, 5_003])
    }

    @Test func `a cursor of one process is valid at all others, even after their writes (W8)`() throws {
        let processes = [try self.database.process(), try self.database.process()]
        var marks: [String] = []
        for number in 0..<6 {
            try processes[number % 2].make("\(number)")
            marks.append(try processes[(number + 1) % 2].list().cursor)
        }
        for process in processes {
            #expect(try marks.map { try process.list(after: $0).pks.count } == [5, 4, 3, 2, 1, 0])
        }
    }

    @Test func `processes that write in turns do not fill the table of incarnations (W8)`() throws {
        let processes = [try self.database.process(), try self.database.process()]
        for number in 0..<20 { try processes[number % 2].make("\(number)") }
        #expect(try self.database.run("SELECT count(*) FROM tidemark_run") == ["1"])
    }

    @Test func `each connection begins an incarnation, so lost versions are detected (W8)`()
        throws
    {
        let process = try self.database.process()
        try process.make("1")
        let good = try process.list().cursor
        // As with a replica that took over without the last commit.
        try process.make("lost")
        let lost = try process.list().cursor
        try self.database.endConnections()
        try self.database.run(
            """
            DELETE FROM tidemark_record WHERE updated_at = 1001; DELETE FROM tidemark_answer WHERE answered_at = 1001;
            DELETE FROM tidemark_answer WHERE request_id = 'make-lost'; UPDATE tidemark_feed SET last = 1000
            """)
        #expect(try process.make("2") == 1_001, "the same version is assigned again")
        #expect(process.get(after: lost).status == 410)
        #expect(try process.list(after: good).pks == ["2"])
    }

    @Test func `an answer of one process is repeated by another (W4)`() throws {
        let (first, second) = (try self.database.process(), try self.database.process(clock: 9_000))
        let version = try first.make("1")
        #expect(try second.make("1") == version)
        #expect(try second.list().pks == ["1"])
    }

    @Test func `a writer waits for the lock of a feed, and continues from its version (W3)`() async throws {
        let storage = try PostgresServerStorage(try PostgresAddress(self.database.address))
        let process = try self.database.process()
        try process.make("1")
        let write = try storage.transaction { () throws(ServerStorageError) in
            let feed = try storage.openFeed(account: "open", collection: "notes")
            let write = Task.detached { try process.make("3") }
            #expect(throws: Never.self) { try self.database.waitForLock() }
            try storage.save(ServerRow(pk: "2", updatedAt: 7_000, data: [0x7B, 0x7D]), in: feed)
            return write
        }
        #expect(try await write.value == 7_001)
        #expect(try process.list().pks == ["1", "2", "3"])
    }

    @Test
    func `one of several processes' edits is accepted, and readers miss nothing (W1, W3)`()
        async throws
    {
        let processes = try (0..<3).map { try self.database.process(clock: Int64($0) * 1_000) }
        let perWriter = 40
        let versions = try await withThrowingTaskGroup(of: [Int].self) { group in
            for writer in 0..<6 {
                group.addTask {
                    try (0..<perWriter).map { try processes[(writer + $0) % 3].make("\(writer)-\($0)") }
                }
            }
            for reader in 0..<2 {
                group.addTask {
                    var (cursor, seen) = ("", [Int]())
                    while seen.count < 6 * perWriter, !Task.isCancelled {
                        let page = try processes[(reader + seen.count) % 3].list(after: cursor, limit: 7)
                        seen += page.itemVersions
                        cursor = page.cursor
                    }
                    #expect(
                        seen.count == 6 * perWriter && seen == seen.sorted(), "W3: a row has a version below a cursor")
                    return []
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(versions).count == 6 * perWriter)
        #expect(try processes[0].list().itemVersions == versions.sorted())
        #expect(processes.flatMap(\.heard.errors).isEmpty)
    }

    @Test func `groups of POSTs on several collections in any order cause no deadlock`()
        async throws
    {
        let processes = [try self.database.process(), try self.database.process()]
        for name in ["a", "b", "c"] { try processes[0].make("first", in: name) }
        let statuses = await withTaskGroup(of: [Int].self) { group in
            for (number, process) in processes.enumerated() {
                group.addTask {
                    var statuses: [Int] = []
                    for turn in 0..<40 {
                        let names = number == 0 ? ["a", "b", "c"] : ["c", "b", "a"]
                        let requests = names.map { name in
                            ServerRequest(
                                method: "POST", target: "/v1/\(name)",
                                body: (["edits": [creation(of: "\(number)-\(turn)")]] as JSON).bytes)
                        }
                        process.core.handle(requests) { _, answer in statuses.append(answer.status) }
                    }
                    return statuses
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(statuses == Array(repeating: 200, count: 240))
        #expect(try self.database.deadlocks() == 0)
    }

    @Test func `a removal waits for the account's first write, and then finds its record`()
        async throws
    {
        let storage = try PostgresServerStorage(try PostgresAddress(self.database.address))
        let process = try self.database.process()
        try storage.transaction { () throws(ServerStorageError) in
            try storage.add(ServerAccount(id: "a1", name: "ada", addedAt: 1))
        }
        let removal = try storage.transaction { () throws(ServerStorageError) in
            #expect(try !storage.isRemoved(account: "a1"))
            var feed = try storage.openFeed(account: "a1", collection: "notes")
            (feed.rows, feed.bytes) = (1, 2)
            try storage.beginRun(after: 0, in: feed)
            try storage.save(ServerRow(pk: "1", updatedAt: 1, data: [0x7B, 0x7D]), in: feed)
            // A read carries out the delayed writes.
            _ = try storage.usage(of: "a1")
            let removal = Task.detached {
                AdministrationRequest.removeAccount(name: "ada", withRecords: false).reply(of: process.core)
            }
            #expect(throws: Never.self) { try self.database.waitForLock() }
            return removal
        }
        let reply = await removal.value
        #expect(reply["error"]?.string?.contains("has 1 records") == true, "\(reply.text)")
    }

    @Test(arguments: [
        (
            "open", AdministrationRequest.addAccount(name: "bob", beginning: .openAccount),
            "“ada” has these records already"
        ),
        ("a1", .addAccount(name: "ada", beginning: .nothing), "there is an account “ada” already"),
    ])
    func `only one of two simultaneous accounts with the same name or records is added`(
        _ id: String, _ request: AdministrationRequest, _ reason: String
    ) async throws {
        let storage = try PostgresServerStorage(try PostgresAddress(self.database.address))
        let process = try self.database.process()
        let addition = try storage.transaction { () throws(ServerStorageError) in
            try storage.add(ServerAccount(id: id, name: "ada", addedAt: 1))
            let addition = Task.detached { request.reply(of: process.core) }
            #expect(throws: Never.self) { try self.database.waitForLock() }
            return addition
        }
        let reply = await addition.value
        #expect(reply["error"]?.string?.contains(reason) == true, "\(reply.text)")
        #expect(try self.database.run("SELECT convert_from(name, 'UTF8') FROM tidemark_account") == ["ada"])
    }

    @Test func `a removal of an account and a new collection of it do not block each other`() async throws {
        let storage = try PostgresServerStorage(try PostgresAddress(self.database.address))
        let process = try self.database.process()
        try storage.transaction { () throws(ServerStorageError) in
            try storage.add(ServerAccount(id: "a1", name: "ada", addedAt: 1))
            _ = try storage.openFeed(account: "a1", collection: "notes")
        }
        let removal = try storage.transaction { () throws(ServerStorageError) in
            _ = try storage.openFeed(account: "a1", collection: "notes")
            let removal = Task.detached {
                AdministrationRequest.removeAccount(name: "ada", withRecords: true).reply(of: process.core)
            }
            #expect(throws: Never.self) { try self.database.waitForLock() }
            #expect(try !storage.isRemoved(account: "a1"))
            _ = try storage.openFeed(account: "a1", collection: "tags")
            return removal
        }
        let reply = await removal.value
        #expect(reply["error"] == nil, "\(reply.text)")
        #expect(try self.database.run("SELECT count(*) FROM tidemark_feed WHERE account = 'a1'") == ["0"])
        #expect(try self.database.deadlocks() == 0)
    }

    @Test func `an account is removed even if its records can't be erased, with a report`() throws {
        let process = try self.database.process()
        for request in [
            AdministrationRequest.addAccount(name: "ada", beginning: .openAccount),
            .removeAccount(name: "ada", withRecords: true),
            .addAccount(name: "ada", beginning: .openAccount),
        ] {
            #expect(request.reply(of: process.core)["error"] == nil)
        }
        let other = try PostgresClient(self.database.address)
        try other.run("INSERT INTO tidemark_removed (account, feed) VALUES ('a', 1)")
        try other.run("BEGIN; SELECT 1 FROM tidemark_removed FOR UPDATE")
        let reply = AdministrationRequest.removeAccount(name: "ada", withRecords: true).reply(of: process.core)
        #expect(reply["error"] == nil)
        #expect(reply["rows"] == 0)
        #expect(reply["left"]?.string?.isEmpty == false)
        #expect(AdministrationRequest.listAccounts.reply(of: process.core) == [])
    }

    /// PostgreSQL may use a generic plan for a statement that has run five times.
    @Test func `the tenth portion of an erasure takes no longer than the first`() throws {
        var timeouts = PostgresTimeouts()
        timeouts.statement = .seconds(5)
        let process = try self.database.process(timeouts: timeouts)
        try process.make("kept")
        try self.database.run(
            """
            INSERT INTO tidemark_removed (account, feed) VALUES ('gone', 1);
            INSERT INTO tidemark_record (account, feed, pk, updated_at, data)
                SELECT 'gone', 1, int8send(n), n, '{}' FROM generate_series(1, 100000) AS n;
            INSERT INTO tidemark_answer (account, feed, request_id, answered_at)
                SELECT 'gone', 1, int8send(n), n FROM generate_series(1, 100000) AS n;
            INSERT INTO tidemark_answer (account, feed, request_id, answered_at)
                SELECT 'other', 1, int8send(n), n / 10 - 100000000000000 FROM generate_series(1, 100000) AS n
            """)
        #expect(try process.core.purge() == ServerPurge(tombstones: 0, answers: 100_000))
        #expect(try self.database.run("SELECT count(*) FROM tidemark_record") == ["1"])
        #expect(try self.database.run("SELECT count(*) FROM tidemark_answer") == ["1"])
        #expect(try self.database.run("SELECT count(*) FROM tidemark_removed") == ["0"])
    }

    @Test func `several processes purge at once, and an outdated reader gets 410 (W7, W8)`() async throws {
        let processes = try (0..<3).map { try self.database.process(clock: 1_000 + Int64($0)) }
        var before = ""
        for collection in ["a", "b"] {
            let version = try processes[0].make("1", in: collection)
            before = try processes[1].list(collection).cursor
            _ = processes[0].post([deletion(of: "1", at: version)], to: collection)
            try processes[1].make("2", in: collection)
        }
        let purged = try await withThrowingTaskGroup(of: ServerPurge.self) { group in
            for process in processes { group.addTask { try process.core.purge(olderThan: .seconds(-1)) } }
            return try await group.reduce(into: 0) { $0 += $1.tombstones }
        }
        #expect(purged == 2)
        for process in processes {
            #expect(process.get("b", after: before).status == 410)
            #expect(try process.list("b").pks == ["2"])
        }
    }

    @Test func `all processes that start at once on an empty database share one history`() async throws {
        let address = try PostgresAddress(self.database.address)
        let epochs = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<6 { group.addTask { try PostgresServerStorage(address).epoch() } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(epochs.count == 1)
    }
}
