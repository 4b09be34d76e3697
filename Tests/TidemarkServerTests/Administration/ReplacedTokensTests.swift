import Testing
import TidemarkServer

@Suite("Tokens that are reloaded while the server runs")
struct ReplacedTokensTests {
    @Test func `new tokens open accounts, removed ones do not, and records stay unchanged (W10)`() throws {
        let server = try ServerHarness(tokens: ["t1", "t2"])
        try server.make("1", token: "t1")
        server.core.replaceAccounts(ServerAccounts(tokens: ["t2", "t3"]))
        #expect(server.send("GET", "/v1/notes", token: "t1").status == 401)
        #expect(server.send("GET", "/v1/notes", token: "t2").status == 200)
        #expect(server.get("1", token: "t3").status == 404)
        server.core.replaceAccounts(ServerAccounts(tokens: ["t1"]))
        #expect(server.get("1", token: "t1").status == 200)
    }

    @Test func `an empty list of tokens does not open the server (W10)`() throws {
        let server = try ServerHarness(tokens: ["t1"])
        server.core.replaceAccounts(.open)
        #expect(server.send("GET", "/v1/notes").status == 401)
        #expect(server.send("GET", "/v1/notes", token: "t1").status == 200)
    }

    @Test func `a removed token ends the watches that use it`() throws {
        let server = try ServerHarness(tokens: ["t1", "t2"])
        let (gone, stays) = (try server.watch("notes", token: "t1"), try server.watch("notes", token: "t2"))
        server.core.replaceAccounts(ServerAccounts(tokens: ["t2"]))
        #expect(gone.isOver)
        #expect(!stays.isOver)
    }
}
