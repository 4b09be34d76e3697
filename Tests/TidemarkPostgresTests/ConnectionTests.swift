import Foundation
import PostgresForTests
import Testing
import TidemarkJSON
@testable import TidemarkPostgres
import TidemarkServer

@Suite("A database that becomes unavailable and available again", .overPostgres, .timeLimit(.minutes(10)))
struct ConnectionTests {
    private let database: TestDatabase

    init() throws {
        self.database = try TestDatabase()
    }

    @Test func `a closed connection is replaced, for the writer and for readers`() throws {
        let process = try self.database.process()
        try process.make("1")
        try self.database.endConnections()
        try process.make("2")
        try self.database.endConnections()
        #expect(try process.list().pks == ["1", "2"])
        #expect(process.heard.errors.isEmpty)
    }

    @Test func `a commit whose answer is lost is 503, and the same request does it once (W4)`() throws {
        let process = try self.database.process()
        try process.make("1")
        // The connection ends within the commit.
        try self.database.run(
            """
            CREATE FUNCTION fall() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
            CREATE CONSTRAINT TRIGGER fall AFTER INSERT ON tidemark_record DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION fall()
            """)
        let answer = process.post([creation(of: "2")])
        #expect(answer.status == 503)
        #expect(try JSON(parsing: answer.body)["code"] == "outcome-unknown")
        #expect(process.heard.errors.map(\.code) == [.unknownOutcome])
        try self.database.run("DROP TRIGGER fall ON tidemark_record")
        let version = try process.make("2")
        #expect(try process.make("2") == version)
        #expect(try process.list().pks == ["1", "2"])
    }

    @Test(arguments: [("57P01", true), ("23514", true), ("", false), ("08P01", false), ("08006", false)])
    func `a lost connection is one of the statement only with a state that no proxy reports`(
        state: String, isOfStatement: Bool
    ) {
        let failure = PostgresFailure(state: state, message: "closed", isLost: true)
        #expect(failure.isOfStatement == isOfStatement, "otherwise the commit may have been reached")
    }

    @Test func `an interrupted transaction changes nothing, and is retried (W5)`() throws {
        let process = try self.database.process()
        try process.make("1")
        // The first try ends at its row; the use of a sequence is not rolled back with it.
        try self.database.run(
            """
            CREATE SEQUENCE tries;
            CREATE FUNCTION fall() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN IF nextval(''tries'') < 2 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NEW; END';
            CREATE TRIGGER fall BEFORE INSERT ON tidemark_record FOR EACH ROW EXECUTE FUNCTION fall()
            """)
        try process.make("2")
        #expect(try process.list().pks == ["1", "2"])
        #expect(process.heard.errors.isEmpty)
    }

    @Test func `a collection that another process locks too long is 503, and nothing is done`() throws {
        var timeouts = PostgresTimeouts()
        timeouts.lock = .milliseconds(300)
        let process = try self.database.process(timeouts: timeouts)
        try process.make("1")
        let other = try PostgresClient(self.database.address)
        try other.run("BEGIN; SELECT id FROM tidemark_feed FOR UPDATE")
        #expect(process.post([creation(of: "2")]).status == 503)
        #expect(process.heard.errors.map(\.code) == [.busy])
        #expect(try process.list().pks == ["1"], "a reader does not wait")
        try other.run("COMMIT")
        try process.make("2")
    }

    @Test func `a message of the database is one line, without tabs`() throws {
        let process = try self.database.process()
        try process.make("1")
        try self.database.run(
            """
            CREATE FUNCTION fall() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN RAISE EXCEPTION USING MESSAGE = E''one\\ttwo\\n\\tthree''; END';
            CREATE TRIGGER fall BEFORE INSERT ON tidemark_record FOR EACH ROW EXECUTE FUNCTION fall()
            """)
        #expect(process.post([creation(of: "2")]).status == 500)
        let message = try #require(process.heard.errors.first?.message)
        #expect(message.contains("one two three") && !message.contains("\t"), "\(message)")
    }

    /// Makes the database wait at each new record, until the returned connection is closed; the trigger decides when.
    private func block(_ trigger: String) throws -> PostgresClient {
        let holder = try PostgresClient(self.database.address)
        try holder.run("SELECT pg_advisory_lock(1)")
        try self.database.run(
            """
            CREATE FUNCTION block() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NEW; END';
            \(trigger) FOR EACH ROW EXECUTE FUNCTION block()
            """)
        return holder
    }

    @Test func `a statement that exceeds its time limit is ended`() throws {
        var timeouts = PostgresTimeouts()
        timeouts.statement = .seconds(1)
        let process = try self.database.process(timeouts: timeouts)
        try process.make("1")
        let holder = try self.block("CREATE TRIGGER block BEFORE INSERT ON tidemark_record")
        #expect(process.post([creation(of: "2")]).status == 503)
        try holder.run("SELECT pg_advisory_unlock(1)")
        #expect(process.heard.errors.map(\.code) == [.busy])
    }

    @Test func `a hanging database is given up, and used again when it continues (W10)`() throws {
        var timeouts = PostgresTimeouts()
        timeouts.answer = .seconds(2)
        let process = try self.database.process(timeouts: timeouts)
        try process.make("1")
        // Stopped, not killed: the connections stay open, and no byte comes over them.
        let connections = try self.database.server.run(
            "SELECT pid FROM pg_stat_activity WHERE datname = '\(self.database.name)'")
        let stopped = connections.compactMap { pid_t($0) }
        #expect(!stopped.isEmpty)
        for pid in stopped { kill(pid, SIGSTOP) }
        defer { for pid in stopped { kill(pid, SIGCONT) } }
        // A process whose connection is unusable at the beginning of a transaction makes another one, which works.
        let version = try process.make("2")
        for pid in stopped { kill(pid, SIGCONT) }
        #expect(try process.make("2") == version)
        #expect(try process.list().pks == ["1", "2"])
    }

    @Test func `a commit on a hanging database is 503, and the same request does it once (W4)`()
        throws
    {
        var timeouts = PostgresTimeouts()
        timeouts.answer = .seconds(2)
        timeouts.lock = .seconds(30)
        let process = try self.database.process(timeouts: timeouts)
        try process.make("1")
        let holder = try self.block(
            "CREATE CONSTRAINT TRIGGER block AFTER INSERT ON tidemark_record DEFERRABLE INITIALLY DEFERRED")
        let answer = process.post([creation(of: "2")])
        #expect(answer.status == 503)
        #expect(process.heard.errors.map(\.code) == [.unknownOutcome])
        #expect(process.heard.errors.first?.message.contains("it hangs") == true)
        try holder.run("SELECT pg_advisory_unlock(1)")
        try self.database.run("DROP TRIGGER block ON tidemark_record")
        let version = try process.make("2")
        #expect(try process.make("2") == version)
        #expect(try process.list().pks == ["1", "2"])
    }

    @Test func `a read-only database is refused for writing, with a reason`() throws {
        let process = try self.database.process()
        try process.make("1")
        try self.database.run("ALTER DATABASE \(self.database.name) SET default_transaction_read_only = on")
        try self.database.endConnections()
        let answer = process.post([creation(of: "2")])
        #expect(answer.status >= 500)
        #expect(process.heard.errors.map(\.code) == [.readOnly], "\(process.heard.errors)")
        #expect(process.heard.errors.first?.message.contains("replica") == true)
    }

    @Test func `names with U+0000 and any letters are stored, and differ by code point`() throws {
        let process = try self.database.process()
        let names = ["\u{0}", "a\u{0}b", "a", "\u{E9}", "e\u{301}", "\u{1F600}", "A", "%_\\'\""]
        for name in names { try process.make(name) }
        #expect(try process.list().pks.map { Array($0.utf8) } == names.map { Array($0.utf8) })
    }

    @Test func `collections with canonically equivalent names differ, even in one group of POSTs`() throws {
        let process = try self.database.process()
        let names = ["%C3%A9", "e%CC%81"]
        let requests = names.map { name in
            ServerRequest(
                method: "POST", target: "/v1/\(name)", body: (["edits": [creation(of: name)]] as JSON).bytes)
        }
        process.core.handle(requests) { _, answer in #expect(answer.status == 200) }
        for name in names { #expect(try process.list(name).pks == [name]) }
    }

    @Test func `data is returned byte for byte`() throws {
        let storage = try PostgresServerStorage(try PostgresAddress(self.database.address))
        let data = Array(0...255) + Array(repeating: UInt8(0), count: 100_000)
        let back = try storage.transaction { () throws(ServerStorageError) in
            let feed = try storage.openFeed(account: "open", collection: "notes")
            try storage.save(ServerRow(pk: "1", updatedAt: 1, data: data), in: feed)
            try storage.save(ServerRow(pk: "2", updatedAt: 2, data: []), in: feed)
            return [try storage.row("1", in: feed)?.data, try storage.row("2", in: feed)?.data]
        }
        #expect(back == [data, []])
    }

    @Test func `a portion of large rows ends at its byte limit, and no row is missed (W10)`() throws {
        let storage = try PostgresServerStorage(try PostgresAddress(self.database.address))
        let size = 200_000
        // Small rows first: an estimate from these would be too low for the others.
        try storage.transaction { () throws(ServerStorageError) in
            let feed = try storage.openFeed(account: "open", collection: "notes")
            for number in 1...76 {
                let data: [UInt8]? = number == 20 ? nil : [UInt8](repeating: 0x20, count: number <= 16 ? 10 : size)
                try storage.save(ServerRow(pk: "\(number)", updatedAt: Int64(number), data: data), in: feed)
            }
        }
        let most = Int(PostgresServerReader.portionBytes) / size + 2
        try storage.rowReader.snapshot { () throws(ServerStorageError) in
            guard let feed = try storage.rowReader.feed(account: "open", collection: "notes") else { throw Self.noFeed }
            #expect(try storage.rowReader.portion(of: feed, after: 16, limit: 512).count <= most)
            var seen: [Int64] = []
            try storage.rowReader.rows(in: feed, after: 0) { _, version, _ in
                seen.append(version)
                return true
            }
            #expect(seen == Array(1...76))
        }
    }

    private static let noFeed = ServerStorageError(.failed, "the feed is missing")

    @Test func `a reader's snapshot does not change while others commit (W3)`() throws {
        let process = try self.database.process()
        for number in 0..<40 { try process.make("\(number)") }
        let storage = try PostgresServerStorage(try PostgresAddress(self.database.address))
        let reader = try #require(try storage.openReader())
        try reader.snapshot { () throws(ServerStorageError) in
            let feed = try reader.feed(account: "open", collection: "notes")
            #expect(feed?.last == 1_039)
            #expect(throws: Never.self) { try process.make("later") }
            #expect(try reader.feed(account: "open", collection: "notes") == feed)
            var seen = 0
            if let feed {
                try reader.rows(in: feed, after: 0) { _, _, _ in
                    seen += 1
                    return true
                }
                #expect(try reader.countRows(in: feed, after: 1_009) == 30)
            }
            #expect(seen == 40, "in several portions")
        }
    }
}
