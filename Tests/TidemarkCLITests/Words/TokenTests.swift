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
        #expect(try GivenToken(typed: "t", file: nil, console, environment: environment).token == "t")
        #expect(try GivenToken(typed: "", file: nil, console, environment: environment).token == "")
        #expect(try GivenToken(typed: nil, file: nil, console, environment: environment).token == "e")
        #expect(try GivenToken(typed: nil, file: nil, console, environment: ["TIDEMARK_TOKEN": ""]).token == nil)
        #expect(try GivenToken(typed: nil, file: nil, console, environment: [:]).token == nil)
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
