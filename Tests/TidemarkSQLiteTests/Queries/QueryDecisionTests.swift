import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting
import Testing

/// How values compare, with and without an index of the member, in SQLite.
@Suite(.serialized) struct QueryDecisionTests {
    private static let a = JSONField<JSON>("/a")
    private static let texts = JSONField<String>("/a")

    /// Contents of records with the pks 0, 1, 2, …
    private func client(
        _ rows: [QueryCase.Row], indexes: [RecordIndex] = []
    ) async throws -> SyncCollection<JSON> {
        var one = QueryCase()
        one.rows = rows
        one.indexes = indexes
        return try await one.client(try SQLiteStore.sqliteInMemory(), try InProcessServer())["c"]
    }

    private func rows(_ contents: [String]) -> [QueryCase.Row] {
        contents.enumerated().map { QueryCase.Row(pk: "\($0)", phase: .synced, data: $1) }
    }

    /// The pks, which are the same without an index, with one of the member, and with one of its elements.
    private func pks(_ rows: [QueryCase.Row], _ query: RecordQuery) async throws -> [String] {
        let plain = try await self.client(rows).page(query).records.map(\.pk)
        for index: RecordIndex in [["/a"], ["/a/*"], ["/b", "/a"]] {
            let collection = try await self.client(rows, indexes: [index])
            #expect(try await collection.page(query).records.map(\.pk) == plain, "\(index)")
            #expect(try await collection.count(query) == plain.count, "\(index)")
        }
        return plain
    }

    private func pks(_ contents: [String], _ condition: RecordQuery.Condition) async throws -> [String] {
        try await self.pks(self.rows(contents.map { #"{"a":\#($0)}"# }), RecordQuery(where: condition))
    }

    private func json(_ text: String) throws -> JSON { try JSON(parsing: text) }

    // MARK: Decisions

    @Test func `The order of types is missing, null, false, true, numbers, texts, arrays, objects`() async throws {
        let contents = ["{}", "null", "false", "true", "-1e400", "7", #""""#, "[]", "{}"].enumerated()
            .map { $0 == 0 ? $1 : #"{"a":\#($1)}"# }
        let rows = Array(self.rows(contents).reversed())
        #expect(
            try await self.pks(rows, RecordQuery(order: [.ascending("/a")])) == [
                "0", "1", "2", "3", "4", "5", "6", "7", "8",
            ])
        #expect(
            try await self.pks(rows, RecordQuery(order: [.descending("/a")])) == [
                "8", "7", "6", "5", "4", "3", "2", "1", "0",
            ])
    }

    @Test func `Arrays are equal in the order, and so are objects`() async throws {
        let rows = self.rows([#"{"a":[9]}"#, #"{"a":[1]}"#, #"{"a":{"z":1}}"#, #"{"a":{}}"#])
        #expect(try await self.pks(rows, RecordQuery(order: [.ascending("/a")])) == ["0", "1", "2", "3"])
        #expect(try await self.pks(rows, RecordQuery(where: Self.a == [1])) == ["1"])
    }

    @Test func `Smaller and larger are never true for two types`() async throws {
        let values = ["1", "true", #""1""#, "null", "[1]", "{}"]
        #expect(try await self.pks(values, Self.a < 2) == ["0"])
        #expect(try await self.pks(values, Self.a >= "") == ["2"])
        #expect(try await self.pks(values, Self.a > false) == ["1"])
        #expect(try await self.pks(values, Self.a >= JSON.null) == ["3"])
        #expect(try await self.pks(values, Self.a > JSON.null) == [])
    }

    @Test func `1 is neither true nor a text`() async throws {
        let values = ["1", "true", #""1""#]
        #expect(try await self.pks(values, Self.a == 1) == ["0"])
        #expect(try await self.pks(values, Self.a == true) == ["1"])
        #expect(try await self.pks(values, Self.a == "1") == ["2"])
    }

    @Test func `Numbers compare by their exact value`() async throws {
        let values = [
            "1", "1.0", "10e-1", "9007199254740993", "9007199254740992", "1e400", "1e399", "12345678901234567890",
        ]
        #expect(try await self.pks(values, Self.a == 1) == ["0", "1", "2"])
        #expect(try await self.pks(values, Self.a == self.json("9007199254740993")) == ["3"])
        #expect(try await self.pks(values, Self.a > self.json("9007199254740992.5")) == ["3", "5", "6", "7"])
        #expect(try await self.pks(values, Self.a > self.json("9.9e399")) == ["5"])
        #expect(try await self.pks(values, Self.a == self.json("12345678901234567890")) == ["7"])
        #expect(try await self.pks(values, Self.a == self.json("12345678901234567891")) == [])
    }

    /// Keys leave such exponents out, and the order of the keys must not hide a record.
    @Test func `Numbers with exponents of any length are found by their value`() async throws {
        let long = String(repeating: "9", count: 250)
        let values = ["5e1\(long)", "3e2\(long)", "-5e1\(long)", "-3e2\(long)", "5e-1\(long)", "3e-2\(long)"]
        #expect(try await self.pks(values, Self.a < self.json("3e2\(long)")) == ["0", "2", "3", "4", "5"])
        #expect(try await self.pks(values, Self.a > self.json("5e1\(long)")) == ["1"])
        #expect(try await self.pks(values, Self.a < self.json("-5e1\(long)")) == ["3"])
        #expect(try await self.pks(values, Self.a > self.json("3e-2\(long)")) == ["0", "1", "4"])
        #expect(try await self.pks(values, Self.a == self.json("50e1\(long)")) == [])
    }

    @Test func `Texts compare by code point, without normalization`() async throws {
        let values = [#""é""#, #""e\u0301""#, #""\uFFFD""#, #""\uD83D\uDE00""#, #""z""#]
        #expect(try await self.pks(values, Self.texts == "\u{E9}") == ["0"])
        #expect(try await self.pks(values, Self.texts < "z") == ["1"])
        let rows = self.rows(values.map { #"{"a":\#($0)}"# })
        #expect(try await self.pks(rows, RecordQuery(order: [.ascending("/a")])) == ["1", "4", "0", "2", "3"])
    }

    @Test func `The order looks at 512 bytes of a text, and equality at all`() async throws {
        let x = String(repeating: "x", count: 512)
        let rows = self.rows(["\(x)b", "\(x)a", "\(x)", "w"].map { #"{"a":"\#($0)"}"# })
        #expect(try await self.pks(rows, RecordQuery(order: [.ascending("/a")])) == ["3", "0", "1", "2"])
        #expect(try await self.pks(rows, RecordQuery(where: Self.texts == "\(x)a")) == ["1"])
        #expect(try await self.pks(rows, RecordQuery(where: Self.texts > "\(x)a")) == ["0"])
        #expect(try await self.pks(rows, RecordQuery(where: Self.texts.startsWith("\(x)a"))) == ["1"])
    }

    @Test func `A missing member is not equal, and “not” is the complement`() async throws {
        let rows = self.rows(["{}", #"{"a":1}"#, #"{"a":null}"#, #"{"a":3}"#])
        #expect(try await self.pks(rows, RecordQuery(where: Self.a != 1)) == ["0", "2", "3"])
        #expect(try await self.pks(rows, RecordQuery(where: !(Self.a > 2))) == ["0", "1", "2"])
        #expect(try await self.pks(rows, RecordQuery(where: Self.a.exists && Self.a != 1)) == ["2", "3"])
        #expect(try await self.pks(rows, RecordQuery(where: Self.a.isMissing)) == ["0"])
        #expect(try await self.pks(rows, RecordQuery(where: Self.a == .null)) == ["2"])
    }

    @Test func `Equal records follow by pk, in the direction of the last order`() async throws {
        let rows = ["b", "a", "é", "e\u{301}", "😀", "\u{FFFD}"].map {
            QueryCase.Row(pk: $0, phase: .synced, data: #"{"a":1,"b":2}"#)
        }
        let sorted = ["a", "b", "e\u{301}", "é", "\u{FFFD}", "😀"]
        func check(_ order: [RecordQuery.Order], _ pks: [String]) async throws {
            #expect(
                try await self.pks(rows, RecordQuery(order: order)).map { Array($0.utf8) } == pks.map { Array($0.utf8) }
            )
        }
        try await check([], sorted)
        try await check([.ascending("/a")], sorted)
        try await check([.ascending("/a"), .descending("/b")], sorted.reversed())
        try await check([.descending("/a"), .ascending("/b")], sorted)
    }

    /// An index has equal records in the direction of the part of the order that it holds.
    @Test func `Equal records follow the last order, if its member is equal in all`() async throws {
        let rows = ["b", "a", "c"].map { QueryCase.Row(pk: $0, phase: .synced, data: #"{"a":1,"b":2}"#) }
        let order: [RecordQuery.Order] = [.ascending("/a"), .descending("/b")]
        let query = RecordQuery(where: JSONField<JSON>("/b") == 2, order: order)
        #expect(try await self.pks(rows, query) == ["c", "b", "a"])
    }

    @Test func `A cursor continues after its record, whatever changed before it`() async throws {
        let collection = try await self.client(self.rows((1...5).map { #"{"a":\#($0)}"# }), indexes: [["/a"]])
        let query = RecordQuery(order: [.ascending("/a")])
        let first = try await collection.page(query, limit: 2)
        #expect(first.records.map(\.pk) == ["0", "1"])
        try await collection["0"].edit { $0["a"] = 4.5 }
        try await collection["1"].delete()
        try await collection["4"].edit { $0["a"] = 0 }
        let second = try await collection.page(query, limit: 5, after: first.next)
        #expect(second.records.map(\.pk) == ["2", "3", "0"], "0 is seen twice, 4 not at all, and no other is skipped")
    }

    @Test func `A cursor of another query is refused, and one of the same query in other words is valid`() async throws
    {
        let collection = try await self.client(self.rows((1...3).map { #"{"a":\#($0)}"# }))
        let next = try await collection.page(RecordQuery(where: Self.a >= 1), limit: 1).next
        #expect(
            try await collection.page(RecordQuery(where: Self.a >= 1.0), after: next).records.map(\.pk) == ["1", "2"])
        for (query, cursor) in [
            (RecordQuery(where: Self.a >= 2), next), (RecordQuery(where: Self.a >= 1, order: [.ascending("/a")]), next),
            (RecordQuery(where: Self.a >= 1), RecordQuery.Cursor("AQ")),
            (RecordQuery(where: Self.a >= 1), RecordQuery.Cursor("?")),
            (RecordQuery(where: Self.a >= 1), next.map { RecordQuery.Cursor("Ag\($0.text.dropFirst(2))") }),
        ] {
            let error = await #expect(throws: TidemarkError.self) { try await collection.page(query, after: cursor) }
            #expect(error?.code == .invalidCursor && error?.message.contains("Request the first page") == true)
        }
    }

    @Test func `Deleted records are not there, held and created ones are, as the app sees them`() async throws {
        let patch = #"[{"op":"add","path":"/a","value":2}]"#
        let rows: [QueryCase.Row] = [
            .init(pk: "deleted", phase: .deleted(.idle), data: #"{"a":2}"#),
            .init(pk: "held", phase: .edited(.held), data: #"{"a":1}"#, patch: patch),
            .init(pk: "new", phase: .created(.idle), data: "", patch: #"[{"op":"add","path":"","value":{"a":2}}]"#),
            .init(
                pk: "other", phase: .edited(.idle), data: #"{"a":2}"#, patch: #"[{"op":"add","path":"/a","value":1}]"#),
            .init(pk: "synced", phase: .synced, data: #"{"a":2}"#),
        ]
        #expect(try await self.pks(rows, RecordQuery(where: Self.a == 2)) == ["held", "new", "synced"])
        #expect(try await self.pks(rows, RecordQuery(where: .held)) == ["held"])
        #expect(try await self.pks(rows, RecordQuery(where: .pending)) == ["held", "new", "other"])
        #expect(try await self.pks(rows, RecordQuery(where: .state(.created))) == ["new"])
        #expect(try await self.pks(rows, RecordQuery(where: .state(.deleted))) == [])
    }

    @Test func `A damaged record has no members, and is apart in the result`() async throws {
        let rows = self.rows([#"{"a":"#, #"{"a":1}"#])
        let queries = [
            RecordQuery(where: Self.a.isMissing), RecordQuery(where: Self.a != 1),
            RecordQuery(order: [.ascending("/a")]),
        ]
        for query in queries {
            let page = try await self.client(rows).page(query)
            #expect(page.unreadable.map(\.pk) == ["0"])
            #expect(page.unreadable.first?.error.code == .recordDamaged)
            #expect(page.records.map(\.pk) == (query.condition == .all ? ["1"] : []))
        }
    }

    @Test func `A star is any element, and an element that is there twice is one result`() async throws {
        let rows = self.rows([#"{"a":["x","x","y"]}"#, #"{"a":["y"]}"#, #"{"a":"x"}"#, #"{"a":[]}"#, "{}"])
        let element = JSONField<String>("/a/*")
        #expect(try await self.pks(rows, RecordQuery(where: element == "x")) == ["0"])
        #expect(try await self.pks(rows, RecordQuery(where: element.isIn(["x", "y"]))) == ["0", "1"])
        #expect(try await self.pks(rows, RecordQuery(where: element > "x")) == ["0", "1"])
        #expect(try await self.pks(rows, RecordQuery(where: element != "x")) == ["1", "2", "3", "4"])
        #expect(try await self.pks(rows, RecordQuery(where: element > "x" && element < "y")) == ["0"])
    }

    @Test func `contains finds an element, or a part of a text, and can ignore case`() async throws {
        let rows = self.rows([#"{"a":["Home",1]}"#, #"{"a":"at HOME"}"#, #"{"a":"away"}"#, #"{"a":1}"#])
        #expect(try await self.pks(rows, RecordQuery(where: Self.a.contains("Home"))) == ["0"])
        #expect(
            try await self.pks(rows, RecordQuery(where: Self.a.contains("home", ignoringCase: true))) == ["0", "1"])
        #expect(try await self.pks(rows, RecordQuery(where: Self.a.contains(1.0))) == ["0"])
    }

    // MARK: Records that SQLite's JSON functions answer wrongly

    @Test func `An escaped key is found`() async throws {
        #expect(try await self.pks(self.rows([#"{"\u0061":1}"#]), RecordQuery(where: Self.a == 1)) == ["0"])
    }

    @Test func `U+0000 is a code point of a text`() async throws {
        let values = [#""x\u0000y""#, #""x""#, #""x\u0000""#, #""x\u0001""#]
        #expect(try await self.pks(values, Self.texts == "x\u{0}y") == ["0"])
        #expect(try await self.pks(values, Self.texts == "x") == ["1"])
        let rows = self.rows(values.map { #"{"a":\#($0)}"# })
        #expect(try await self.pks(rows, RecordQuery(order: [.ascending("/a")])) == ["1", "2", "0", "3"])
    }

    @Test func `Of a repeated key the last value counts`() async throws {
        let rows = self.rows([#"{"a":1,"a":2}"#, #"{"a":2,"\u0061":1}"#])
        #expect(try await self.pks(rows, RecordQuery(where: Self.a == 2)) == ["0"])
        #expect(try await self.pks(rows, RecordQuery(where: Self.a == 1)) == ["1"])
    }

    @Test func `A query can name a key with a quote, a slash or a tilde`() async throws {
        let rows = self.rows([#"{"a\"b":1}"#, #"{"a/b":1}"#, #"{"a~b":1}"#])
        #expect(try await self.pks(rows, RecordQuery(where: JSONField<Int>("/a\"b") == 1)) == ["0"])
        #expect(try await self.pks(rows, RecordQuery(where: JSONField<Int>("/a~1b") == 1)) == ["1"])
        #expect(try await self.pks(rows, RecordQuery(where: JSONField<Int>("/a~0b") == 1)) == ["2"])
    }
}
