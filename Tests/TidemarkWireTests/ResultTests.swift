import TestSupport
import Testing
import TidemarkCore
import TidemarkJSON

@Suite struct `Results of a POST` {
    private static func results(_ results: String, edits: Int = 1) throws -> [UploadResult] {
        try SampleReply(name: "results", body: answerBody(results: results)).decode(.post(edits)).results
    }

    private static func outcome(_ result: String) throws -> UploadResult.Outcome? {
        let results = try Self.results(result)
        #expect(results.count <= 1)
        return results.first?.outcome
    }

    @Test func `own-write-looks-like-a-conflict: is_conflicted false is not a conflict`() throws {
        let item = #"{"pk":"p1","updated_at":5,"is_active":true,"data":{ "a" : 1.0 }}"#
        let result = #"{"request_id":"r1","pk":"p1","is_conflicted":false,"item":\#(item),"error":null}"#
        #expect(
            try Self.outcome(result) == .accepted(StoredVersion(version: "5", data: Array(#"{ "a" : 1.0 }"#.utf8))))
    }

    @Test func `a conflicted result has a row, a tombstone or nothing (W2)`() throws {
        func result(_ item: String) -> String {
            #"{"request_id":"r1","pk":"p1","is_conflicted":true,"item":\#(item)}"#
        }
        let row = #"{"is_active":true,"data":{"x":[]},"updated_at":"v","pk":"\u00701"}"#
        #expect(
            try Self.outcome(result(row))
                == .conflicted(StoredVersion(version: #""v""#, data: Array(#"{"x":[]}"#.utf8))))
        #expect(
            try Self.outcome(result(#"{"pk":"p1","updated_at":9,"is_active":false}"#))
                == .conflicted(StoredVersion(version: "9")))
        #expect(try Self.outcome(result("null")) == .conflicted(StoredVersion()))
    }

    @Test func `an accepted delete may have no item`() throws {
        let result = #"{"request_id":"r1","pk":"p1","is_conflicted":false,"item":null,"error":null}"#
        #expect(try Self.outcome(result) == .accepted(StoredVersion()))
    }

    @Test func `an error of one edit is a refusal, with the whole document`() throws {
        let problem = #"{"title":"Unprocessable","status":422,"detail":"no /a","pointer":"/a","n":1.10}"#
        let result =
            #"{"request_id":"r1","pk":"p1","is_conflicted":false,"item":null,"error":\#(problem)}"#
        guard case .refused(let found) = try Self.outcome(result) else {
            Issue.record("it was not refused")
            return
        }
        #expect(found.status == 422)
        #expect(found.title == "no /a")
        #expect(found.document.text == problem)
    }

    @Test func `an error without title and status is a refusal`() throws {
        let result = #"{"request_id":"r1","pk":"p1","is_conflicted":false,"item":null,"error":{}}"#
        guard case .refused(let found) = try Self.outcome(result) else {
            Issue.record("it was not refused")
            return
        }
        #expect(found.status == 422)
        #expect(!found.title.isEmpty)
    }

    @Test(arguments: [401, 407, 408, 425, 429, 500, 502, 504])
    func `a temporary error of one edit leaves the edit unconfirmed`(status: Int) throws {
        let result = #"{"request_id":"r1","pk":"p1","is_conflicted":false,"item":null,"error":{"status":\#(status)}}"#
        #expect(try Self.outcome(result) == nil)
    }

    @Test func `an edit with error 503 was not processed and is unconfirmed`() throws {
        let result = #"{"request_id":"r1","pk":"p1","is_conflicted":false,"item":null,"error":{"status":503}}"#
        #expect(try Self.outcome(result) == .unknown)
    }

    @Test(arguments: [400, 403, 404, 409, 410, 413, 422])
    func `a refused item keeps its status`(status: Int) throws {
        let result = #"{"request_id":"r1","pk":"p1","is_conflicted":false,"item":null,"error":{"status":\#(status)}}"#
        guard case .refused(let found) = try Self.outcome(result) else {
            Issue.record("it was not refused")
            return
        }
        #expect(found.status == status)
    }

    @Test(
        arguments: [
            "null", "7", "[]", "{}",
            #"{"pk":"p1","is_conflicted":false,"item":null}"#,
            #"{"request_id":"other","pk":"p1","is_conflicted":false,"item":null}"#,
            #"{"request_id":"r1","pk":"other","is_conflicted":false,"item":null}"#,
            #"{"request_id":"r1","is_conflicted":false,"item":null}"#,
            #"{"request_id":1,"pk":"p1","is_conflicted":false,"item":null}"#,
            #"{"request_id":"r1","pk":"p1","item":null}"#,
            #"{"request_id":"r1","pk":"p1","is_conflicted":null,"item":null}"#,
            #"{"request_id":"r1","pk":"p1","is_conflicted":0,"item":null}"#,
            #"{"request_id":"r1","pk":"p1","is_conflicted":false}"#,
            #"{"request_id":"r1","pk":"p1","is_conflicted":false,"item":[]}"#,
            #"{"request_id":"r1","pk":"p1","is_conflicted":false,"item":{}}"#,
            #"{"request_id":"r1","pk":"p1","is_conflicted":false,"item":{"pk":"p1","updated_at":1,"is_active":true}}"#,
            #"{"request_id":"r1","pk":"p1","is_conflicted":true,"item":{"pk":"p2","updated_at":1,"is_active":false}}"#,
            #"{"request_id":"r1","pk":"p1","is_conflicted":false,"item":null,"error":"no"}"#,
        ])
    func `a malformed result is ignored, and its neighbor is kept`(result: String) throws {
        let good = #"{"request_id":"r2","pk":"p2","is_conflicted":false,"item":null}"#
        #expect(try Self.results("\(result),\(good)", edits: 2).map(\.requestID) == ["r2"])
    }

    @Test func `edits without a result are unconfirmed`() throws {
        let result = #"{"request_id":"r3","pk":"p3","is_conflicted":false,"item":null}"#
        #expect(try Self.results(result, edits: 3).map(\.requestID) == ["r3"])
        #expect(try Self.results("", edits: 3).isEmpty)
    }

    @Test func `duplicate-answer: the first of two results for one edit counts`() throws {
        let first = #"{"request_id":"r1","pk":"p1","is_conflicted":false,"item":null}"#
        let second = #"{"request_id":"r1","pk":"p1","is_conflicted":true,"item":null}"#
        #expect(
            try Self.results("\(first),\(second)") == [
                UploadResult(requestID: "r1", outcome: .accepted(StoredVersion()))
            ])
    }

    @Test func `ids and pks are compared by code point`() throws {
        let edit = #"{"request_id":"\u00e9","pk":"\u00e9","sync_state":"DELETED"}"#
        let request = ExchangeRequest(
            collection: "c", uploads: [try UploadRequest(encodedEdit: Array(edit.utf8))], cursor: nil, limit: 1)
        func results(_ name: String) throws -> Int {
            let result = #"{"request_id":"\#(name)","pk":"\#(name)","is_conflicted":false,"item":null}"#
            return try SampleReply(name: name, body: answerBody(results: result)).decode(request).results.count
        }
        #expect(try results("\u{E9}") == 1)
        #expect(try results("e\u{301}") == 0)
    }
}
