import CannedHTTP
import Foundation
import Testing

@testable import TidemarkCLI

@Suite struct `Tokens of a store` {
    @Test func `A token is read from an argument, a file or standard input`()
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

    @Test func `A token in an argument takes precedence over one in the environment`() throws {
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

    @Test func `The header fields of a file are sent until --no-headers`() throws {
        let shop = try Workshop()
        let server = try CannedServer(.emptyPage)
        var sent: [[String?]] = []
        try shop.write("X-Api-Key: k:1 \r\n\nX-Tenant:t\n", to: "fields")
        try shop.done("init", "--store", "a.db", "--remote", server.url, "--header-file", "fields")
        sent.append(try self.lastFields(of: server, shop))
        try shop.done("init", "--store", "a.db", "--tactic", "take-server")
        sent.append(try self.lastFields(of: server, shop))
        try shop.done("init", "--store", "a.db", "--no-headers")
        sent.append(try self.lastFields(of: server, shop))
        #expect(sent == [["k:1", "t"], ["k:1", "t"], [nil, nil]])
    }

    /// Syncs, whatever the outcome, and returns the header fields of the last request.
    private func lastFields(of server: CannedServer, _ shop: Workshop) throws -> [String?] {
        let count = server.requests.count
        try shop.run("sync", "--store", "a.db", "notes")
        let request = try #require(server.requests.dropFirst(count).last)
        return [request.header("X-Api-Key"), request.header("X-Tenant")]
    }

    @Test(arguments: [
        ("", "is empty"), ("X-A: 1\nno field", ":2: this line is no header field"), (": x", ":1: this line is no"),
        ("X-A: 1\nX-A: 2", "is there twice"), ("Authorization: Bearer s3cret", "can't be added"),
    ])
    func `A file with a header field that can't be sent is rejected`(text: String, reason: String) throws {
        let shop = try Workshop()
        try shop.write(text, to: "fields")
        let run = try shop.run("init", "--store", "a.db", "--remote", "http://x/v1", "--header-file", "fields")
        #expect(run.status == 1 && run.errors.contains(reason), "\(run.errors)")
        #expect(!run.errors.contains("s3cret"))
        #expect(!FileManager.default.fileExists(atPath: shop.path("a.db")))
    }

    @Test func `An empty token is rejected, and the token stays until --no-token`() throws {
        let shop = try Workshop()
        let server = try shop.serve("--token", "good")
        try shop.device("a.db", server, "--token", "good")
        try shop.done("create", "--store", "a.db", "notes", "1", "{}")
        // The argument of --token "$TOKEN" if the variable is not set.
        let run = try shop.run("init", "--store", "a.db", "--token", "")
        #expect(run.status == 64)
        #expect(run.errors.contains("to remove the token, use --no-token"), "\(run.errors)")
        #expect(try shop.run("sync", "--store", "a.db").status == 0)
        try shop.done("init", "--store", "a.db", "--no-token")
        #expect(try shop.run("sync", "--store", "a.db").status == 5)
    }

    @Test(arguments: [["--token", "t"], ["--token-file", "f"]])
    func `A token can't be given and removed at the same time`(_ words: [String]) throws {
        let shop = try Workshop()
        let run = try shop.run(["init", "--store", "a.db", "--remote", "http://x/v1", "--no-token"] + words)
        #expect(run.status == 64)
        #expect(run.errors.contains("--no-token removes the token; give no other token with it"), "\(run.errors)")
    }

    @Test func `A file of a token that is too large is rejected`() throws {
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
    func `A file of a token must have exactly one line`(_ text: String) throws {
        let shop = try Workshop()
        try shop.write(text, to: "token")
        let run = try shop.run("init", "--store", "a.db", "--remote", "http://x/v1", "--token-file", "token")
        #expect(run.status == 1)
        #expect(run.errors.contains("It must contain only the token, on one line."), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: shop.path("a.db")))
    }
}
