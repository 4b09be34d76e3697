import CannedHTTP
import Foundation
import Testing

@Suite struct `An unknown collection` {
    let shop: Workshop
    let server: ToolServer

    init() throws {
        self.shop = try Workshop()
        self.server = try self.shop.serve()
        for store in ["a.db", "b.db"] { try self.shop.device(store, self.server) }
        try self.shop.done("create", "--store", "a.db", "notes", "1", #"{"n":1}"#)
        try self.shop.done("sync", "--store", "a.db")
    }

    @Test func `sync reports an unknown collection, and stores nothing (mistyped-collection)`() throws {
        let before = try self.shop.done("status", "--store", "a.db", "--json")
        let run = try self.shop.run("sync", "--store", "a.db", "ntoes", "--json")
        #expect(run.status == 1)
        #expect(run.output == #"{"outcome":"unknown_collection","collections":{},"unknown":["ntoes"]}"# + "\n")
        let words = "“ntoes” is neither in this store nor on the server; did you mean notes? Nothing was stored.\n"
        #expect(run.errors == words)
        #expect(try self.shop.done("status", "--store", "a.db", "--json") == before)
        #expect(try self.shop.done("sync", "--store", "a.db") == "notes: sent 0, received 0; in sync\n")
    }

    @Test func `sync syncs the other collections (mistyped-collection)`() throws {
        try self.shop.done("edit", "--store", "a.db", "notes", "1", "/n", "2")
        let run = try self.shop.run("sync", "--store", "a.db", "ntoes", "notes")
        #expect(run.status == 1)
        #expect(run.output == "notes: sent 1, received 0; in sync\n")
    }

    @Test func `The JSON of a sync lists an unknown collection with the known ones (mistyped-collection)`() throws {
        let run = try self.shop.run("sync", "--store", "a.db", "ntoes", "notes", "ntoes2", "--json")
        #expect(run.status == 1)
        #expect(run.output.hasPrefix(#"{"outcome":"unknown_collection","collections":{"notes":{"pushed":[]"#))
        #expect(run.output.hasSuffix(#","unknown":["ntoes","ntoes2"]}"# + "\n"), "\(run.output)")
    }

    @Test func `An unknown collection does not hide a worse outcome in the JSON (mistyped-collection)`() throws {
        let refusing = try CannedServer(
            .emptyPage,
            .http("403 No", ["Content-Type: application/problem+json"], body: #"{"title":"no","status":403}"#))
        try self.shop.done("init", "--store", "c.db", "--remote", refusing.url)
        try self.shop.done("create", "--store", "c.db", "notes", "2", "{}")
        let run = try self.shop.run("sync", "--store", "c.db", "ntoes", "notes", "--json")
        #expect(run.status > 1, "\(run.errors)")
        #expect(!run.output.contains("unknown_collection"), "\(run.output)")
        #expect(run.output.contains(#""unknown":["ntoes"]"#), "\(run.output)")
    }

    @Test func `status says that a collection was not synced yet`() throws {
        try self.shop.done("init", "--store", "d.db", "--remote", "http://127.0.0.1:1/v1")
        #expect(try self.shop.run("sync", "--store", "d.db", "notes").status != 0)
        let status = try self.shop.done("status", "--store", "d.db")
        #expect(status.contains("notes: not synced yet\n"), "\(status)")
    }

    @Test func `sync adds a new collection of which the server has rows`() throws {
        #expect(try self.shop.done("sync", "--store", "b.db", "notes") == "notes: sent 0, received 1; in sync\n")
        try self.shop.done("delete", "--store", "a.db", "notes", "1")
        try self.shop.done("sync", "--store", "a.db")
        // A deletion is also a row.
        try self.shop.device("c.db", self.server)
        #expect(try self.shop.run("sync", "--store", "c.db", "notes").status == 0)
    }

    @Test func `Commands that only read report an unknown collection (mistyped-collection)`() throws {
        for words in [["list"], ["list", "--json"], ["conflicts"], ["journal"], ["export"], ["forget"]] {
            let run = try self.shop.run([words[0], "--store", "a.db", "ntoes"] + words.dropFirst())
            #expect(run.status == 1)
            #expect(run.output == "")
            #expect(run.errors.contains("a.db has no collection “ntoes”; did you mean notes?"), "\(run.errors)")
        }
        let get = try self.shop.run("get", "--store", "a.db", "ntoes", "1")
        #expect(get.errors.hasSuffix("no record “1” in ntoes. Did you mean the collection notes?\n"), "\(get.errors)")
        let preview = try self.shop.run("sync", "--store", "a.db", "ntoes", "--dry-run")
        #expect(preview.errors == "“ntoes” is not in this store; did you mean notes?\n")
    }

    @Test func `A new collection does not count as mistyped if no server answers`() throws {
        _ = try self.server.tool.stop()
        let run = try self.shop.run("sync", "--store", "b.db", "notes")
        #expect(run.status == 4)
        #expect(!run.errors.contains("is neither in this store"), "\(run.errors)")
    }
}
