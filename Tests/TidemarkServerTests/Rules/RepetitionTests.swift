import TestSupport
import Testing
import TidemarkJSON
import TidemarkServer

@Suite("The same request id gets the same answer (W4)", .overEachStorage)
struct RepetitionTests {
    @Test func `a repeated create is not done twice, and gets the same bytes (W4)`() throws {
        let server = try ServerHarness()
        let edit = created("r", "1", ["n": 1])
        let first = try server.post(edit)
        _ = try server.post(setting("other", "1", first.results.first?.version, to: 5))
        let second = try server.post(edit)
        #expect(second.results.first?.json.text == first.results.first?.json.text)
        #expect(server.get("1").text.contains(#""a":5"#))
    }

    @Test func `a repeated edit gets its first answer, even after the record was deleted (W4)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let edit = setting("r", "1", version, to: 2)
        let first = try #require(try server.post(edit).results.first)
        _ = try server.post(deleted("d", "1", first.version))
        #expect(try server.post(edit).results.first?.json.text == first.json.text)
        #expect(server.get("1").status == 410)
    }

    @Test func `a repeated edit gets the same conflict, even if it would apply now (W4)`() throws {
        let server = try ServerHarness()
        let edit = setting("r", "1", nil, to: 2)
        let first = try #require(try server.post(edit).results.first)
        #expect(first.isConflicted == true)
        try server.make("1")
        #expect(try server.post(edit).results.first?.json.text == first.json.text)
    }

    @Test func `a repeated edit gets the same refusal, even if it would apply now (W4)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let edit = edited("r", "1", version, [["op": "remove", "path": "/b"]])
        let first = try #require(try server.post(edit).results.first)
        #expect(first.status == 422)
        #expect(try server.post(edit).results.first?.json.text == first.json.text)
    }

    @Test func `a malformed edit with an id is remembered, too (W4)`() throws {
        let server = try ServerHarness()
        let edit: JSON = ["request_id": "r", "pk": "1", "sync_state": "MOVED"]
        let first = try #require(try server.post(edit).results.first)
        #expect(first.status == 400)
        #expect(try server.post(edit).results.first?.json.text == first.json.text)
        #expect(try server.post(created("r", "1", ["a": 1])).results.first?.status == 422)
    }

    @Test func `the same id with another body is refused with 422, and changes nothing (W4)`() throws {
        let server = try ServerHarness()
        let first = try #require(try server.post(created("r", "1", ["a": 1])).results.first)
        let result = try #require(try server.post(created("r", "2", ["a": 1])).results.first)
        #expect(result.status == 422)
        #expect(result.code == "request-id-reused")
        #expect(server.get("2").status == 404)
        #expect(try server.post(created("r", "1", ["a": 1])).results.first?.json.text == first.json.text)
    }

    @Test func `equal JSON is the same body in any spelling (W4)`() throws {
        let server = try ServerHarness()
        let start = #"{"edits":[{"request_id":"r","pk":"1","sync_state":"CREATED","edited_data":"#
        let end = "}]}"
        let bodies = [
            #"[{"op":"add","path":"","value":{"n":1.0,"s":"é"}}]"#,
            #"[ {"path":"","op":"add","value":{"s":"\u00e9","n":10e-1}} ]"#,
        ]
        let answers = try bodies.map { try Answer(server.send("POST", "/v1/notes", body: start + $0 + end)) }
        #expect(answers[1].results.first?.isAccepted == true)
        #expect(answers[0].results.first?.json.text == answers[1].results.first?.json.text)
    }

    @Test func `an id that occurs twice in one batch is done once (W4)`() throws {
        let server = try ServerHarness()
        let edit = created("r", "1", ["a": 1])
        let answer = try server.post(edit, edit)
        #expect(answer.results.map(\.isAccepted) == [true, true])
        #expect(answer.results[0].json.text == answer.results[1].json.text)
    }

    @Test func `ids of another collection or account have no effect here (W4)`() throws {
        let server = try ServerHarness(tokens: ["t1", "t2"])
        for (collection, token) in [("notes", "t1"), ("tasks", "t1"), ("notes", "t2")] {
            let edit = created("r", collection + token, ["a": 1])
            #expect(try server.post(edit, to: collection, token: token).results.first?.isAccepted == true)
        }
    }

    @Test func `answers survive a restart (W4)`() throws {
        let folder = try TemporaryFolder()
        let edit = created("r", "1", ["a": 1])
        let first = try {
            let server = try ServerHarness(.file(folder.path("server.db")))
            let result = try #require(try server.post(edit).results.first)
            _ = try server.post(setting("other", "1", result.version, to: 2))
            return result
        }()
        let again = try ServerHarness(.file(folder.path("server.db")))
        #expect(try again.post(edit).results.first?.json.text == first.json.text)
    }

    @Test func `answers are deleted at the horizon, not before (W4)`() throws {
        let server = try ServerHarness()
        let edit = created("r", "1", ["a": 1])
        _ = try server.post(edit)
        server.clock.advance(days: 89)
        #expect(try server.core.purge(olderThan: .seconds(90 * 86_400)) == ServerPurge(tombstones: 0, answers: 0))
        #expect(try server.post(edit).results.first?.isAccepted == true)
        server.clock.advance(days: 2)
        #expect(try server.core.purge(olderThan: .seconds(90 * 86_400)) == ServerPurge(tombstones: 0, answers: 1))
        #expect(try server.post(edit).results.first?.isConflicted == true)
    }
}
