import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

/// A table of the app with the count of each record.
struct Counts: Projection {
    let name = "counts"
    let collection = Phone.collection
    let version = 1

    func setUp(_ tables: ProjectionTables) throws {
        try tables.run("CREATE TABLE app_counts (pk TEXT PRIMARY KEY, count INTEGER)")
    }

    func update(_ pk: String, to content: JSON?, in tables: ProjectionTables) throws {
        guard let count = content?["count"]?.int else {
            return try tables.run("DELETE FROM app_counts WHERE pk = ?1", .text(pk))
        }
        try tables.run("INSERT OR REPLACE INTO app_counts VALUES (?1, ?2)", .text(pk), .integer(Int64(count)))
    }
}

/// A client whose store is a file.
final class Phone {
    static let collection = "notes"

    /// The increments of all devices are added, so that an edit that is lost or applied twice is visible.
    static func configuration() throws -> SyncConfiguration {
        SyncConfiguration(rules: CollectionRules(fields: try FieldRules([("/count", .sum)])))
    }

    let engine: SyncEngine
    private let store: SQLiteStore
    private var outbox: [(request: ExchangeRequest, token: ExchangeToken)] = []
    private var now = Duration.zero

    /// - Parameter run: The number of the process's start; each start has other request ids.
    init(_ file: String, run: UInt64) throws {
        self.store = try SQLiteStore(.file(file), projections: [Counts()])
        self.engine = try SyncEngine(store: self.store, configuration: Self.configuration(), seed: 100 + run)
    }

    /// The counts by the table of the projection; they equal those of the views.
    func projectedCounts() throws -> [String: Int64] {
        while try self.engine.buildIndexes(of: Self.collection) {}
        let rows = try self.store.readTables { tables in try tables.rows("SELECT pk, count FROM app_counts") }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[0].text ?? "", $0[1].integer ?? -1) })
    }

    /// Closes the file.
    func close() {
        self.store.close()
    }

    /// Whether SQLite's integrity check of the file passes.
    var isSound: Bool {
        get throws {
            try self.store.database.integer(
                "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'") == 0
        }
    }

    func view(_ pk: String) throws -> JSON? {
        try self.engine.snapshot(of: pk, in: Self.collection)?.content
    }

    func create(_ content: JSON, pk: String) throws {
        try self.take(self.engine.create(content, pk: pk, in: Self.collection).effects)
    }

    func delete(_ pk: String) throws {
        try self.take(self.engine.delete(pk, in: Self.collection).effects)
    }

    /// Adds one to the count of a record.
    func count(_ pk: String) throws {
        let edit = try self.engine.edit(pk, in: Self.collection) { json in
            var json = json
            json["count"] = .number(JSONNumber((json["count"]?.int ?? 0) + 1))
            return json
        }
        self.take(edit.effects)
    }

    /// Syncs until no request is left. The app's action between a request and its answer runs once.
    func sync(with remote: InProcessRemote, meanwhile: () throws -> Void = {}) throws {
        self.outbox = []
        self.now += .seconds(3_600)
        try self.take(self.engine.sync(Self.collection, now: self.now))
        var isFirst = true
        while !self.outbox.isEmpty {
            let sent = self.outbox.removeFirst()
            let answer = try remote.exchangeNow(sent.request)
            if isFirst { try meanwhile() }
            isFirst = false
            try self.take(self.engine.receive(answer, for: sent.token, now: self.now))
        }
    }

    private func take(_ effects: [SyncEffect]) {
        for case .send(let request, let token) in effects { self.outbox.append((request, token)) }
    }
}
