import TestSupport
import Testing
import TidemarkCore
import TidemarkMachine

@Suite struct `Items of an answer` {
    @Test func `data is kept byte for byte, and updated_at as the received text (I4)`() throws {
        let data = #"{ "b" : 1.10, "a":"caf\u00e9\/","a":-0 }"#
        let items =
            #"{"pk":"a\u0062","updated_at":1763000000000001,"is_active":true,"data":\#(data)},"#
            + #"{"pk":"t","updated_at":"2026-01-01T00:00:00Z","is_active":false}"#
        let page = try SampleReply(name: "rows", body: answerBody(items: items)).decode(.get).page
        #expect(page.malformed.isEmpty)
        try #require(page.rows.count == 2)
        #expect(page.pk(of: page.rows[0]) == "ab")
        #expect(page.version(of: page.rows[0]) == StoredVersion(version: "1763000000000001", data: Array(data.utf8)))
        #expect(page.rows[1].isTombstone)
        #expect(page.version(of: page.rows[1]) == StoredVersion(version: #""2026-01-01T00:00:00Z""#))
    }

    @Test(arguments: ["null", "{}", #"{"left":"over"}"#])
    func `a tombstone has no data, even if the server sends some`(data: String) throws {
        let item = #"{"pk":"t","updated_at":1,"is_active":false,"data":\#(data)}"#
        let page = try SampleReply(name: "tombstone", body: answerBody(items: item)).decode(.get).page
        #expect(page.rows.map(\.isTombstone) == [true])
        #expect(page.malformed.isEmpty)
    }

    @Test(
        arguments: [
            (#"{"pk":"a","is_active":true,"data":{}}"#, "a", "“updated_at” is missing"),
            (#"{"pk":"a","updated_at":null,"is_active":true,"data":{}}"#, "a", "“updated_at” is null"),
            (#"{"pk":"a","updated_at":1,"data":{}}"#, "a", "“is_active” is missing"),
            (#"{"pk":"a","updated_at":1,"is_active":1,"data":{}}"#, "a", "“is_active” is a number, not a boolean"),
            (#"{"pk":"a","updated_at":1,"is_active":true}"#, "a", "“data” is missing"),
            (#"{"pk":"a","updated_at":1,"is_active":true,"data":null}"#, "a", "“data” is null"),
            (#"{"pk":"a","updated_at":1,"is_active":true,"data":[]}"#, "a", "“data” is an array, not an object"),
            (#"{"pk":"\u0061\/","updated_at":[],"is_active":true,"data":{}}"#, "a/", "“updated_at” is an array"),
            (#"{"updated_at":1,"is_active":true,"data":{}}"#, "item 2", "“pk” is missing"),
            (#"{"pk":7,"updated_at":1,"is_active":true,"data":{}}"#, "item 2", "“pk” is a number, not a string"),
            (#"{"pk":"","updated_at":1,"is_active":true,"data":{}}"#, "item 2", "“pk” is empty"),
            ("null", "item 2", "the item is null"), ("[{}]", "item 2", "the item is an array"),
            (#""a""#, "item 2", "the item is a string"), ("12", "item 2", "the item is a number"),
        ])
    func `a malformed item is quarantined, and its neighbors are kept`(
        item: String, pk: String, reason: String
    ) throws {
        let good = #"{"pk":"good1","updated_at":1,"is_active":true,"data":{}}"#
        let last = #"{"pk":"good2","updated_at":3,"is_active":false}"#
        let reply = SampleReply(name: pk, body: answerBody(items: "\(good),\(item),\(last)"))
        let page = try reply.decode(.get).page
        #expect(page.rows.map { page.pk(of: $0) } == ["good1", "good2"])
        #expect(page.malformed.map(\.pk) == [pk])
        #expect(try #require(page.malformed.first).reason.contains(reason))
    }

    /// A record that is nested so deep.
    private func nested(_ depth: Int) -> String {
        #"{"pk":"deep","updated_at":2,"is_active":true,"data":{"a":"#
            + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}}"
    }

    @Test(arguments: [508, 509, 510, 512, 513, 1_000])
    func `a record that is nested too deep is quarantined, and its neighbors are kept`(depth: Int) throws {
        let good = #"{"pk":"good1","updated_at":1,"is_active":true,"data":{}}"#
        let last = #"{"pk":"good2","updated_at":3,"is_active":false}"#
        let body = answerBody(items: "\(good),\(self.nested(depth)),\(last)")
        let page = try SampleReply(name: "deep", body: body).decode(.get).page
        let isRecord = depth <= 512
        #expect(page.rows.map { page.pk(of: $0) } == (isRecord ? ["good1", "deep", "good2"] : ["good1", "good2"]))
        #expect(page.malformed.map(\.pk) == (isRecord ? [] : ["deep"]))
        #expect(page.malformed.allSatisfy { $0.reason.hasSuffix("“data” is nested more than 512 deep") })
    }

    @Test func `an answer that is nested deeper than the limit is malformed`() throws {
        let reply = SampleReply(name: "deep", body: answerBody(items: self.nested(1_100)))
        #expect(try #require(reply.failure(.get)).failureClass == .invalidAnswer)
    }
}
