import Foundation
import Testing

@testable import TidemarkCLI

@Suite struct `A token` {
    @Test func `is taken from a file, from standard input or from the environment, and stands in no list of processes`()
        throws
    {
        let shop = try Workshop()
        let server = try shop.serve("--token", "good")
        try shop.device("a.db", server, "--token", "bad")
        try shop.done("create", "--store", "a.db", "notes", "1", "{}")
        try shop.write("good\r\n", to: "token")
        try shop.done("init", "--store", "a.db", "--token-file", "token")
        #expect(try shop.run("sync", "--store", "a.db").status == 0)
        try shop.done("init", "--store", "a.db", "--token", "bad")
        #expect(try shop.run("sync", "--store", "a.db").status == 5)
        try shop.done("init", "--store", "a.db", "--token-file", "-", input: "good")
        #expect(try shop.run("sync", "--store", "a.db").status == 0)
    }

    @Test func `is the word's before the file's before the environment's`() throws {
        let environment = ["TIDEMARK_TOKEN": "e"]
        let console = Console()
        let given = { (typed: String?, environment: [String: String]) in
            try GivenToken(typed: typed, file: nil, console, environment: environment).change
        }
        #expect(try given("t", environment) == .replaced("t"))
        #expect(try given(nil, environment) == .replaced("e"))
        #expect(try given(nil, ["TIDEMARK_TOKEN": ""]) == .kept)
        #expect(try given(nil, [:]) == .kept)
        let removed = try GivenToken(typed: nil, file: nil, isRemoved: true, console, environment: environment)
        #expect(removed.change == .removed)
    }

    @Test func `that is empty is refused, and the one there is stays until it is removed by name`() throws {
        let shop = try Workshop()
        let server = try shop.serve("--token", "good")
        try shop.device("a.db", server, "--token", "good")
        try shop.done("create", "--store", "a.db", "notes", "1", "{}")
        // What the shell makes of --token "$TOKEN" where that is not set.
        let run = try shop.run("init", "--store", "a.db", "--token", "")
        #expect(run.status == 64)
        #expect(run.errors.contains("to remove the one there is, say --no-token"), "\(run.errors)")
        #expect(try shop.run("sync", "--store", "a.db").status == 0)
        try shop.done("init", "--store", "a.db", "--no-token")
        #expect(try shop.run("sync", "--store", "a.db").status == 5)
    }

    @Test(arguments: [["--token", "t"], ["--token-file", "f"]])
    func `is not given and removed at once`(_ words: [String]) throws {
        let shop = try Workshop()
        let run = try shop.run(["init", "--store", "a.db", "--remote", "http://x/v1", "--no-token"] + words)
        #expect(run.status == 64)
        #expect(run.errors.contains("--no-token removes the token there is; give no other with it"), "\(run.errors)")
    }

    @Test func `is no longer than a file of a token may be`() throws {
        let shop = try Workshop()
        try shop.write(String(repeating: "t", count: GivenToken.fileLimit), to: "longest")
        try shop.write(String(repeating: "t", count: GivenToken.fileLimit + 1), to: "longer")
        try shop.done("init", "--store", "a.db", "--remote", "http://x/v1", "--token-file", "longest")
        let run = try shop.run("init", "--store", "b.db", "--remote", "http://x/v1", "--token-file", "longer")
        #expect(run.status == 1)
        #expect(run.errors.contains("longer has more than \(GivenToken.fileLimit) bytes"), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: shop.path("b.db")))
    }

    @Test(arguments: ["", "\n", "one\ntwo\n"])
    func `is the one line of its file`(_ text: String) throws {
        let shop = try Workshop()
        try shop.write(text, to: "token")
        let run = try shop.run("init", "--store", "a.db", "--remote", "http://x/v1", "--token-file", "token")
        #expect(run.status == 1)
        #expect(run.errors.contains("line in it. It should be the token alone"), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: shop.path("a.db")))
    }
}
