import Testing
import TidemarkJSON
@testable import TidemarkPostgres
import TidemarkServer

@Suite("Round trips to the database", .overPostgres, .timeLimit(.minutes(10)))
struct RoundTripTests {
    private let database: TestDatabase
    private let process: ServerProcess
    private let traffic: PostgresTraffic

    init() throws {
        self.database = try TestDatabase()
        let storage = try PostgresServerStorage(try PostgresAddress(self.database.address))
        self.traffic = storage.session.traffic
        self.process = ServerProcess(storage, clock: 1_000)
        // The first use of a statement on a connection prepares it.
        for name in ["notes", "tags", "lists"] {
            let cursor = try Page(self.process.post([creation(of: "0"), creation(of: "1")], to: name)).cursor
            _ = try Page(self.process.post([creation(of: "2")], to: name, after: cursor))
            _ = try self.process.list(name, after: cursor)
        }
    }

    /// The round trips of `work`, and its outcome.
    private func count<Outcome>(_ work: () throws -> Outcome) rethrows -> (trips: Int, outcome: Outcome) {
        let before = self.traffic.roundTrips
        let outcome = try work()
        return (self.traffic.roundTrips - before, outcome)
    }

    private func post(_ pk: String, to name: String = "notes", after cursor: String = "") -> ServerRequest {
        ServerRequest(
            method: "POST", target: "/v1/\(name)?max_updated_at=\(cursor)&limit=5",
            body: (["edits": [creation(of: pk)]] as JSON).bytes)
    }

    @Test func `a POST needs two: one to lock and read, and one to write and commit`() throws {
        let cursor = try self.process.list().cursor
        let first = try self.count { try Page(self.process.core.handle(self.post("a", after: cursor))) }
        #expect(first.trips == 2)
        try self.process.make("b")
        let behind = try self.count { try Page(self.process.core.handle(self.post("c", after: first.outcome.cursor))) }
        #expect(behind.trips == 2)
        #expect(behind.outcome.pks == ["b"])
        let outside = try self.count { try Page(self.process.core.handle(self.post("d"))) }
        #expect(outside.trips == 2, "without a cursor")
        #expect(outside.outcome.pks == ["0", "1", "2", "a", "b"])
    }

    @Test func `a group of POSTs to several collections needs two together`() throws {
        let names = ["notes", "tags", "lists"]
        let cursors = try names.map { try self.process.list($0).cursor }
        let requests = (0..<60).map { number in
            self.post("g\(number)", to: names[number % 3], after: number % 2 == 0 ? cursors[number % 3] : "")
        }
        var answers: [ServerResponse] = []
        let trips = self.count { self.process.core.handle(requests) { _, answer in answers.append(answer) } }.trips
        #expect(trips == 2)
        let last = try Page(#require(answers.last))
        #expect(last.pks == ["0", "1", "2", "g2", "g5"])
        #expect(try Page(answers[58]).pks == (1..<58).filter { $0 % 3 == 58 % 3 }.prefix(5).map { "g\($0)" })
    }

    @Test func `a GET of a page and of a record needs one`() throws {
        let cursor = try self.process.list(limit: 1).cursor
        let whole = try self.count { try self.process.list(after: cursor) }
        #expect(whole.trips == 1)
        #expect(whole.outcome.pks == ["1", "2"])
        let part = try self.count { try self.process.list(limit: 2) }
        #expect(part.trips == 1)
        #expect(part.outcome.pks == ["0", "1"])
        let record = ServerRequest(method: "GET", target: "/v1/notes/1")
        _ = self.process.core.handle(record)
        let read = self.count { self.process.core.handle(record) }
        #expect(read.trips == 1)
        #expect(read.outcome.status == 200)
    }

    /// The database has no statistics of the tables, as after a restore; an account has many collections, and one of them so many
    /// rows that the index of their names has a level more than that in commit order. The database counts when a connection ends.
    @Test func `a record and its feed are found without reading others`() throws {
        var cursor = try Page(self.process.post((0..<500).map { creation(of: "n\($0)") })).cursor
        try self.database.run(
            """
            INSERT INTO tidemark_record SELECT account, feed, pk || '-more'::bytea || n::text::bytea, -row_number() OVER (), data
                FROM tidemark_record, generate_series(1, 30) AS n;
            INSERT INTO tidemark_feed (account, collection, id)
                SELECT account, collection || n::text::bytea, row_number() OVER () FROM tidemark_feed, generate_series(1, 1000) AS n
            """)
        try self.database.endConnections()
        let before = (try self.rowsRead("tidemark_record"), try self.rowsRead("tidemark_feed"))
        for number in 0..<10 {
            cursor = try Page(self.process.core.handle(self.post("x\(number)", after: cursor))).cursor
            let record = ServerRequest(method: "GET", target: "/v1/notes/n\(number)")
            #expect(self.process.core.handle(record).status == 200)
        }
        try self.database.endConnections()
        #expect(try self.rowsRead("tidemark_record") - before.0 < 100)
        #expect(try self.rowsRead("tidemark_feed") - before.1 < 300)
    }

    private func rowsRead(_ table: String) throws -> Int {
        let sql = "SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_user_tables WHERE relname = '\(table)'"
        return try #require(self.database.run(sql).first.flatMap { Int($0) })
    }
}
