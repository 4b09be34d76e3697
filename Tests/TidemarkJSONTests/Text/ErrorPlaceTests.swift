import Testing
import TidemarkJSON

@Suite struct `An error names the place and the remedy` {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let code: JSONError.Code
        let offset: Int
        let line: Int
        let column: Int
        let words: String

        init(_ text: String, _ code: JSONError.Code, at offset: Int, _ line: Int, _ column: Int, _ words: String) {
            self.text = text
            self.code = code
            self.offset = offset
            self.line = line
            self.column = column
            self.words = words
        }

        var testDescription: String { self.text.debugDescription }
    }

    static let cases: [Case] = [
        Case("", .syntax, at: 0, 1, 1, "empty"),
        Case(" \n ", .syntax, at: 3, 2, 2, "empty"),
        Case("{\n  \"a\": 1,\n}", .syntax, at: 12, 3, 1, "remove the comma"),
        Case("[1,]", .syntax, at: 3, 1, 4, "remove the comma"),
        Case("[1 2]", .syntax, at: 3, 1, 4, "comma"),
        Case(#"{"a" 1}"#, .syntax, at: 5, 1, 6, "colon"),
        Case("{a:1}", .syntax, at: 1, 1, 2, "double quotes"),
        Case("{'a':1}", .syntax, at: 1, 1, 2, "double quotes"),
        Case(#"{"a":1]"#, .syntax, at: 6, 1, 7, "close it with }"),
        Case(#"[1}"#, .syntax, at: 2, 1, 3, "close it with ]"),
        Case("[1", .syntax, at: 2, 1, 3, "starts at line 1, column 1"),
        Case("[\n\"ab", .syntax, at: 5, 2, 4, "starts at line 2, column 1"),
        Case("[\"a\nb\"]", .syntax, at: 3, 1, 4, "a line feed"),
        Case("[\"a\tb\"]", .syntax, at: 3, 1, 4, "a tab"),
        Case("[\"é\tb\"]", .syntax, at: 4, 1, 5, "a tab"),
        Case("[\u{0C}]", .syntax, at: 1, 1, 2, "U+000C"),
        Case("[1,\u{0B}2", .syntax, at: 3, 1, 4, "U+000B"),
        Case(#"["\x"]"#, .syntax, at: 3, 1, 4, "not a JSON escape"),
        Case(#"["\u12g4"]"#, .syntax, at: 6, 1, 7, "four digits"),
        Case(#"["a\uD800b"]"#, .surrogate, at: 3, 1, 4, "surrogate"),
        Case(#"["a\uDC00"]"#, .surrogate, at: 3, 1, 4, "surrogate"),
        Case(#"{"\ud83d\u0041":1}"#, .surrogate, at: 2, 1, 3, "surrogate"),
        Case("[01]", .number, at: 2, 1, 3, "leading zero"),
        Case("[-]", .number, at: 2, 1, 3, "minus"),
        Case("[1.]", .number, at: 3, 1, 4, "decimal point"),
        Case("[1e+]", .number, at: 4, 1, 5, "exponent"),
        Case("[+1]", .syntax, at: 1, 1, 2, "starts with a digit"),
        Case("[NaN]", .syntax, at: 1, 1, 2, "NaN"),
        Case("[tru]", .syntax, at: 4, 1, 5, "true"),
        Case("[1] x", .trailing, at: 4, 1, 5, "one value"),
        Case("1 2", .trailing, at: 2, 1, 3, "one value"),
        Case("{}\n\n{}", .trailing, at: 4, 3, 1, "one value"),
        Case("[1, // no\n2]", .syntax, at: 4, 1, 5, "comments"),
        Case("\u{FEFF}[]", .encoding, at: 0, 1, 1, "byte order mark"),
    ]

    @Test(arguments: Self.cases)
    func `the error is at the first byte that can't continue a correct text`(_ expected: Case) throws {
        let error = try #require(throws: JSONError.self) { try JSON(parsing: expected.text) }
        #expect(error.code == expected.code)
        #expect(error.byteOffset == expected.offset)
        #expect(error.line == expected.line)
        #expect(error.column == expected.column)
        #expect(error.message.contains(expected.words), "\(error.message)")
    }

    @Test func `the error of bytes that are not UTF-8 names the byte`() throws {
        let error = try #require(throws: JSONError.self) {
            try JSON(parsing: Array("[\"é\",\n\"".utf8) + [0xE9, 0x22, 0x5D])
        }
        #expect(error.code == .encoding)
        #expect(error.description.hasPrefix("line 2, column 2: this byte (0xE9) is not valid UTF-8"))
    }

    @Test func `the error of a UTF-16 text names UTF-16`() throws {
        let error = try #require(throws: JSONError.self) { try JSON(parsing: [0xFF, 0xFE, 0x5B, 0, 0x5D, 0]) }
        #expect(error.code == .encoding)
        #expect(error.message.contains("UTF-16"))
    }

    @Test func `the error of a slice counts from the start of the slice`() throws {
        let bytes = Array("xxxx[1,]yyy".utf8)
        let error = try #require(throws: JSONError.self) { try JSON(parsing: bytes[4..<8]) }
        #expect(error.byteOffset == 3)
        #expect(try JSON(parsing: bytes[5..<6]) == 1)
    }

    @Test func `the error of too deep nesting is at the first bracket over the limit`() throws {
        let limits = JSON.Limits(nestingDepth: 3)
        #expect(try JSON(parsing: #"[{"a":[1]}]"#, limits: limits).bytes.count == 11)
        let error = try #require(throws: JSONError.self) { try JSON(parsing: "[{\"a\":\n[ {}]}]", limits: limits) }
        #expect(error.code == .nesting)
        #expect(error.description.hasPrefix("line 2, column 3: arrays and objects are nested more than 3 deep"))
    }

    @Test func `the default nesting limit is 512 levels`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try JSON(parsing: nested(512)).text == nested(512))
        let error = try #require(throws: JSONError.self) { try JSON(parsing: nested(513)) }
        #expect(error.code == .nesting)
        #expect(error.byteOffset == 512)
    }

    @Test func `a text over the size limit is refused`() throws {
        let limits = JSON.Limits(bytes: 4)
        #expect(try JSON(parsing: "[12]", limits: limits)[0] == 12)
        let error = try #require(throws: JSONError.self) { try JSON(parsing: "[123]", limits: limits) }
        #expect(error.code == .tooLarge)
        #expect(throws: JSONError.self) { try JSON(parsing: "12345", limits: limits) }
    }

    @Test func `a repeated key is a warning with its place, and the last value is kept`() throws {
        let (value, warnings) = try JSON.parse(Array("{\"x\":[0,{\"a/b\":1,\n\"c\":2,\"a\\/b\":3}]}".utf8))
        #expect(value == ["x": [0, ["c": 2, "a/b": 3]]])
        let warning = try #require(warnings.first)
        #expect(warnings.count == 1)
        #expect(warning.pointer == "/x/1/a~1b")
        #expect((warning.line, warning.column) == (2, 7))
        #expect(warning.byteOffset == 24)
    }
}
