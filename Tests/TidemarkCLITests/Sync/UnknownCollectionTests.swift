import CannedHTTP
import Foundation
import Testing

@Suite struct `A collection that is not known` {
    let shop: Workshop
    let server: ToolServer

    init() throws {
        self.shop = try Workshop()
        self.server = try self.shop.serve()
        for store in ["a.db", "b.db"] { try self.shop.device(store, self.server) }
        try self.shop.done("create", "--store", "a.db", "notes", "1", #"{"n":1}"#)
        try self.shop.done("sync", "--store", "a.db")
    }

    @Test func `mistyped-collection: here nor at the server is said by sync, and nothing is stored`() throws {
        let before = try self.shop.done("status", "--store", "a.db", "--json")
        let run = try self.shop.run("sync", "--store", "a.db", "ntoes", "--json")
        #expect(run.status == 1)
        #expect(run.output == #"{"outcome":"unknown_collection","collections":{},"unknown":["ntoes"]}"# + "\n")
        let words = "“ntoes” is known neither here nor at the server; did you mean notes? Nothing was stored.\n"
        #expect(run.errors == words)
        #expect(try self.shop.done("status", "--store", "a.db", "--json") == before)
        #expect(try self.shop.done("sync", "--store", "a.db") == "notes: sent 0, received 0; in step\n")
    }

    @Test func `mistyped-collection: does not keep the others from being synced`() throws {
        try self.shop.done("edit", "--store", "a.db", "notes", "1", "/n", "2")
        let run = try self.shop.run("sync", "--store", "a.db", "ntoes", "notes")
        #expect(run.status == 1)
        #expect(run.output == "notes: sent 1, received 0; in step\n")
    }

    @Test func `mistyped-collection: stands beside the others in the JSON of a sync`() throws {
        let run = try self.shop.run("sync", "--store", "a.db", "ntoes", "notes", "ntoes2", "--json")
        #expect(run.status == 1)
        #expect(run.output.hasPrefix(#"{"outcome":"unknown_collection","collections":{"notes":{"pushed":[]"#))
        #expect(run.output.hasSuffix(#","unknown":["ntoes","ntoes2"]}"# + "\n"), "\(run.output)")
    }

    @Test func `mistyped-collection: does not hide in the JSON what is worse`() throws {
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

    @Test func `here, of which the server has rows, is synced`() throws {
        #expect(try self.shop.done("sync", "--store", "b.db", "notes") == "notes: sent 0, received 1; in step\n")
        try self.shop.done("delete", "--store", "a.db", "notes", "1")
        try self.shop.done("sync", "--store", "a.db")
        // A deletion is a row, too.
        try self.shop.device("c.db", self.server)
        #expect(try self.shop.run("sync", "--store", "c.db", "notes").status == 0)
    }

    @Test func `mistyped-collection: is said by what looks only, and leads to no empty result`() throws {
        for words in [["list"], ["list", "--json"], ["conflicts"], ["journal"], ["export"], ["forget"]] {
            let run = try self.shop.run([words[0], "--store", "a.db", "ntoes"] + words.dropFirst())
            #expect(run.status == 1)
            #expect(run.output == "")
            #expect(run.errors.contains("a.db has no collection “ntoes”; did you mean notes?"), "\(run.errors)")
        }
        let get = try self.shop.run("get", "--store", "a.db", "ntoes", "1")
        #expect(get.errors.hasSuffix("no record “1” in ntoes. Did you mean the collection notes?\n"), "\(get.errors)")
        let preview = try self.shop.run("sync", "--store", "a.db", "ntoes", "--dry-run")
        #expect(preview.errors == "“ntoes” is not known here; did you mean notes?\n")
    }

    @Test func `where nothing answers is not taken for mistyped`() throws {
        _ = try self.server.tool.stop()
        let run = try self.shop.run("sync", "--store", "b.db", "notes")
        #expect(run.status == 4)
        #expect(!run.errors.contains("is known neither"), "\(run.errors)")
    }
}
