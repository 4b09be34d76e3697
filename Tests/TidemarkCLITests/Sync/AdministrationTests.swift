import Foundation
import Testing

@Suite struct `The administration of a server` {
    private func token(_ shop: Workshop, of account: String) throws -> String {
        try shop.done("token", "add", "--store", "server.db", "--account", account)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test(arguments: [true, false])
    func `Accounts and tokens are added and revoked, with or without a running server`(runs: Bool) throws {
        let shop = try Workshop()
        var server = runs ? try shop.serve() : nil
        try shop.done("account", "add", "--store", "server.db", "ada")
        let (first, second) = (try self.token(shop, of: "ada"), try self.token(shop, of: "ada"))
        let list = try shop.done("account", "list", "--store", "server.db")
        #expect(list.hasPrefix("ada\t2 tokens\t0 records\t0 B\t20"), "\(list)")
        server = try server ?? shop.serve()
        let url = try #require(server)
        try shop.device("a.db", url, "--token", first)
        try shop.device("b.db", url, "--token", second)
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"a":1}"#)
        try shop.done("sync", "--store", "a.db")
        #expect(try shop.done("sync", "--store", "b.db", "notes") == "notes: sent 0, received 1; in sync\n")
        try shop.done("token", "revoke", "--store", "server.db", "1")
        #expect(try shop.run("sync", "--store", "a.db").status == 5)
        #expect(try shop.run("sync", "--store", "b.db").status == 0)
        let tokens = try shop.done("token", "list", "--store", "server.db", "--json")
        #expect(tokens.hasPrefix(#"{"number":2,"account":"ada","label":"","added_at":"#), "\(tokens)")
    }

    @Test func `A server never overwrites or deletes foreign files next to its store`() throws {
        let shop = try Workshop()
        try shop.write("precious", to: "server.db-control")
        let server = try shop.serve()
        #expect(try String(contentsOfFile: shop.path("server.db-control"), encoding: .utf8) == "precious")
        #expect(try server.tool.stop().status == 0)
        #expect(try String(contentsOfFile: shop.path("server.db-control"), encoding: .utf8) == "precious")
        for suffix in ["-wal", "-journal", "-shm"] {
            let run = try shop.run("backup", "--store", "server.db", "server.db\(suffix)")
            #expect(run.status == 1)
            #expect(run.errors.contains("a server keeps a file under this name"), "\(run.errors)")
        }
    }

    @Test func `A running server is backed up, and its copy can replace it`() throws {
        let shop = try Workshop()
        let server = try shop.serve()
        try shop.device("a.db", server)
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"a":1}"#)
        try shop.done("sync", "--store", "a.db")
        // The file that a server leaves when it is killed during a backup.
        try shop.write("half", to: "copy.db.part")
        let stale = try shop.run("backup", "--store", "server.db", "copy.db")
        #expect(stale.status == 1)
        #expect(stale.errors.contains("a copy was begun there"), "\(stale.errors)")
        try FileManager.default.removeItem(atPath: shop.path("copy.db.part"))
        try shop.done("backup", "--store", "server.db", "copy.db")
        let again = try shop.run("backup", "--store", "server.db", "copy.db")
        #expect(again.status == 1)
        #expect(again.errors.contains("there is a file of this name already"), "\(again.errors)")
        try shop.done("create", "--store", "a.db", "notes", "2", #"{"a":2}"#)
        try shop.done("sync", "--store", "a.db")
        let (address, run) = (server.address, try server.tool.stop())
        #expect(run.status == 0)
        let restored = try ToolServer(try shop.start(["serve", "--store", "copy.db", "--listen", address]))
        // The client has a cursor that the copy does not know, and keeps the values that the server lost (W8).
        let report = try shop.run("sync", "--store", "a.db")
        #expect(report.errors.contains("lost") || report.output.contains("lost"), "\(report)")
        try shop.device("b.db", restored)
        #expect(try shop.done("sync", "--store", "b.db", "notes").contains("received 1"))
    }

    @Test func `A wrong administration command is rejected with advice`() throws {
        let shop = try Workshop()
        for (words, reason) in [
            (["account", "list", "--store", "x.db"], "There is no server's store at x.db."),
            (["token", "revoke", "--store", "x.db", "three"], "“three” is not the number of a token"),
            (["token", "add", "--store", "x.db"], "--account NAME is missing"),
            (["account", "add", "--store", "x.db", "ada", "--from", "mars"], "--from mars is neither open nor token"),
            (["account", "add", "--store", "x.db", "ada", "--from", "token"], "TIDEMARK_TOKEN"),
        ] {
            let run = try shop.run(words)
            #expect(run.status != 0 && run.errors.contains(reason), "\(words): \(run.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: shop.path("x.db")))
    }

    @Test(arguments: [
        ["account", "add", "--store", "server.db"], ["token", "add", "--store", "server.db", "--account", "ada"],
    ])
    func `A name that is too long is refused before the server is asked`(_ words: [String]) throws {
        let shop = try Workshop()
        _ = try shop.serve()
        let name = String(repeating: "n", count: 100_000)
        let run = try shop.run(words[0] == "token" ? words + ["--label", name] : words + [name])
        #expect(run.status == 1)
        #expect(run.errors.contains("has 100000 bytes; 200 are allowed"), "\(run.errors.prefix(500))")
    }
}
