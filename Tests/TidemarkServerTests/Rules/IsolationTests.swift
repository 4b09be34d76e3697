import Testing
import TidemarkJSON
import TidemarkServer

@Suite("Accounts, limits and malformed bodies (W10)", .overEachStorage)
struct IsolationTests {
    @Test func `an account does not see another's rows, and may use the same names (W10)`() throws {
        let server = try ServerHarness(tokens: ["t1", "t2"])
        let version = try server.make("1", ["of": "one"], token: "t1")
        #expect(server.get("1", token: "t2").status == 404)
        #expect(try server.list(token: "t2").items.isEmpty)
        // The version of another account's row has no meaning here.
        let foreign = try #require(
            try server.post(setting("r", "1", version, to: 2), token: "t2").results.first)
        #expect(foreign.isConflicted == true)
        #expect(foreign.json["item"]?.isNull == true)
        try server.make("1", ["of": "two"], token: "t2")
        #expect(server.get("1", token: "t1").text.contains("one"))
        #expect(server.get("1", token: "t2").text.contains("two"))
    }

    @Test func `the writes of one account do not affect another's versions (W10)`() throws {
        let server = try ServerHarness(tokens: ["t1", "t2"])
        let first = try server.make("1", token: "t1")
        #expect(try server.make("1", token: "t2") == first)
    }

    @Test func `the cursor of another account is 410 (W10)`() throws {
        let server = try ServerHarness(tokens: ["t1", "t2"])
        try server.make("1", token: "t1")
        try server.make("1", token: "t2")
        let cursor = try server.list(token: "t1").cursor
        let own = try server.list(token: "t2").json["account"]
        for target in ["/v1/notes?max_updated_at=\(cursor)", "/v1/notes?max_updated_at=made-up"] {
            let refusal = server.send("GET", target, token: "t2")
            #expect(refusal.status == 410)
            // The refusal names the account of the request, so that the client can distinguish it from its own (Contract §3.5).
            #expect(try JSON(parsing: refusal.body)["account"] == own)
        }
    }

    @Test func `every answer names epoch and account, and the account is not the token`() throws {
        let server = try ServerHarness(tokens: ["t1", "t2"], epoch: "cafe")
        let one = try server.list(token: "t1")
        #expect(one.json["epoch"] == "cafe")
        #expect(one.json["account"]?.string?.isEmpty == false)
        #expect(one.json["account"] != "t1")
        #expect(try server.list(token: "t2").json["account"] != one.json["account"])
        let posted = try server.post(created("r", "1", ["a": 1]), token: "t1")
        #expect(posted.json["account"] == one.json["account"])
        #expect(posted.json["epoch"] == "cafe")
        // The same after a restart: the name is derived from the token alone.
        #expect(try ServerHarness(tokens: ["t1"]).list(token: "t1").json["account"] == one.json["account"])
    }

    @Test(arguments: [nil, "wrong", ""] as [String?])
    func `a request without a valid token is 401 with WWW-Authenticate`(token: String?) throws {
        let server = try ServerHarness(tokens: ["t1"])
        for target in ["/v1/notes", "/v1/notes/1", "/elsewhere"] {
            let response = server.send("GET", target, token: token)
            #expect(response.status == 401)
            #expect(response.header("WWW-Authenticate")?.hasPrefix("Bearer") == true)
            #expect(response.header("Content-Type") == "application/problem+json")
        }
    }

    @Test func `the authorization scheme is case-insensitive`() throws {
        let server = try ServerHarness(tokens: ["t1"])
        let request = ServerRequest(
            method: "GET", target: "/v1/notes", headers: [("authorization", "bearer t1")])
        #expect(server.core.handle(request).status == 200)
    }

    @Test func `a server without tokens has one account for any token`() throws {
        let server = try ServerHarness()
        try server.make("1", token: "any")
        #expect(server.get("1").status == 200)
    }

    @Test func `a body over the limit is 413 (W10)`() throws {
        var limits = ServerLimits()
        limits.body = 50
        let server = try ServerHarness(limits: limits)
        let response = server.send("POST", "/v1/notes", body: String(repeating: " ", count: 51))
        #expect(response.status == 413)
        #expect(try JSON(parsing: response.body)["code"] == "body-too-large")
    }

    @Test func `more edits than allowed are 413, and none is applied`() throws {
        var limits = ServerLimits()
        limits.edits = 1
        let server = try ServerHarness(limits: limits)
        let body = (["edits": [created("a", "1", ["a": 1]), created("b", "2", ["a": 1])]] as JSON).text
        #expect(server.send("POST", "/v1/notes", body: body).status == 413)
        #expect(server.get("1").status == 404)
    }

    @Test func `a body that is not JSON is 400 with the position of the error (W10)`() throws {
        let server = try ServerHarness()
        let response = server.send("POST", "/v1/notes", body: "{\"edits\":[\n  {\"request_id\":\"r\",,}]}")
        #expect(response.status == 400)
        let problem = try JSON(parsing: response.body)
        #expect(problem["code"] == "malformed-body")
        #expect(problem["line"] == 2)
        #expect(problem["column"]?.int != nil)
        #expect(problem["offset"]?.int != nil)
    }

    @Test(arguments: ["", "[]", "{}", #"{"edits":{}}"#, #"{"edits":null}"#, "{\"edits\":[\"\u{FFFD}\\ud800\"]}"])
    func `a body of another form is 400 (W10)`(body: String) throws {
        let server = try ServerHarness()
        let response = server.send("POST", "/v1/notes", body: body)
        #expect(response.status == 400)
        #expect(response.header("Content-Type") == "application/problem+json")
    }
}
