import Foundation
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import Testing

/// Apps store queries, so a form that was written once is read by every later version.
@Suite struct QueryCodingTests {
    private static let done = JSONField<Bool>("/done")
    private static let price = JSONField<JSON>("/price")
    private static let title = JSONField<String>("/title")

    static let forms: [(query: RecordQuery, text: String)] = [
        (RecordQuery(), #"{"where":["and"],"order":[]}"#),
        (RecordQuery(where: done == false), #"{"where":["=","/done",false],"order":[]}"#),
        (RecordQuery(where: price != 2.5), #"{"where":["not",["=","/price",2.5]],"order":[]}"#),
        (
            RecordQuery(where: price < 1 && (price <= 2 || price > 3) && price >= 4),
            #"{"where":["and",["<","/price",1],["or",["<=","/price",2],[">","/price",3]],[">=","/price",4]],"order":[]}"#
        ),
        (RecordQuery(where: title.isIn(["a", "b"])), #"{"where":["in","/title",["a","b"]],"order":[]}"#),
        (RecordQuery(where: title.startsWith("x")), #"{"where":["startsWith","/title","x"],"order":[]}"#),
        (RecordQuery(where: price.contains([1] as JSON)), #"{"where":["contains","/price",[1]],"order":[]}"#),
        (
            RecordQuery(where: title.contains("X", ignoringCase: true)),
            #"{"where":["containsIgnoringCase","/title","X"],"order":[]}"#
        ),
        (RecordQuery(where: title.exists), #"{"where":["exists","/title"],"order":[]}"#),
        (RecordQuery(where: !title.exists), #"{"where":["not",["exists","/title"]],"order":[]}"#),
        (RecordQuery(where: .held), #"{"where":["held"],"order":[]}"#),
        (RecordQuery(where: .pending), #"{"where":["state","CREATED","DELETED","EDITED"],"order":[]}"#),
        (
            RecordQuery(where: .held, order: [.ascending("/due"), .descending("/price")]),
            #"{"where":["held"],"order":[["/due","ascending"],["/price","descending"]]}"#
        ),
    ]

    @Test(arguments: forms)
    func `a query is written in its form and read from it`(query: RecordQuery, text: String) throws {
        #expect(try JSON(encoding: query).text == text)
        let read = try JSON(parsing: text).decode(RecordQuery.self)
        #expect(read == query && Set([read]) == Set([query]))
        #expect(try JSONDecoder().decode(RecordQuery.self, from: JSONEncoder().encode(query)) == query)
    }

    @Test func `a query that was written without a part has none`() throws {
        #expect(try JSON(parsing: "{}").decode(RecordQuery.self) == RecordQuery())
    }

    @Test(arguments: [
        ("[]", "a query is"), (#"{"where":{}}"#, "begins with its name"), (#"{"where":[7]}"#, "begins with its name"),
        (#"{"where":["like","/a","b"]}"#, "no such condition"), (#"{"where":["=","/a"]}"#, "no such condition"),
        (#"{"where":["=",1,2]}"#, "no such condition"), (#"{"where":["in","/a",3]}"#, "no such condition"),
        (#"{"where":["startsWith","/a",3]}"#, "no such condition"), (#"{"where":["held",1]}"#, "no such condition"),
        (#"{"where":["not"]}"#, "no such condition"), (#"{"where":["exists",1]}"#, "a path is a string"),
        (#"{"where":["state","EDITD"]}"#, "SYNCD, EDITED, CREATED or DELETED"),
        (#"{"where":["and",["held"],8]}"#, "begins with its name"),
        (#"{"order":["/due"]}"#, "an order is"), (#"{"order":[["/due","up"]]}"#, "an order is"),
    ])
    func `another form is refused with the part and a reason`(text: String, reason: String) throws {
        let error = try #require(throws: (any Error).self) { try JSON(parsing: text).decode(RecordQuery.self) }
        #expect("\(error)".contains(reason), "\(error)")
    }

    @Test func `conditions as deep as JSON can be are read`() throws {
        let count = JSON.Limits.default.nestingDepth - 2
        let text = String(repeating: #"["not","#, count: count) + #"["held"]"# + String(repeating: "]", count: count)
        let query = try JSON(parsing: #"{"where":\#(text)}"#).decode(RecordQuery.self)
        #expect(try JSON(encoding: query)["where"]?.text == text)
    }

    @Test func `a cursor is its text, and an index its paths`() throws {
        #expect(try JSON(encoding: RecordQuery.Cursor("abc")).text == #""abc""#)
        #expect(try JSON("abc").decode(RecordQuery.Cursor.self) == RecordQuery.Cursor("abc"))
        let index: RecordIndex = ["/done", "/due"]
        #expect(try JSON(encoding: index).text == #"["/done","/due"]"#)
        #expect(try (["/done", "/due"] as JSON).decode(RecordIndex.self) == index)
    }

    @Test func `indexes and orders with look-alike paths are two`() {
        let alike = ["/\u{E9}", "/e\u{301}"]
        #expect(
            Set(alike.map { RecordIndex([$0]) }).count == 2
                && Set(alike.map { RecordQuery.Order.ascending($0) }).count == 2)
        #expect(Set([RecordQuery.Order.ascending("/a"), .descending("/a"), .ascending("/a")]).count == 2)
    }

    @Test func `a query beyond a limit is refused, and one at the limit is not`() throws {
        var limits = RecordQuery.Limits()
        limits.parts = 3
        limits.values = 2
        let two = Self.title.isIn(["a", "b"])
        _ = try CheckedQuery(RecordQuery(where: two && .held, order: [.ascending("/due")]), limits: limits)
        let parts = try #require(throws: TidemarkError.self) {
            try CheckedQuery(RecordQuery(where: two && .held && .pending, order: [.ascending("/due")]), limits: limits)
        }
        #expect(parts.code == .invalidQuery && parts.message.contains("more than 3 parts"), "\(parts)")
        let values = try #require(throws: TidemarkError.self) {
            try CheckedQuery(RecordQuery(where: Self.title.isIn(["a", "b", "c"])), limits: limits)
        }
        #expect(values.code == .invalidQuery && values.message.contains("compared with 3 values"), "\(values)")
    }
}
