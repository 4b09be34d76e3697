import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

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
        self.store = try SQLiteStore(.file(file))
        self.engine = try SyncEngine(store: self.store, configuration: Self.configuration(), seed: 100 + run)
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
