import Testing
import TidemarkJSON

@Suite struct `Strings keep their source and compare by code point (Contract §4)` {
    @Test(arguments: [
        #""caf\u00e9""#, #""\/""#, #""\u0041\ud834\udd1e""#, #""\n\u000A""#, "\"é\"", "\"e\u{301}\"",
        #""\uD834\uDD1E""#,
    ])
    func `the source survives an untouched round trip`(_ text: String) throws {
        #expect(try JSON(parsing: text).text == text)
        #expect(try JSON(parsing: "{\(text):[\(text)]}").text == "{\(text):[\(text)]}")
    }

    @Test func `escapes are decoded to their characters`() throws {
        let value = try JSON(parsing: #""\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud834\uDD1E\u0000x""#)
        #expect(value.string == "\"\\/\u{8}\u{C}\n\r\tAé€\u{1D11E}\u{0}x")
    }

    @Test func `a new string escapes only the characters that need it`() {
        #expect(
            JSON.string("\"\\/\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}é\u{2028}").text
                == "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7F}é\u{2028}\"")
        #expect(JSONString("caf\u{E9}").source == "caf\u{E9}")
    }

    @Test(arguments: [#"a"b"#, "a\nb", #"\x"#, #"\"#, #"\u12"#, #"\uD800"#, #"\uDC00"#, #"\uD800\uD800"#, #"\uD800x"#])
    func `a source text that is not a JSON string is refused`(_ source: String) {
        #expect(JSONString(source: source) == nil)
    }

    static let equal: [(String, String)] = [
        (#"\u0041"#, "A"), (#"\/"#, "/"), (#"caf\u00e9"#, "café"), (#"\ud834\udd1e"#, "\u{1D11E}"),
        (#"\n"#, #"\u000A"#), (#"\u00E9"#, #"\u00e9"#),
    ]

    @Test(arguments: Self.equal)
    func `spellings of the same code points are equal, and hash alike`(_ left: String, _ right: String) throws {
        let left = try #require(JSONString(source: left))
        let right = try #require(JSONString(source: right))
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(try JSON(parsing: "{\"\(left.source)\":1}") == JSON(parsing: "{\"\(right.source)\":1}"))
    }

    static let different: [(String, String)] = [
        ("é", "e\u{301}"), (#"\u00e9"#, #"e\u0301"#), ("é", #"e\u0301"#), ("a", "A"), ("", #"\u0000"#),
        ("Å", "\u{212B}"), ("ab", "abc"),
    ]

    @Test(arguments: Self.different)
    func `canonically equivalent strings are not the same`(_ left: String, _ right: String) throws {
        let left = try #require(JSONString(source: left))
        let right = try #require(JSONString(source: right))
        #expect(left != right)
        #expect(
            JSON.object(JSONObject([(left.value, JSON.null)])) != JSON.object(JSONObject([(right.value, JSON.null)])))
        #expect(CodePointString(left.value) != CodePointString(right.value))
    }

    @Test func `code points order as their UTF-8 bytes do`() {
        let sorted = ["", "A", "a", "e\u{301}", "z", "é", "\u{FFFF}", "\u{10000}"]
        #expect(sorted.reversed().map { CodePointString($0) }.sorted().map(\.value) == sorted)
    }

    @Test func `a string that is decoded and escaped again is equal`() {
        forAll(cases: 1_000) {
            JSON.string($0.string())
        } holds: { value in
            guard let string = value.string else { return nil }
            guard JSON.string(JSONString(string)) == value else { return "not equal" }
            guard
                try JSON(parsing: JSON.string(JSONString(string)).bytes).string?.unicodeScalars.elementsEqual(
                    string.unicodeScalars) == true
            else { return "other code points" }
            return nil
        }
    }
}
