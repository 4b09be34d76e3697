import TestSupport
import Testing
import TidemarkJSON
import TidemarkServer

@Suite("The quota of an account", .overEachStorage)
struct QuotaTests {
    private func server(rows: Int? = nil, bytes: Int? = nil, tokens: [String] = []) throws -> ServerHarness {
        var limits = ServerLimits()
        (limits.rowsOfAccount, limits.bytesOfAccount) = (rows, bytes)
        return try ServerHarness(tokens: tokens, limits: limits)
    }

    private func refusal(_ answer: Answer) -> String? {
        answer.results.first?.code
    }

    private func version(of pk: String, on server: ServerHarness) throws -> Int {
        try #require(try server.list().items.first { $0["pk"]?.string == pk }?["updated_at"]?.int)
    }

    @Test func `one record over the quota is refused alone, and its neighbors are accepted (W5)`() throws {
        let server = try self.server(rows: 2)
        let version = try server.make("1", in: "notes")
        try server.make("2", in: "tags")
        let answer = try server.post(created("r3", "3", ["a": 1]), setting("r1", "1", version, to: 7))
        #expect(answer.results[0].status == 413)
        #expect(self.refusal(answer) == "quota-exceeded")
        #expect(answer.results[1].isAccepted)
        #expect(server.get("3").status == 404)
        #expect(server.get("1").text.contains("7"))
    }

    @Test func `an edit over the quota stays refused under its id, even with room later (W4)`() throws {
        let server = try self.server(rows: 1)
        let version = try server.make("1")
        #expect(self.refusal(try server.post(created("r2", "2", ["a": 1]))) == "quota-exceeded")
        let tombstone = try #require(try server.post(deleted("gone", "1", version)).results.first?.version)
        // A delayed copy of the request: the client has read the refusal, and may have merged the edit into another.
        #expect(self.refusal(try server.post(created("r2", "2", ["a": 1]))) == "quota-exceeded")
        #expect(server.get("2").status == 404)
        #expect(self.refusal(try server.post(created("r3", "2", ["a": 1]))) == nil)
        let again = try server.post(created("r4", "1", ["a": 1], over: tombstone))
        #expect(self.refusal(again) == "quota-exceeded", "a tombstone does not count as a record")
    }

    @Test(arguments: [(1, nil), (nil, 8)] as [(Int?, Int?)])
    func `a refusal over the quota asks for a new request_id (W4)`(rows: Int?, bytes: Int?) throws {
        let server = try self.server(rows: rows, bytes: bytes)
        try server.make("1", ["a": 1])
        let answer = try server.post(created("r2", "2", ["a": 1]))
        #expect(self.refusal(answer) == "quota-exceeded")
        #expect(answer.text.contains("send the change again as a new edit"))
    }

    @Test func `the bytes of all collections count, and an edit that reduces them is accepted`() throws {
        let server = try self.server(bytes: 40)
        // {"a":1} has 7 bytes.
        var version = try server.make("1", ["a": 1])
        try server.make("2", in: "tags")
        let long = JSON.string(JSONString(String(repeating: "x", count: 20)))
        #expect(self.refusal(try server.post(setting("r1", "1", version, to: long))) == nil)
        version = try self.version(of: "1", on: server)
        #expect(self.refusal(try server.post(created("r2", "3", ["text": long]))) == "quota-exceeded")
        #expect(self.refusal(try server.post(setting("r3", "1", version, to: 1))) == nil)
        #expect(self.refusal(try server.post(created("r4", "3", ["a": 1]))) == nil)
    }

    @Test func `an account over its quota can still reduce its records`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("server.db")
        let clock = ManualClock()
        var version = 0
        do {
            let server = try ServerHarness(.file(path), clock: clock)
            version = try server.make("1", ["a": 100_000])
            try server.make("2")
        }
        var limits = ServerLimits()
        (limits.rowsOfAccount, limits.bytesOfAccount) = (0, 1)
        let server = try ServerHarness(.file(path), limits: limits, clock: clock)
        #expect(self.refusal(try server.post(setting("r", "1", version, to: 1))) == nil)
        version = try self.version(of: "1", on: server)
        #expect(self.refusal(try server.post(deleted("d", "1", version))) == nil)
        #expect(self.refusal(try server.post(created("c", "3", ["a": 1]))) == "quota-exceeded")
    }

    @Test func `each account has a separate quota`() throws {
        let server = try self.server(rows: 1, tokens: ["t1", "t2"])
        try server.make("1", token: "t1")
        try server.make("1", token: "t2")
        #expect(self.refusal(try server.post(created("r", "2", ["a": 1]), token: "t1")) == "quota-exceeded")
    }

    @Test func `one POST can't add more than the remaining quota`() throws {
        let server = try self.server(rows: 2)
        let edits = (0..<4).map { created("r\($0)", "\($0)", ["a": 1]) }
        #expect(try server.post(edits).results.map { $0.code } == [nil, nil, "quota-exceeded", "quota-exceeded"])
    }

    @Test func `POSTs of one transaction see the writes of earlier POSTs in it`() throws {
        let server = try self.server(rows: 3)
        let bodies = (0..<6).map { number in
            "{\"edits\":[\(created("r\(number)", "\(number)", ["a": 1]).text)]}"
        }
        let requests = bodies.enumerated().map { number, body in
            ServerRequest(method: "POST", target: "/v1/c\(number % 2)", body: Array(body.utf8))
        }
        var refused = 0
        server.core.handle(requests) { _, response in
            if String(decoding: response.body, as: UTF8.self).contains("quota-exceeded") { refused += 1 }
        }
        #expect(refused == 3)
    }
}
