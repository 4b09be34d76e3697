import Testing

/// Texts that every strict parser accepts or refuses, in the categories of JSONTestSuite (Seriot, "Parsing JSON is a
/// Minefield"): `y_` is accepted, `n_` is refused.
enum StrictCases {
    /// A text with a name.
    struct Entry: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]

        init(_ name: String, _ text: String) {
            self.name = name
            self.bytes = Array(text.utf8)
        }

        init(_ name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }

        var testDescription: String { self.name }
    }

    /// A text with bytes that no Swift literal can hold: inside `["…"]`.
    private static func inString(_ name: String, _ bytes: UInt8...) -> Entry {
        Entry(name, bytes: Array(#"[""#.utf8) + bytes + Array(#""]"#.utf8))
    }

    static let accepted: [Entry] =
        [
            Entry("array: spaces around", "[[] ]"), Entry("array: empty string in it", #"[""]"#),
            Entry("array: empty", "[]"),
            Entry("array: ending with newline", "[\"a\"]\n"), Entry("array: false", "[false]"),
            Entry("array: heterogeneous", #"[null, 1, "1", {}]"#), Entry("array: null", "[null]"),
            Entry("array: with 1 and newline", "[1\n]"), Entry("array: leading space", " [1]"),
            Entry("array: several null", "[1,null,null,null,2]"), Entry("array: trailing space", "[2] "),
            Entry("object: basic", #"{"asd":"sdf"}"#), Entry("object: duplicated key", #"{"a":"b","a":"c"}"#),
            Entry("object: duplicated key and value", #"{"a":"b","a":"b"}"#), Entry("object: empty", "{}"),
            Entry("object: empty key", #"{"":0}"#), Entry("object: escaped null in key", #"{"foo\u0000bar": 42}"#),
            Entry("object: extreme numbers", #"{ "min": -1.0e+28, "max": 1.0e+28 }"#),
            Entry("object: long strings", #"{"x":[{"id": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}]}"#),
            Entry("object: string unicode", #"{"title":"\u041f\u043e\u043b" }"#),
            Entry("object: newlines", "{\n\"a\": \"b\"\n}"),
            Entry("structure: lonely false", "false"), Entry("structure: lonely int", "42"),
            Entry("structure: lonely negative real", "-0.1"), Entry("structure: lonely null", "null"),
            Entry("structure: lonely string", #""asd""#), Entry("structure: lonely true", "true"),
            Entry("structure: string empty", #""""#), Entry("structure: trailing newline", "[\"a\"]\n"),
            Entry("structure: true in array", "[true]"), Entry("structure: whitespace array", " [] "),
            Entry("structure: tabs and carriage returns", "\t[\r\n1\r,\t2]\r\n"),
        ] + numbers + strings

    private static let numbers: [Entry] = [
        "123e65", "0e+1", "0e1", "1E22", "1E-2", "1E+2", "123e45", "123.456e78", "1e-2", "1e+2", "123", "123.456789",
        "-0", "-1",
        "-123", "-0.000000000000000000000000000000000000000000000000000000000000000000000000000001", " 4", "20e1", "0",
        "0.5",
        "1e400", "-1e400", "1e-999", "12345678901234567890", "-12345678901234567890123456789012345678901234567890",
        "0.0e0",
        "1e999999999999999999999", "123123e100000", "0.4e00669999999999999999999999999999999999999999969999999006",
        "1.5e+9999",
    ].map { Entry("number: \($0)", "[\($0)]") }

    private static let strings: [Entry] =
        [
            #"\u0060\u012a\u12AB"#, #"\uD801\udc37"#, #"\ud83d\ude39\ud83d\udc8d"#, #"\"\\\/\b\f\n\r\t"#, #"\\u0000"#,
            #"\""#,
            "a/*b*/c/*d//e", #"\\a"#, #"\\n"#, #"\u0012"#, #"\uFFFF"#, "asd", #"\uDBFF\uDFFF"#, #"new\u00A0line"#,
            "\u{10FFFF}",
            "\u{FFFF}", #"\u0000"#, #"\u002c"#, "π", "\u{1BFFF}", #"\u0123"#, "\u{2028}", "\u{2029}",
            #"\u0061\u30af\u30EA\u30b9"#,
            #"new\u000Aline"#, "\u{7F}", #"\uA66D"#, #"\u005C"#, "⍂㈴⍂", #"\u200B"#, #"\u2064"#, #"\uFDD0"#, #"\uFFFE"#,
            #"\u0022"#,
            "€𝄞", "a\u{7F}a", "", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FEFF}", "\u{10000}",
            #"\uDADA\uDFFF"#,
            #"\u00e9e\u0301"#, "ユニコード",
        ].map { Entry("string: \($0.debugDescription)", "[\"\($0)\"]") }

    static let rejected: [Entry] =
        [
            "1 true", "a", "", "1,", "1,,2", ",1", "1,,", "\"x\"", "\"x\"]", ",", "-", "[3", "   , \"\"", "*",
            "\"a\"\n,4\n,1,", "fals",
            "nul", "tru", "1 2", "1\n2", "\u{0C}", "1:2", "\"\": 1", "\"a\":\"b\"", "é", "\"asd\"x", "1]x", "1]]", "]",
            "{}}", "[", "{",
        ].map { $0 == "" ? Entry("array: two commas", "[,]") : Entry("array: \($0.debugDescription)", wrapped($0)) }
        + rejectedNumbers + rejectedObjects + rejectedStrings + rejectedStructures + rejectedEncodings

    /// Inside an array, except for those that would be correct there.
    private static func wrapped(_ text: String) -> String {
        ["\"x\"", "[3"].contains(text) ? "[\(text)" : "[\(text)]"
    }

    private static let rejectedNumbers: [Entry] = [
        "++1234", "+1", "+Inf", "-01", "-1.0.", "-2.", "-NaN", ".-1", ".2e-3", "0.1.2", "0.3e+", "0.3e", "0.e1", "0E",
        "0E+", "0e",
        "0e+", "1.0e+", "1.0e-", "1.0e", "1 000.0", "1eE2", "2.e+3", "2.e-3", "2.e3", "9.e+", "Inf", "NaN", "1+2",
        "0x1", "0x42",
        "Infinity", "0e+-1", "-123.123foo", "123\u{E5}", "1e1\u{E5}", "-Infinity", "-foo", "- 1", "-012", "-.123",
        "-1x", "1ea", "1e\u{E5}",
        "1.", ".123", "1.2a-3", "1.8011670033376514H-308", "012", "１", "1_000", "0.", "-", "--1", "01.5", "1.e1", "00",
        "-00", "1e+", "1E-",
        "1.-1", "0b1", "1f", "1d", "0.1e1.5",
    ].map { Entry("number: \($0)", "[\($0)]") }

    private static let rejectedObjects: [Entry] = [
        #"["x", truth]"#, "{[: \"x\"}\n", #"{"x", null}"#, #"{"x"::"b"}"#, "{🇨🇭}", #"{"a":"a" 123}"#, "{key: 'value'}",
        #"{"a" b}"#,
        #"{:"b"}"#, #"{"a" "b"}"#, #"{"a":"#, #"{"a""#, "{1:1}", "{9999E9999:1}", "{null:null,null:null}",
        #"{"id":0,,,,,}"#,
        #"{'a':0}"#, #"{"id":0,}"#, #"{"a":"b"}/**/"#, #"{"a":"b"}/**//"#, #"{"a":"b"}//"#, #"{"a":"b"}/"#,
        #"{"a":"b",,"c":"d"}"#,
        #"{a: "b"}"#, #"{"a":"a"#, #"{ "foo" : "bar", "a" }"#, #"{"a":"b"}#"#, #"{"a":1]"#, #"["a"}"#, #"{"a"}"#,
        #"{,}"#, #"{"a":}"#,
        #"{"a":1 "b":2}"#, #"{"a":,"b":1}"#, #"{{}:1}"#, #"{[]:1}"#, #"{true:1}"#, #"{"a":{"b":1}"#, #"{"a":1;"b":2}"#,
        #"{"a"=1}"#,
    ].map { Entry("object: \($0)", $0) }

    private static let rejectedStrings: [Entry] =
        [
            #"[" "#, #"["\uD800\"]"#, #"["\uD800\u"]"#, #"["\uD800\u1"]"#, #"["\uD800\u1x"]"#, "[é]", #"["\x00"]"#,
            #"["\\\"]"#,
            "[\"\\\t\"]", #"["\🌀"]"#, #"["\"]"#, #"["\u00A"]"#, #"["\uD834\uDd"]"#, #"["\uD800\uD800\x"]"#,
            "[\"\\\u{E5}\"]", #"["\a"]"#,
            #"["\uqqqq"]"#, "[\"\\u\u{E5}\"]", #"[\u0020"asd"]"#, #"[\n]"#, "\"", "['single quote']", "abc", #"["\"#,
            "[\"new\nline\"]", "[\"\t\"]", "[\"a\u{0}a\"]", "[\"\u{1F}\"]", "[\"\u{0C}\"]", "[\"\u{0B}\"]", "[\"\r\"]",
            #""\UA66D""#,
            #"""x"#, #"["\uD800"]"#, #"["\uDC00"]"#, #"["\uDFFFa"]"#, #"["\uD800abc"]"#, #"["\uD800\n"]"#,
            #"["\uD800\uD800"]"#,
            #"["\uD834\u0041"]"#, #"["\uDd1e\uD834"]"#, #"["\uD888\u1234"]"#, #"["1\uD800"]"#, #"["\u 123"]"#,
            #"["\u12"]"#,
            #"{"\uD800":1}"#, #"["\u-123"]"#, #"["\u+123"]"#, #"["\0"]"#, #"["\'"]"#, #"["\v"]"#, #"["abc"#,
            #"["\uD834\uDD1"#,
        ].map { Entry("string: \($0.debugDescription)", $0) }

    private static let rejectedStructures: [Entry] =
        [
            "<.>", "[<null>]", "[1]x", "[1]]", #"["asd]"#, "aå", "[True]", "1]", #"{"x": true,"#, "[][]", "]", "[", "",
            " ", "\n\t ",
            "{]", "[,", "[{", "[\"a", "[\"a\"", "{", "{,", "{[", "{\"a", "{'a'", #"["\{["\{["\{["\{"#, "*",
            #"{"a":"b"}#{}"#,
            "[\\u000A\"\"]", "[1", "[ false, nul", "[ true, fals", "[ false, tru", "2@", "{}}", #"{"":"#,
            #"{"a":/*comment*/"b"}"#,
            #"{"a": true} "x""#, "['", #"[",1]"#, "[\u{0C}]", "\u{0C}[]", "[]\u{0B}", "[\u{A0}]", "[\u{2060}]", "å",
            "1 2", "null null", "null\"", "{}\"a}", "[] \"]", "1 \"", "\"a\"\"", "[1] -", "1 [", "{} tru", "null,",
            "nullx", "truefalse", "TRUE", "Null", "undefined", "NaN", "-", "0x", "[\u{0}]", "\u{0}", "[]\u{0}",
            "\u{200B}[]", "\u{85}1",
            "// c\n1", "1 // c", "#!\n1", "{\"a\":1}{\"b\":2}", "1\u{FEFF}", "[1,\n]", "--", "+", ".", "\\", "'", "`x`",
            "(1)", ";",
        ].map { Entry("structure: \($0.debugDescription)", $0) }
        + [
            Entry("structure: 100000 open arrays", String(repeating: "[", count: 100_000)),
            Entry("structure: open array object", String(repeating: #"[{"":"#, count: 50_000)),
            Entry(
                "structure: 100000 nested arrays",
                String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)),
        ]

    private static let rejectedEncodings: [Entry] = [
        Entry("encoding: byte order mark", "\u{FEFF}{}"), Entry("encoding: byte order mark alone", "\u{FEFF}"),
        Entry("encoding: incomplete byte order mark", bytes: [0xEF, 0xBB, 0x7B, 0x7D]),
        Entry("encoding: UTF-16LE with mark", bytes: [0xFF, 0xFE, 0x5B, 0, 0x5D, 0]),
        Entry("encoding: UTF-16BE with mark", bytes: [0xFE, 0xFF, 0, 0x5B, 0, 0x5D]),
        Entry("encoding: UTF-16LE", bytes: [0x5B, 0, 0x5D, 0]), Entry("encoding: UTF-16BE", bytes: [0, 0x5B, 0, 0x5D]),
        Entry("encoding: lone start of 2 outside a string", bytes: [0x5B, 0xE5, 0x5D]),
        Entry("encoding: lone FF", bytes: [0xFF]),
        Entry("encoding: number and bad byte", bytes: [0x5B, 0x31, 0xE5, 0x5D]),
        Entry("encoding: 1e1 and bad byte", bytes: Array("[1e1".utf8) + [0xE5, 0x5D]),
        Entry("encoding: escape and bad byte", bytes: Array(#"["\"#.utf8) + [0xE5] + Array(#""]"#.utf8)),
        Entry("encoding: \\u and bad byte", bytes: Array(#"["\u"#.utf8) + [0xE5] + Array(#""]"#.utf8)),
        Entry("encoding: bad byte in an object", bytes: Array(#"{"a":""#.utf8) + [0xB9] + Array(#""}"#.utf8)),
        inString("encoding: lone continuation", 0x81), inString("encoding: Latin-1 é", 0xE9),
        inString("encoding: FF", 0xFF),
        inString("encoding: overlong slash, 2 bytes", 0xC0, 0xAF), inString("encoding: overlong, C1", 0xC1, 0xBF),
        inString("encoding: overlong slash, 3 bytes", 0xE0, 0x80, 0xAF),
        inString("encoding: overlong, E0 9F", 0xE0, 0x9F, 0xBF),
        inString("encoding: overlong slash, 4 bytes", 0xF0, 0x80, 0x80, 0xAF),
        inString("encoding: overlong, F0 8F", 0xF0, 0x8F, 0xBF, 0xBF),
        inString("encoding: overlong, 6 bytes", 0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF),
        inString("encoding: overlong NUL", 0xC0, 0x80),
        inString("encoding: surrogate U+D800", 0xED, 0xA0, 0x80),
        inString("encoding: surrogate U+DFFF", 0xED, 0xBF, 0xBF),
        inString("encoding: CESU-8 pair", 0xED, 0xA0, 0xB4, 0xED, 0xB4, 0x9E),
        inString("encoding: beyond U+10FFFF", 0xF4, 0x90, 0x80, 0x80),
        inString("encoding: F5", 0xF5, 0x80, 0x80, 0x80),
        inString("encoding: F8, 5 bytes", 0xF8, 0x88, 0x80, 0x80, 0x80),
        inString("encoding: truncated 2", 0xC3), inString("encoding: truncated 3", 0xE2, 0x82),
        inString("encoding: truncated 4", 0xF0, 0x9F, 0x92),
        inString("encoding: 2 with a letter", 0xC3, 0x41), inString("encoding: 3 with a letter", 0xE2, 0x41, 0x82),
        inString("encoding: 4 with a letter", 0xF0, 0x9F, 0x41, 0x80),
        inString("encoding: 4 with a late letter", 0xF0, 0x9F, 0x92, 0x41),
        Entry("encoding: cut off at the end", bytes: Array(#"""#.utf8) + [0xF0, 0x9F]),
        Entry(
            "encoding: bad after long ASCII",
            bytes: Array(("\"" + String(repeating: "a", count: 77)).utf8) + [0x80, 0x22]),
    ]
}
