import Testing
import TidemarkJSON
import TidemarkServer

@Suite("The results of one answer have a size limit (W4, W5)", .overEachStorage)
struct ResultLimitTests {
    private func server(results: Int) throws -> ServerHarness {
        var limits = ServerLimits()
        limits.results = results
        return try ServerHarness(limits: limits)
    }

    private func text(_ count: Int) -> JSON {
        ["text": .string(JSONString(String(repeating: "x", count: count)))]
    }

    @Test func `many small edits of one large record do not return it many times`() throws {
        let server = try ServerHarness()
        try server.make("big", self.text(1 << 20))
        let body = (["edits": .array((0..<60).map { setting("r\($0)", "big", 1, to: 1) })] as JSON).text
        let answer = server.send("POST", "/v1/notes", body: body)
        #expect(answer.status == 200)
        #expect((20 << 20..<40 << 20).contains(answer.body.count))
    }

    @Test func `an edit without room is 503, and the edits before it are kept`() throws {
        let server = try self.server(results: 100_000)
        try server.make("big", self.text(30_000))
        let answer = try server.post((0..<10).map { setting("r\($0)", "big", 1, to: 1) })
        let taken = answer.results.prefix { $0.isConflicted == true }
        #expect(taken.count == 3)
        #expect(answer.results.dropFirst(3).allSatisfy { $0.status == 503 && $0.code == "results-full" })
    }

    @Test func `an edit over the limit is not applied or remembered, and succeeds when resent`() throws {
        let server = try self.server(results: 3_000)
        let edits = (0..<10).map { created("r\($0)", "p\($0)", self.text(1_000)) }
        var left = edits
        var posts = 0
        while !left.isEmpty {
            let results = try server.post(left).results
            let done = results.prefix { $0.isAccepted }
            #expect(!done.isEmpty, "the first one always fits")
            #expect(results.dropFirst(done.count).allSatisfy { $0.code == "results-full" && $0.item == nil })
            for result in results.dropFirst(done.count) {
                #expect(server.get(result.json["pk"]?.string ?? "").status == 404)
            }
            left.removeFirst(done.count)
            posts += 1
        }
        #expect(posts == 5)
        #expect(try server.list().items.count == 10)
    }

    @Test func `the first edit always fits, for a record of any size`() throws {
        let server = try self.server(results: 10)
        let answer = try server.post([created("r1", "1", self.text(1_000)), created("r2", "2", self.text(1))])
        #expect(answer.results[0].isAccepted)
        #expect(answer.results[1].code == "results-full")
    }

    @Test func `all edits after the first postponed one wait, so that none overtakes another`() throws {
        let server = try self.server(results: 1_500)
        let answer = try server.post([
            created("r1", "1", self.text(1_000)), created("r2", "2", self.text(1_000)), created("r3", "3", ["a": 1]),
        ])
        #expect(answer.results.map { $0.code } == [nil, "results-full", "results-full"])
    }

    @Test func `refused edits count the rows that they read`() throws {
        let server = try self.server(results: 100_000)
        let version = try server.make("big", self.text(60_000))
        let edits = (0..<10).map { edited("r\($0)", "big", version, [["op": "remove", "path": "/no"]]) }
        let codes = try server.post(edits).results.map { $0.code }
        #expect(codes.first == "patch-failed")
        #expect(codes.last == "results-full")
    }

    @Test func `the feed returns a row that was answered late, and the cursor waits for it (W6)`() throws {
        let server = try self.server(results: 10)
        let version = try server.make("theirs", self.text(100))
        let answer = try server.post([created("r1", "1", ["a": 1]), setting("r2", "theirs", version - 1, to: 1)])
        #expect(answer.results[1].code == "results-full")
        #expect(answer.pks == ["theirs"])
    }
}
