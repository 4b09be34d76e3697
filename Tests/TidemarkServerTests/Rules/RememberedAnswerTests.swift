import Foundation
import TestSupport
import Testing
import TidemarkJSON
import TidemarkServer

@Suite("The size of remembered answers is bounded (W4)", .overEachStorage)
struct RememberedAnswerTests {
    private func text(_ count: Int) -> JSON {
        ["text": .string(JSONString(String(repeating: "x", count: count)))]
    }

    /// A number from the server's tables, read after the server was closed.
    private func number(_ sql: String, _ work: (ServerHarness) throws -> Void) throws -> Int64 {
        let folder = try TemporaryFolder()
        let path = folder.path("server.db")
        try { try work(ServerHarness(.file(path))) }()
        return try StorageOfTest.number(sql, in: path)
    }

    /// The size of all remembered answers except that to the first edit.
    private let remembered = """
        SELECT sum(coalesce(length(edit), 0) + coalesce(length(result), 0)) FROM answer WHERE request_id <> 'make-1'
        """

    @Test func `an empty POST to a new name stores nothing`() throws {
        let count = try self.number("SELECT count(*) FROM feed") { server in
            for name in ["a", "b", "c"] {
                #expect(server.send("POST", "/v1/\(name)", body: #"{"edits":[]}"#).status == 200)
            }
        }
        #expect(count == 0)
    }

    @Test func `a conflict with a large record or a large edit is not kept whole`() throws {
        let size = try self.number(self.remembered) { server in
            try server.make("1", self.text(1_000_000))
            for number in 0..<5 {
                var edit = setting("r\(number)", "1", 1, to: 2)
                edit["member of a later version"] = self.text(200_000)
                #expect(try server.post(edit).results.first?.isConflicted == true)
            }
        }
        #expect(size < 10_000)
    }

    @Test func `the kept answers to small edits of a medium record are proportional to the edits`() throws {
        let count = 100
        let size = try self.number(self.remembered) { server in
            try server.make("1", self.text(15_000))
            for number in 0..<count {
                #expect(try server.post(setting("r\(number)", "1", 1, to: 2)).results.first?.isConflicted == true)
            }
        }
        #expect(size < count * 1_000)
    }

    @Test func `the answer to an edit as large as its record is kept whole`() throws {
        let server = try ServerHarness()
        let edit = created("r", "1", self.text(10_000))
        let first = try #require(try server.post(edit).results.first)
        _ = try server.post(setting("other", "1", first.version, to: 3))
        #expect(try server.post(edit).results.first?.json.text == first.json.text)
    }

    @Test func `an accepted edit of a large record is answered again without a second copy`() throws {
        let size = try self.number(self.remembered) { server in
            let version = try server.make("1", self.text(100_000))
            let edit = setting("r", "1", version, to: 2)
            let first = try #require(try server.post(edit).results.first)
            #expect(first.isAccepted)
            #expect(try server.post(edit).results.first?.json.text == first.json.text)
        }
        #expect(size < 10_000)
    }

    @Test func `an answer about a large record has the current row if that has changed meanwhile`() throws {
        let server = try ServerHarness()
        let version = try server.make("1", self.text(100_000))
        let edit = setting("r", "1", version, to: 2)
        let late = setting("l", "1", 1, to: 2)
        let first = try #require(try server.post(edit).results.first)
        #expect(try server.post(late).results.first?.isConflicted == true)
        let second = try #require(try server.post(setting("other", "1", first.version, to: 3)).results.first)
        let again = try server.post(edit, late)
        #expect(again.results.map(\.isConflicted) == [false, true])
        #expect(again.results.map(\.version) == [second.version, second.version])
        // The record came as a result at its current version, and so not as an item (W6).
        #expect(again.items.isEmpty)
    }

    @Test func `a large edit is not mistaken for another with its id, and matches in any spelling`() throws {
        let server = try ServerHarness()
        let head = #"{"edits":[{"request_id":"r","pk":"1","sync_state":"CREATED","edited_data":["#
        let long = String(repeating: "x", count: 10_000)
        let spellings = [
            #"{"op":"add","path":"","value":{"n":1.0,"s":"é","t":"\#(long)","m":-0,"k":[1e3,null,true]}}]}]}"#,
            #"{"value":{"t":"\#(long)","k":[1000,null,true],"s":"\u00e9","m":0.0,"n":10e-1},"path":"","op":"add"}]}]}"#,
            #"{"op":"add","path":"","value":{"n":1.0,"s":"é","t":"\#(long)","m":-0,"k":[1e3,null,false]}}]}]}"#,
            #"{"op":"add","path":"","value":{"n":1.0,"s":"e\u0301","t":"\#(long)","m":0,"k":[1e3,null,true]}}]}]}"#,
        ]
        let answers = try spellings.map { try Answer(server.send("POST", "/v1/notes", body: head + $0)) }
        #expect(answers.map { $0.results.first?.status } == [nil, nil, 422, 422])
        #expect(answers[0].results.first?.json.text == answers[1].results.first?.json.text)
    }

    @Test func `a repeated edit of a large deleted record is accepted, with its tombstone (W4)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1", self.text(100_000))
        let edit = setting("r", "1", version, to: 2)
        let first = try #require(try server.post(edit).results.first)
        _ = try server.post(deleted("d", "1", first.version))
        let again = try #require(try server.post(edit).results.first)
        #expect(again.isAccepted)
        #expect(again.item?["is_active"] == false)
    }
}
