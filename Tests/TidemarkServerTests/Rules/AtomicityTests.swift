import Testing
import TidemarkJSON
import TidemarkServer

@Suite("Each edit is done whole or not at all, independent of its neighbors (W5)", .overEachStorage)
struct AtomicityTests {
    @Test func `an invalid edit is refused alone, and the results keep their order (W5)`() throws {
        let server = try ServerHarness()
        let answer = try server.post(
            created("a", "1", ["a": 1]), "not an object", setting("b", "9", nil, to: 1), created("c", "2", ["a": 1]))
        #expect(answer.results.map { $0.json["request_id"]?.string } == ["a", "", "b", "c"])
        #expect(answer.results.map(\.isAccepted) == [true, false, false, true])
        #expect(answer.results[1].status == 400)
        #expect(answer.results[1].json["pk"] == "")
        #expect(server.get("1").status == 200)
        #expect(server.get("2").status == 200)
    }

    @Test func `a patch that does not apply is 422 with a pointer, and changes nothing (W5)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let patch: JSON = [
            ["op": "replace", "path": "/a", "value": 2], ["op": "remove", "path": "/b/c"],
        ]
        let result = try #require(try server.post(edited("r", "1", version, patch)).results.first)
        #expect(result.status == 422)
        #expect(result.code == "patch-failed")
        #expect(result.pointer == "/b/c")
        #expect(result.isConflicted == false)
        #expect(result.json["item"]?.isNull == true)
        #expect(server.get("1").text.contains(#""data":{"a":1}"#))
    }

    @Test func `a failing test operation refuses the edit (W5)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let patch: JSON = [["op": "test", "path": "/a", "value": 5], ["op": "remove", "path": "/a"]]
        let result = try #require(try server.post(edited("r", "1", version, patch)).results.first)
        #expect(result.status == 422)
        #expect(result.pointer == "/a")
    }

    @Test(arguments: [
        (#"{"pk":"1","sync_state":"DELETED"}"#, "/request_id"),
        (#"{"request_id":7,"pk":"1","sync_state":"DELETED"}"#, "/request_id"),
        (#"{"request_id":"","pk":"1","sync_state":"DELETED"}"#, "/request_id"),
        (#"{"request_id":"r","sync_state":"DELETED"}"#, "/pk"),
        (#"{"request_id":"r","pk":null,"sync_state":"DELETED"}"#, "/pk"),
        (#"{"request_id":"r","pk":"1"}"#, "/sync_state"),
        (#"{"request_id":"r","pk":"1","sync_state":"SYNCD"}"#, "/sync_state"),
        (#"{"request_id":"r","pk":"1","sync_state":"EDITED","updated_at":"5","edited_data":[]}"#, "/updated_at"),
        (#"{"request_id":"r","pk":"1","sync_state":"EDITED","updated_at":5}"#, "/edited_data"),
        (#"{"request_id":"r","pk":"1","sync_state":"EDITED","updated_at":5,"edited_data":{}}"#, "/edited_data"),
        (
            #"{"request_id":"r","pk":"1","sync_state":"EDITED","edited_data":[{"op":"jump","path":""}]}"#,
            "/edited_data/0"
        ),
        (
            #"{"request_id":"r","pk":"1","sync_state":"EDITED","edited_data":[{"op":"remove","path":"a"}]}"#,
            "/edited_data/0"
        ),
    ])
    func `a malformed edit is 400 with a pointer to the malformed member (W5)`(edit: String, pointer: String) throws {
        let server = try ServerHarness()
        let body = #"{"edits":[\#(edit),{"request_id":"good","pk":"2","sync_state":"DELETED"}]}"#
        let answer = try Answer(server.send("POST", "/v1/notes", body: body))
        #expect(answer.results[0].status == 400)
        #expect(answer.results[0].code == "malformed-edit")
        #expect(answer.results[0].pointer?.hasPrefix(pointer) == true, "\(answer.text)")
        #expect(answer.results[1].isAccepted)
    }

    @Test(arguments: [[1, 2] as JSON, "text", 5, .null])
    func `a record must be an object`(value: JSON) throws {
        let server = try ServerHarness()
        let result = try #require(try server.post(created("r", "1", value)).results.first)
        #expect(result.status == 422)
        #expect(result.code == "not-an-object")
        #expect(server.get("1").status == 404)
    }

    @Test func `an edit can't remove the record, only a delete can`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let result = try #require(
            try server.post(edited("r", "1", version, [["op": "remove", "path": ""]])).results.first)
        #expect(result.code == "not-an-object")
        #expect(server.get("1").status == 200)
    }

    @Test func `a record over the limit is 413, alone`() throws {
        var limits = ServerLimits()
        limits.record = 100
        let server = try ServerHarness(limits: limits)
        let long = JSON.string(JSONString(String(repeating: "x", count: 100)))
        let answer = try server.post(created("a", "1", ["a": long]), created("b", "2", ["a": 1]))
        #expect(answer.results.map(\.status) == [413, nil])
        #expect(answer.results[0].code == "record-too-large")
    }

    @Test(arguments: [(92, nil), (93, 413)] as [(Int, Int?)])
    func `a record of exactly the size limit is accepted`(letters: Int, status: Int?) throws {
        var limits = ServerLimits()
        limits.record = 100
        let text = JSON.string(JSONString(String(repeating: "x", count: letters)))
        let answer = try ServerHarness(limits: limits).post(created("a", "1", ["a": text]))
        #expect(answer.results.map(\.status) == [status])
    }

    @Test func `a record that is nested too deeply is 422, so that readers can read every page`() throws {
        var limits = ServerLimits()
        limits.recordDepth = 3
        let server = try ServerHarness(limits: limits)
        let answer = try server.post(
            created("a", "1", ["a": [[1]]]), created("b", "2", ["a": [[[1]]]]))
        #expect(answer.results.map(\.status) == [nil, 422])
        #expect(answer.results[1].code == "nested-too-deeply")
        let grow: JSON = [["op": "add", "path": "/a/0/0", "value": [1]]]
        let grown = try server.post(edited("c", "1", answer.results[0].version, grow))
        #expect(grown.results.first?.code == "nested-too-deeply")
    }

    @Test func `names have limits`() throws {
        var limits = ServerLimits()
        limits.pk = 5
        limits.requestID = 5
        let server = try ServerHarness(limits: limits)
        let answer = try server.post(created("a", "toolong", ["a": 1]), created("toolong", "1", ["a": 1]))
        #expect(answer.results.map(\.pointer) == ["/pk", "/request_id"])
    }
}

@Suite("An edit that changes nothing (W9)", .overEachStorage)
struct UnchangedTests {
    @Test(arguments: [
        #"[]"#, #"[{"op":"replace","path":"/n","value":1}]"#, #"[{"op":"replace","path":"/n","value":10e-1}]"#,
        #"[{"op":"test","path":"/n","value":1.0}]"#,
        #"[{"op":"replace","path":"","value":{"o":{"y":2,"x":1},"n":1}}]"#,
    ])
    func `an edit that changes nothing is accepted, and keeps version and bytes (W9)`(patch: String) throws {
        let server = try ServerHarness()
        let create =
            #"{"request_id":"a","pk":"1","sync_state":"CREATED","edited_data":"#
            + #"[{"op":"add","path":"","value":{"n":1.0,"o":{"x":1,"y":2}}}]}"#
        let first = try Answer(server.send("POST", "/v1/notes", body: #"{"edits":[\#(create)]}"#))
        let version = try #require(first.results.first?.version)
        let cursor = first.cursor
        server.clock.advance(days: 1)
        let edit =
            #"{"request_id":"b","pk":"1","sync_state":"EDITED","updated_at":\#(version),"#
            + #""edited_data":\#(patch)}"#
        let answer = try Answer(server.send("POST", "/v1/notes", body: #"{"edits":[\#(edit)]}"#))
        #expect(answer.results.first?.isAccepted == true)
        #expect(answer.results.first?.version == version)
        #expect(server.get("1").text.contains(#""data":{"n":1.0,"o":{"x":1,"y":2}}"#))
        #expect(try server.list(after: cursor).items.isEmpty)
    }
}
