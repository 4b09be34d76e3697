import Testing
import Tidemark

@testable import TidemarkCLI

/// A table of an app, which the tool does not know.
private struct Titles: Projection {
    let name = "titles"
    let collection = "notes"
    let version = 1

    func setUp(_ tables: ProjectionTables) throws {
        try tables.run("CREATE VIRTUAL TABLE app_titles USING fts5(pk, title)")
    }

    func update(_ pk: String, to content: JSON?, in tables: ProjectionTables) throws {
        try tables.run("DELETE FROM app_titles WHERE pk = ?1", .text(pk))
        guard let title = content?.title?.string else { return }
        try tables.run("INSERT INTO app_titles (pk, title) VALUES (?1, ?2)", .text(pk), .text(title))
    }
}

@Suite struct `A store with tables of an app` {
    @Test func `The tool leaves the tables complete, and the app corrects them after its edit`() async throws {
        let shop = try Workshop()
        let path = shop.path("a.db")
        try shop.done("init", "--store", "a.db", "--remote", "http://127.0.0.1:1/v1")
        func titles(afterBuilding builds: Bool) async throws -> [String?] {
            let client = try await SyncClient.open(
                store: .sqlite(at: path, projections: [Titles()]),
                remote: .http("http://127.0.0.1:1/v1", token: "t"))
            if builds { try await client["notes"].buildIndexes() }
            do {
                let rows = try await client.readTables { tables in
                    try tables.rows("SELECT title FROM app_titles ORDER BY pk")
                }
                await client.close()
                return rows.map { $0[0].text }
            } catch {
                await client.close()
                throw error
            }
        }
        #expect(try await titles(afterBuilding: false) == [])
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"title":"Milk"}"#)
        #expect(try await titles(afterBuilding: true) == ["Milk"])
        try shop.done("list", "--store", "a.db", "notes")
        #expect(try await titles(afterBuilding: false) == ["Milk"])
        try shop.done("edit", "--store", "a.db", "notes", "1", "/title", #""Bread""#)
        #expect(try await titles(afterBuilding: false) == ["Bread"])
    }
}
