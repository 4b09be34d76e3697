import Testing
import TidemarkServer

@Suite("Tokens that are read again while the server runs")
struct ReplacedTokensTests {
    @Test func `W10 who is new comes in, who is gone does not, and records stay where they are`() throws {
        let server = try ServerHarness(tokens: ["t1", "t2"])
        try server.make("1", token: "t1")
        server.core.replaceAccounts(ServerAccounts(tokens: ["t2", "t3"]))
        #expect(server.send("GET", "/v1/notes", token: "t1").status == 401)
        #expect(server.send("GET", "/v1/notes", token: "t2").status == 200)
        #expect(server.get("1", token: "t3").status == 404)
        server.core.replaceAccounts(ServerAccounts(tokens: ["t1"]))
        #expect(server.get("1", token: "t1").status == 200)
    }

    @Test func `W10 an empty list opens the server to nobody`() throws {
        let server = try ServerHarness(tokens: ["t1"])
        server.core.replaceAccounts(.open)
        #expect(server.send("GET", "/v1/notes").status == 401)
        #expect(server.send("GET", "/v1/notes", token: "t1").status == 200)
    }

    @Test func `who waits for hints with a token that is gone is hung up on`() throws {
        let server = try ServerHarness(tokens: ["t1", "t2"])
        let (gone, stays) = (try server.watch("notes", token: "t1"), try server.watch("notes", token: "t2"))
        server.core.replaceAccounts(ServerAccounts(tokens: ["t2"]))
        #expect(gone.isOver)
        #expect(!stays.isOver)
    }
}
