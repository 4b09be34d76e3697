import PostgresForTests
import Synchronization
import Testing
import TidemarkJSON
import TidemarkPostgres
import TidemarkServer

/// A separate database for a test, dropped with the object.
final class TestDatabase {
    let server: PostgresForTests
    let name: String

    init() throws {
        self.server = try PostgresForTests.shared.get()
        self.name = try self.server.make()
    }

    deinit {
        try? self.server.drop(self.name)
    }

    var address: String { self.server.address(of: self.name) }

    /// Runs SQL in it, and returns the first column of the result.
    @discardableResult
    func run(_ sql: String) throws -> [String] { try self.server.run(sql, in: self.name) }

    /// Ends all connections to it, as an administrator or a stopping database does.
    func endConnections() throws {
        try self.server.run(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '\(self.name)'")
    }

    /// The number of deadlocks.
    func deadlocks() throws -> Int {
        let count = try self.run("SELECT deadlocks FROM pg_stat_database WHERE datname = '\(self.name)'").first
        return try #require(count.flatMap { Int($0) })
    }

    /// Waits until a transaction waits for another one's lock; throws if that takes too long.
    func waitForLock() throws {
        let end = ContinuousClock.now + .seconds(20)
        let sql = "SELECT 1 FROM pg_stat_activity WHERE datname = '\(self.name)' AND wait_event_type = 'Lock'"
        while try self.run(sql).isEmpty { try #require(ContinuousClock.now < end, "no transaction waits") }
    }

    /// A server process on it: a core with a separate storage and clock.
    func process(clock: Int64 = 1_000, timeouts: PostgresTimeouts = PostgresTimeouts()) throws -> ServerProcess {
        ServerProcess(
            try PostgresServerStorage(try PostgresAddress(self.address), timeouts: timeouts), clock: clock)
    }
}

/// One of several server processes.
final class ServerProcess: Sendable {
    let core: ServerCore
    let heard: Heard

    init(_ storage: sending any ServerStorage, clock: Int64) {
        let heard = Heard()
        self.heard = heard
        self.core = ServerCore(storage: storage, now: { clock }, report: { heard.add($0) })
    }

    /// A POST of edits.
    func post(_ edits: [JSON], to collection: String = "notes", after cursor: String = "") -> ServerResponse {
        self.core.handle(
            ServerRequest(
                method: "POST", target: "/v1/\(collection)?max_updated_at=\(cursor)",
                body: (["edits": .array(edits)] as JSON).bytes))
    }

    /// A GET, which must succeed.
    func list(_ collection: String = "notes", after cursor: String = "", limit: Int = 500) throws -> Page {
        try Page(self.get(collection, after: cursor, limit: limit))
    }

    func get(_ collection: String = "notes", after cursor: String, limit: Int = 500) -> ServerResponse {
        self.core.handle(
            ServerRequest(method: "GET", target: "/v1/\(collection)?max_updated_at=\(cursor)&limit=\(limit)"))
    }

    /// Creates a record; returns its version.
    @discardableResult
    func make(_ pk: String, in collection: String = "notes") throws -> Int {
        let page = try Page(self.post([creation(of: pk)], to: collection))
        return try #require(page.versions.first, "\(page.json.text)")
    }
}

/// An ANSWER with status 200.
struct Page {
    let json: JSON

    init(_ response: ServerResponse) throws {
        try #require(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
        self.json = try JSON(parsing: response.body)
    }

    /// The versions in the results.
    var versions: [Int] { (self.json["results"]?.array ?? []).compactMap { $0["item"]?["updated_at"]?.int } }
    var pks: [String] { (self.json["items"]?.array ?? []).compactMap { $0["pk"]?.string } }
    var itemVersions: [Int] { (self.json["items"]?.array ?? []).compactMap { $0["updated_at"]?.int } }
    var cursor: String { self.json["max_updated_at"]?.string ?? "" }
}

/// An EDIT that creates a record.
func creation(of pk: String) -> JSON {
    let name = JSON.string(JSONString(pk))
    return [
        "request_id": .string(JSONString("make-\(pk)")), "pk": name, "sync_state": "CREATED",
        "edited_data": [["op": "add", "path": "", "value": ["a": 1]]],
    ]
}

/// An EDIT that deletes a record.
func deletion(of pk: String, at version: Int) -> JSON {
    [
        "request_id": .string(JSONString("delete-\(pk)")), "pk": .string(JSONString(pk)), "sync_state": "DELETED",
        "updated_at": .number(JSONNumber(version)),
    ]
}

/// Collects reported errors from any thread.
final class Heard: Sendable {
    private let list = Mutex<[ServerStorageError]>([])

    var errors: [ServerStorageError] { self.list.withLock { $0 } }

    func add(_ error: ServerStorageError) {
        self.list.withLock { $0.append(error) }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips the suite, with a reason, if PostgreSQL is not installed.
    static var overPostgres: ConditionTrait { .enabled(if: PostgresForTests.isInstalled, "\(PostgresForTests.whyNot)") }
}
