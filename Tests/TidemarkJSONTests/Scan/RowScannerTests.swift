import Testing
import TidemarkJSON
import YajlReader

@Suite struct `The row scanner (Contract §9)` {
    static let fields = ["pk", "updated_at", "is_active", "data"]

    private func scan(_ text: String, limits: JSON.Limits = .default) throws -> JSONRowScan {
        try JSONRowScanner.scan(Array(text.utf8), arrays: ["items", "results"], fields: Self.fields, limits: limits)
    }

    private func text(_ range: Range<Int>, of page: String) -> String {
        String(decoding: Array(page.utf8)[range], as: UTF8.self)
    }

    @Test func `the row scanner finds the exact bytes of every field of every row`() throws {
        let page = #"""
            {"items": [ {"pk":"a\u0041\"","updated_at": 1.10 ,"is_active":true,"data": {"z" : [1, {"pk":2}], "é":"\/"} },
            {"data":[],"more":{"pk":"no"},"is_active":false,"pk":7}], "max_updated_at" : "17", "more":false}
            """#
        let scan = try self.scan(page)
        let rows = try #require(scan.rows(in: "items"))
        #expect(rows.count == 2)
        #expect(
            (0..<4).map { self.text(rows[0][$0], of: page) }
                == [#""a\u0041\"""#, "1.10", "true", #"{"z" : [1, {"pk":2}], "é":"\/"}"#])
        #expect((0..<4).map { self.text(rows[1][$0], of: page) } == ["7", "", "false", "[]"])
        #expect(self.text(rows[1].whole, of: page) == #"{"data":[],"more":{"pk":"no"},"is_active":false,"pk":7}"#)
        #expect(self.text(try #require(scan.members["max_updated_at"]), of: page) == #""17""#)
        #expect(self.text(try #require(scan.members["more"]), of: page) == "false")
        #expect(try #require(scan.members["items"]).lowerBound == 10)
    }

    @Test func `the row scanner finds the members of an object in the last field`() throws {
        let page = #"""
            {"results":[{"id":"x","item":{"pk":"a","data":{"pk":1}}},{"item":null},{"item":{"pk":2},"item":{"data":3}},
            {"item":{"pk":4},"item":null}]}
            """#
        let rows = try #require(
            try JSONRowScanner.scan(
                Array(page.utf8), arrays: ["results"], fields: ["id", "item"], inner: ["pk", "data"]
            ).rows(in: "results"))
        #expect(rows.map { self.text($0[2], of: page) } == [#""a""#, "", "", ""])
        #expect(rows.map { self.text($0[3], of: page) } == [#"{"pk":1}"#, "", "3", ""])
        #expect(self.text(rows[0][1], of: page) == #"{"pk":"a","data":{"pk":1}}"#)
    }

    @Test func `the row scanner distinguishes an empty array, a missing one and another type`() throws {
        #expect(try self.scan(#"{"items":[]}"#).rows(in: "items")?.isEmpty == true)
        #expect(try self.scan(#"{}"#).rows(in: "items") == nil)
        #expect(try self.scan(#"{"items":{"a":[{"pk":1}]}}"#).rows(in: "items") == nil)
        #expect(try self.scan(#"{"items":null}"#).rows(in: "items") == nil)
        #expect(try self.scan(#"{"other":[{"pk":1}]}"#).rows(in: "other") == nil)
    }

    @Test func `the row scanner flags a row that is not an object and keeps its place`() throws {
        let page = #"{"items":[null,{"pk":1},[{"pk":2}],"x",3,{"pk":4}]}"#
        let rows = try #require(try self.scan(page).rows(in: "items"))
        #expect(rows.map(\.isObject) == [false, true, false, false, false, true])
        #expect(rows.map { self.text($0[0], of: page) } == ["", "1", "", "", "", "4"])
        #expect(
            rows.map { self.text($0.whole, of: page) } == [
                "null", #"{"pk":1}"#, #"[{"pk":2}]"#, #""x""#, "3", #"{"pk":4}"#,
            ])
    }

    @Test func `the row scanner uses the last value of a repeated key, on the page and in a row`() throws {
        let page = #"{"items":[{"pk":1}],"n":1,"items":[{"pk":2,"pk":"3"}],"n":[2]}"#
        let scan = try self.scan(page)
        #expect(scan.rows(in: "items")?.map { self.text($0[0], of: page) } == [#""3""#])
        #expect(self.text(try #require(scan.members["n"]), of: page) == "[2]")
        #expect(try self.scan(#"{"items":[{"pk":1}],"items":{}}"#).rows(in: "items") == nil)
    }

    @Test func `the row scanner separates the rows of several arrays`() throws {
        let page = #"{"results":[{"pk":"r"}],"items":[{"pk":"i"},{"pk":"j"}]}"#
        let scan = try self.scan(page)
        #expect(scan.rows(in: "results")?.map { self.text($0[0], of: page) } == [#""r""#])
        #expect(scan.rows(in: "items")?.map { self.text($0[0], of: page) } == [#""i""#, #""j""#])
    }

    @Test func `the row scanner decodes escaped keys and compares them by code point`() throws {
        let page = #"{"\u0069tems":[{"\u0070k":1,"pk ":2}]}"#
        #expect(try self.scan(page).rows(in: "items")?.map { self.text($0[0], of: page) } == ["1"])
        let rows = try JSONRowScanner.scan(
            Array("{\"é\":[],\"i\":[{\"é\":1,\"e\u{301}\":2}]}".utf8), arrays: ["e\u{301}", "i"], fields: ["é"])
        #expect(rows.rows(in: "e\u{301}") == nil)
        #expect(rows.rows(in: "i")?.first?[0].count == 1)
        #expect(rows.members["e\u{301}"] == nil)
        #expect(rows.members["é"] != nil)
    }

    @Test(arguments: ["[]", "1", #""x""#, "null", " [1]"])
    func `the row scanner refuses a page that is not an object`(_ page: String) throws {
        let error = #expect(throws: JSONError.self) { try self.scan(page) }
        #expect(error?.code == .shape)
    }

    @Test(arguments: StrictCases.rejected)
    func `the row scanner refuses in a row each text that the parser refuses`(_ entry: StrictCases.Entry) throws {
        let page = Array(#"{"items":[{"pk":1,"data":"#.utf8) + entry.bytes + Array("}]}".utf8)
        #expect(throws: JSONError.self) {
            try JSONRowScanner.scan(page, arrays: ["items"], fields: Self.fields)
        }
        #expect(throws: JSONError.self) { try JSON(parsing: page) }
    }

    @Test func `the row scanner stops at the nesting limit, as the parser does`() throws {
        let limits = JSON.Limits(nestingDepth: 5)
        #expect(throws: Never.self) { try self.scan(#"{"items":[{"data":[[]]}]}"#, limits: limits) }
        let error = #expect(throws: JSONError.self) { try self.scan(#"{"items":[{"data":[[[]]]}]}"#, limits: limits) }
        #expect(error?.code == .nesting)
        #expect(error?.byteOffset == 20)
    }

    @Test func `the row scanner finds the same rows as yajl, on valid and invalid pages`() {
        forAll(cases: 3_000) { random in
            let rows = (0..<Int.random(in: 0...4, using: &random.random)).map { _ in random.value() }
            var bytes = JSON.object(["more": random.value(), "items": .array(rows), "a": random.value()]).prettyText
                .utf8.map { $0 }
            for _ in 0..<Int.random(in: 0...2, using: &random.random) where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &random.random)] = UInt8.random(
                    in: .min ... .max, using: &random.random)
            }
            return JSON.array(bytes.map { JSON(Int($0)) })
        } holds: { page in
            let bytes = (page.array ?? []).compactMap { $0.int.map { UInt8(truncatingIfNeeded: $0) } }
            let found = YajlRows.scan(bytes, arrays: ["items", "a"], fields: ["a", "é", ""])
            let ours = try? JSONRowScanner.scan(bytes, arrays: ["items", "a"], fields: ["a", "é", ""])
            guard (found == nil) == ((try? JSON(parsing: bytes))?.object == nil) else { return "the parser differs" }
            return found.map(ranges) == ours.map(ranges) ? nil : "the scanner differs"
        }
    }

    @Test func `the row scanner finds the same rows as the parser on any page`() {
        forAll(cases: 1_000) { random in
            let rows = (0..<Int.random(in: 0...4, using: &random.random)).map { _ in random.value() }
            return JSON.object(["more": random.value(), "items": .array(rows), "é": random.value()])
        } holds: { page in
            try agrees(page.bytes, page) ?? agrees(Array(page.prettyText.utf8), page)
        }
    }
}

/// All ranges of a scan, by name.
private func ranges(_ scan: JSONRowScan) -> [CodePointString: [Range<Int>]] {
    var ranges = scan.members.mapValues { [$0] }
    for name in ["items", "a"] {
        guard let rows = scan.rows(in: name) else { continue }
        ranges[CodePointString("rows of \(name)")] = rows.flatMap { row in
            [row.whole] + (0..<3).map { row[$0] } + (row.isObject ? [0..<0] : [])
        }
    }
    return ranges
}

/// Returns the difference between a scan of the text and its parsed tree, or nil.
private func agrees(_ bytes: [UInt8], _ page: JSON) throws -> String? {
    guard let object = page.object else { return nil }
    let fields = ["a", "é", ""]
    let scan = try JSONRowScanner.scan(bytes, arrays: ["items"], fields: fields)
    for (key, value) in object {
        guard let range = scan.members[CodePointString(key)], try JSON(parsing: bytes[range]) == value else {
            return "member \(key)"
        }
    }
    guard scan.members.count == object.count else { return "number of members" }
    guard let rows = scan.rows(in: "items") else { return object["items"]?.array == nil ? nil : "no rows" }
    guard let expected = object["items"]?.array, rows.count == expected.count else { return "number of rows" }
    for (row, value) in zip(rows, expected) {
        guard try JSON(parsing: bytes[row.whole]) == value else { return "whole row" }
        guard row.isObject == (value.object != nil) else { return "kind of row" }
        for (place, field) in fields.enumerated() {
            let found = row[place].isEmpty ? nil : try JSON(parsing: bytes[row[place]])
            guard found == value[field] else { return "field \(field)" }
        }
    }
    return nil
}
