import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite

/// A full-text search, as in the article.
struct TitleSearch: Projection {
    let name = "search"
    let collection = "notes"
    var version = 1

    func setUp(_ tables: ProjectionTables) throws {
        try tables.run("CREATE TABLE app_search_row (id INTEGER PRIMARY KEY, pk TEXT NOT NULL UNIQUE)")
        try tables.run("CREATE VIRTUAL TABLE app_search USING fts5(title)")
    }

    func update(_ pk: String, to content: JSON?, in tables: ProjectionTables) throws {
        guard let title = content?.title?.string else {
            try tables.run(
                "DELETE FROM app_search WHERE rowid = (SELECT id FROM app_search_row WHERE pk = ?1)", .text(pk))
            try tables.run("DELETE FROM app_search_row WHERE pk = ?1", .text(pk))
            return
        }
        try tables.run("INSERT OR IGNORE INTO app_search_row (pk) VALUES (?1)", .text(pk))
        try tables.run(
            "INSERT OR REPLACE INTO app_search (rowid, title) SELECT id, ?2 FROM app_search_row WHERE pk = ?1",
            .text(pk), .text(title))
    }

    /// The titles that contain a word, by pk.
    static let finding = """
        SELECT pk, title FROM app_search JOIN app_search_row ON id = app_search.rowid WHERE app_search MATCH ?1 ORDER BY pk
        """
}

/// A copy of the text of each record.
struct Copies: Projection {
    var name = "copies"
    var collection = "c"
    var version = 1

    /// Is called before each update.
    var trap: @Sendable (String, ProjectionTables) throws -> Void = { _, _ in }

    /// The SQL of the table, and more.
    var more: [String] = []

    func setUp(_ tables: ProjectionTables) throws {
        try tables.run("CREATE TABLE app_\(self.name) (pk TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT")
        for sql in self.more { try tables.run(sql) }
    }

    func update(_ pk: String, to content: JSON?, in tables: ProjectionTables) throws {
        try self.trap(pk, tables)
        if let content {
            let sql = "INSERT OR REPLACE INTO app_\(self.name) (pk, content) VALUES (?1, ?2)"
            try tables.run(sql, .text(pk), .text(content.text))
        } else {
            try tables.run("DELETE FROM app_\(self.name) WHERE pk = ?1", .text(pk))
        }
    }

    /// Compares the table with the records' rows.
    static func faults(in store: SQLiteStore, name: String = "copies", collection: String = "c") throws -> [String] {
        let status = try store.database.statement("SELECT built_to, failure FROM derived WHERE name = ?1")
        try status.bind(1, name)
        guard try status.step() else { return ["The projection has no status."] }
        if let failure = try status.textOrNull(1) { return [failure] }
        let builtTo = try status.int64OrNull(0) ?? .max
        status.reset()
        let rules = RecordIndexes(try IndexKeys([], of: collection), members: RecordMembers())
        var expected: [CodePointString: String] = [:]
        for record in try store.records(in: collection, states: Set(SyncState.allCases), after: nil, limit: .max) {
            let number = try store.database.statement(
                """
                SELECT record.id FROM record JOIN collection ON collection.id = collection
                WHERE collection.name = ?1 AND pk = ?2
                """)
            try number.bind(1, collection)
            try number.bind(2, record.pk)
            guard try number.step(), try number.int64(0) <= builtTo else { continue }
            expected[CodePointString(record.pk)] = rules.content(of: record)?.value?.text
        }
        var found: [CodePointString: String] = [:]
        let copies = try store.database.statement("SELECT pk, content FROM app_\(name)")
        while try copies.step() { found[CodePointString(try copies.text(0))] = try copies.text(1) }
        let all = Set(expected.keys).union(found.keys)
        return all.filter { expected[$0].map { Array($0.utf8) } != found[$0].map { Array($0.utf8) } }.sorted().map {
            "“\($0)” is \(found[$0] ?? "missing") and not \(expected[$0] ?? "missing")"
        }
    }
}
