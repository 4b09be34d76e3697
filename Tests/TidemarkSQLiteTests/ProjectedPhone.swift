import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

/// An engine over a file with a search, which syncs with a server in the process.
final class ProjectedPhone {
    private let store: SQLiteStore
    private let engine: SyncEngine
    private let remote: InProcessRemote
    private var now = Duration.zero
    private var deletion: RecordEdit?

    init(_ store: SQLiteStore, _ remote: InProcessRemote, _ configuration: SyncConfiguration) throws {
        self.store = store
        self.remote = remote
        self.engine = try SyncEngine(store: store, configuration: configuration, seed: 77)
    }

    func close() { self.store.close() }

    func create(_ content: JSON, pk: String) throws {
        _ = try self.engine.create(content, pk: pk, in: "notes")
    }

    func edit(_ pk: String, _ change: (inout JSON) -> Void) throws {
        _ = try self.engine.edit(pk, in: "notes") { view in
            var view = view
            change(&view)
            return view
        }
    }

    func delete(_ pk: String) throws {
        self.deletion = try self.engine.delete(pk, in: "notes").value
    }

    func undoDelete(of pk: String) throws {
        guard let deletion else { return }
        _ = try self.engine.undo(deletion, of: pk, in: "notes")
    }

    func resign(_ pk: String) throws {
        _ = try self.engine.resign(pk, in: "notes")
    }

    /// Syncs until no request is left, and completes the tables.
    func sync() throws {
        self.now += .seconds(3_600)
        var effects = try self.engine.sync("notes", now: self.now)
        while let (request, token) = self.request(in: effects) {
            switch Result(catching: { () throws(RemoteFailure) in try self.remote.exchangeNow(request) }) {
            case .success(let answer): effects = try self.engine.receive(answer, for: token, now: self.now)
            case .failure(let failure): effects = try self.engine.fail(failure, for: token, now: self.now)
            }
        }
        while try self.engine.buildIndexes(of: "notes") {}
    }

    private func request(in effects: [SyncEffect]) -> (ExchangeRequest, ExchangeToken)? {
        for case .send(let request, let token) in effects { return (request, token) }
        return nil
    }

    /// The number of full resyncs after the first sync.
    var resyncCount: Int64 {
        get throws { try self.store.database.integer("SELECT resync_generation FROM collection WHERE name = 'notes'") }
    }

    /// The titles with a word. All titles are compared with the records first.
    func find(_ word: String) throws -> [String] {
        let rows = try self.store.readTables { tables in
            try tables.rows("SELECT pk, title FROM app_search JOIN app_search_row ON id = app_search.rowid ORDER BY pk")
        }
        let records = try self.engine.snapshots(in: "notes", states: Set(SyncState.allCases), after: nil, limit: .max)
        let titles = try records.compactMap { record in try record.content?.title?.string.map { [record.pk, $0] } }
        guard rows.map({ $0.compactMap(\.text) }) == titles else { return ["other titles: \(rows), \(titles)"] }
        let found = try self.store.readTables { tables in try tables.rows(TitleSearch.finding, .text(word)) }
        return found.map { $0.compactMap(\.text).joined(separator: " ") }
    }
}
