import RemoteExamples
import TestSupport
import Testing
import TidemarkAdapters
import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting

@Suite struct `A server with integer ids` {
    static let checks = RemoteConformance.checks(for: JobsServer { _ in HTTPAnswer(status: 503) }.capabilities)

    @Test(arguments: Self.checks)
    func `the remote passes each check of its capabilities`(check: RemoteConformance.Check) async throws {
        try await check.run { RowRemote(JobsServer(send: FakeJobs().answer)) }
    }

    private let jobs = FakeJobs()
    private let clock = ManualClock()

    private func client(_ seed: UInt64, noticesRestore: Bool = true) throws -> SyncClient {
        let server = JobsServer(send: self.jobs.answer)
        guard noticesRestore else {
            return try device(
                over: RowRemote(UnnoticedJobs(server: server)), clock: self.clock, seed: seed, collections: ["jobs"])
        }
        return try device(over: RowRemote(server), clock: self.clock, seed: seed, collections: ["jobs"])
    }

    /// A phone with the job P, which has the id 1, and a backup from before.
    private func restorable(
        noticesRestore: Bool = true
    ) async throws -> (phone: SyncClient, backup: FakeJobs.Backup) {
        let (phone, backup) = (try self.client(1, noticesRestore: noticesRestore), self.jobs.backup)
        try await phone["jobs"].create(["t": "of P"], pk: "P")
        try await syncInTurn([phone], self.clock)
        return (phone, backup)
    }

    @Test func `a create whose answer was lost makes one row (R18)`() async throws {
        let phone = try self.client(1)
        try await phone["jobs"].create(["t": "a"], pk: "P")
        self.jobs.next("POST", is: nil)
        _ = try await phone.sync()
        try await syncInTurn([phone, phone], self.clock)
        #expect(self.jobs.jobs.count == 1)
        try await phone["jobs"]["P"].edit { $0.t = "b" }
        try await syncInTurn([phone], self.clock)
        #expect(self.jobs.jobs[1]?.t == "b")
    }

    @Test(arguments: [true, false])
    func `an id that a restored server gives again is another record (I1)`(noticesRestore: Bool) async throws {
        let (phone, backup) = try await self.restorable(noticesRestore: noticesRestore)
        self.jobs.backup = backup
        let tablet = try self.client(2)
        try await tablet["jobs"].create(["t": "of T"], pk: "T")
        try await syncInTurn([tablet], self.clock)
        #expect(Array(self.jobs.jobs.keys) == [1])
        let report = try await phone.sync()
        #expect(report.outcome == .inSync)
        #expect(try await phone["jobs"]["P"].get() == nil)
        #expect(try await phone["jobs"]["T"].get()?.t == "of T")
        let entry = try #require(try await phone["jobs"].journal.first)
        #expect(entry.reason == .serverRolledBack && entry.pk == "P")
    }

    @Test(arguments: [true, false])
    func `an edit is not sent to a row that has the id and the version of its record (I1)`(noticesRestore: Bool)
        async throws
    {
        let (phone, backup) = try await self.restorable(noticesRestore: noticesRestore)
        self.jobs.backup = backup
        let tablet = try self.client(2)
        try await tablet["jobs"].create(["t": "of T"], pk: "T")
        try await syncInTurn([tablet], self.clock)
        try await phone["jobs"]["P"].edit { $0.n = 1 }
        try await phone["jobs"]["P"].edit { $0.t = "edited" }
        _ = try await phone.sync()
        try await syncInTurn([phone, tablet], self.clock)
        #expect(self.jobs.jobs[1]?.ref == "T" && self.jobs.jobs[1]?.t == "of T" && self.jobs.jobs[1]?.n == nil)
        #expect(self.jobs.jobs[2]?.ref == "P" && self.jobs.jobs[2]?.t == "edited")
        #expect(!self.jobs.writes.contains("PATCH /jobs/1"))
    }

    @Test(arguments: [true, false])
    func `a delete is not sent to a row that has the id of its record (I1)`(noticesRestore: Bool) async throws {
        let (phone, backup) = try await self.restorable(noticesRestore: noticesRestore)
        self.jobs.backup = backup
        self.jobs.make(["t": "of the office"])
        try await phone["jobs"]["P"].delete()
        _ = try await phone.sync()
        try await syncInTurn([phone], self.clock)
        #expect(self.jobs.jobs[1]?.t == "of the office")
        #expect(try await phone["jobs"]["1"].get()?.t == "of the office")
    }

    @Test func `a record that a restored server lacks is journalled, although no row shows it (I1)`() async throws {
        let (phone, backup) = try await self.restorable()
        self.jobs.backup = backup
        #expect(try await phone.sync().outcome == .inSync)
        #expect(try await phone["jobs"]["P"].get() == nil)
        #expect(try await phone["jobs"].journal.map(\.reason) == [.serverRolledBack])
    }

    @Test func `a value that a restored server has lost is journalled (I1)`() async throws {
        let (phone, _) = try await self.restorable()
        let backup = self.jobs.backup
        try await phone["jobs"]["P"].edit { $0.t = "new" }
        try await syncInTurn([phone], self.clock)
        self.jobs.backup = backup
        try await phone["jobs"].create(["t": "of Q"], pk: "Q")
        try await syncInTurn([phone, phone], self.clock)
        #expect(try await phone["jobs"]["P"].get()?.t == "of P")
        let entry = try #require(try await phone["jobs"].journal.first)
        #expect(entry.reason == .serverRolledBack && entry.pk == "P")
        #expect(self.jobs.jobs.count == 2)
    }

    @Test func `a deletion of the row that was read last is no restore`() async throws {
        let (phone, _) = try await self.restorable()
        let tablet = try self.client(2)
        try await syncInTurn([tablet], self.clock)
        try await tablet["jobs"]["P"].delete()
        try await syncInTurn([tablet, phone, phone, tablet], self.clock)
        #expect(try await phone["jobs"]["P"].get() == nil)
        #expect(try await phone["jobs"].journal.isEmpty)
    }

    @Test func `a row that another program made has its id as the pk, and can be edited`() async throws {
        let phone = try self.client(1)
        self.jobs.make(["t": "of the office"])
        try await syncInTurn([phone], self.clock)
        try await phone["jobs"]["1"].edit { $0.t = "edited" }
        try await syncInTurn([phone], self.clock)
        #expect(self.jobs.jobs[1]?.t == "edited")
        #expect(try await phone["jobs"].journal.isEmpty)
    }

    @Test(arguments: [
        #"{"id":1,"ref":"","version":1,"updated_at":101}"#, #"{"id":1,"ref":7,"version":1,"updated_at":101}"#,
    ])
    func `a row whose pk is no text is quarantined`(row: String) async throws {
        let phone = try self.client(1)
        self.jobs.make(try JSON(parsing: row))
        for _ in 0..<SyncLimits().malformedTries {
            self.clock.advance(by: .seconds(600))
            _ = try await phone.sync()
        }
        #expect(try await phone.sync().outcome == .held)
        #expect(try await phone["jobs"]["1"].get() == nil)
    }

    @Test func `two devices that create one pk make one row and a conflict (R16)`() async throws {
        let (phone, tablet) = (try self.client(1), try self.client(2))
        try await phone["jobs"].create(["t": "a", "n": 1], pk: "P")
        try await tablet["jobs"].create(["t": "a", "n": 1], pk: "P")
        try await syncInTurn([phone, tablet, phone], self.clock)
        #expect(self.jobs.jobs.count == 1)
    }

    @Test func `a refusal of the content holds the record with its reason`() async throws {
        let phone = try self.client(1)
        try await phone["jobs"].create(["t": ""], pk: "P")
        self.jobs.next("POST", is: HTTPAnswer(status: 422, body: Array(#"{"message":"The text is empty"}"#.utf8)))
        #expect(try await phone.sync().outcome == .held)
        #expect(try await phone["jobs"]["P"].snapshot()?.hold?.reason == "The text is empty")
    }

    @Test(arguments: ["POST", "GET"])
    func `a captive portal is no answer to a write or a read`(method: String) async throws {
        let phone = try self.client(1)
        try await phone["jobs"].create(["t": "a"], pk: "P")
        let page = HTTPAnswer(
            status: 200, fields: [(name: "Content-Type", value: "text/html")], body: Array("<html></html>".utf8))
        self.jobs.next(method, is: page)
        let report = try await phone.sync()
        #expect(report.collections.first?.failure?.failureClass == .portal)
        try await syncInTurn([phone, phone], self.clock)
        #expect(self.jobs.jobs.count == 1)
    }
}

/// The same server, whose restore is noticed only by rows of other records.
private struct UnnoticedJobs: RowServer {
    let server: JobsServer
    var capabilities: RemoteCapabilities { self.server.capabilities }

    func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        try await self.server.changes(in: collection, after: cursor, limit: limit)
    }

    func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer {
        try await self.server.write(edit, in: collection)
    }

    func row(_ name: String, in collection: String) async throws -> ServerRow? {
        try await self.server.row(name, in: collection)
    }

    func find(_ pk: String, in collection: String) async throws -> ServerRow? {
        try await self.server.find(pk, in: collection)
    }
}

@Suite struct `A server with integer ids and no member for the pk` {
    static let checks = RemoteConformance.checks(for: PlainServer(send: { _ in HTTPAnswer(status: 503) }).capabilities)

    @Test(arguments: Self.checks)
    func `the remote passes each check of its capabilities`(check: RemoteConformance.Check) async throws {
        try await check.run { RowRemote(PlainServer(send: FakeJobs().answer)) }
    }

    @Test func `a record has the id as its name, on the device that made it and on others`() async throws {
        let (jobs, clock) = (FakeJobs(), ManualClock())
        let configuration = SyncConfiguration(accepts: [.toleratesMessageLoss, .noOrphans])
        let devices = try ([1, 2] as [UInt64]).map { seed in
            try SyncClient(
                store: MemoryStore(), remote: RowRemote(PlainServer(send: jobs.answer)), configuration: configuration,
                collections: ["jobs"], time: clock, seed: seed)
        }
        try await devices[0]["jobs"].create(["t": "a"], pk: "P")
        try await syncInTurn(devices, clock)
        try await devices[1]["jobs"]["1"].edit { $0.t = "b" }
        try await syncInTurn(devices.reversed(), clock)
        #expect(try await devices[0]["jobs"]["P"].get()?.t == "b")
        #expect(jobs.jobs.count == 1)
    }
}

/// The same server, without the member.
private struct PlainServer: RowServer {
    let send: Send
    private let rows = RowShape(name: "id", pk: "id", version: "version", order: "updated_at", deleted: "deleted")

    var capabilities: RemoteCapabilities {
        .rows(
            condition: .atomic,
            serverMembers: ["id", "version", "updated_at", "deleted"].map { JSONPointer(tokens: [$0]) }, feed: .ordered,
            names: .server)
    }

    func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        let since = self.rows.since(cursor).map { "&updated_since=\($0)" } ?? ""
        return try self.rows.changes(
            try await self.send(HTTPRequest("GET", "/\(collection)?limit=\(limit)\(since)")), in: "items",
            after: cursor,
            limit: limit)
    }

    func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer {
        let fields = edit.versionText.map { [(name: "If-Match", value: "\"\($0)\"")] } ?? []
        let method = edit.intent == .delete ? "DELETE" : edit.name == nil ? "POST" : "PATCH"
        let body = try edit.changedMembers() ?? edit.record()
        let target = "/\(collection)" + (edit.name.map { "/\($0)" } ?? "")
        return try self.rows.answer(
            try await self.send(HTTPRequest(method, target, fields: fields, body: body?.bytes)), to: edit)
    }

    func row(_ name: String, in collection: String) async throws -> ServerRow? {
        try self.rows.row(try await self.send(HTTPRequest("GET", "/\(collection)/\(name)")))
    }
}
