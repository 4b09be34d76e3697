import Testing

@testable import TidemarkJSON

@Suite("JSON Pointer, RFC 6901")
struct JSONPointerTests {
    /// The document of section 5.
    static let document: JSON = [
        "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8,
    ]

    static let examples: [(String, JSON)] = [
        ("", JSONPointerTests.document), ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1),
        ("/c%d", 2), ("/e^f", 3), ("/g|h", 4), ("/i\\j", 5), ("/k\"l", 6), ("/ ", 7), ("/m~0n", 8),
    ]

    @Test(arguments: JSONPointerTests.examples)
    func `the examples of section 5 point to their values`(text: String, value: JSON) throws {
        let pointer = try JSONPointer(parsing: text)
        #expect(JSONPointerTests.document[pointer: pointer] == value)
        #expect(pointer.description == text)
    }

    @Test(arguments: [
        ("/foo/01", "a leading zero"), ("/foo/00", "two zeros"), ("/foo/+1", "a sign"), ("/foo/-1", "a minus"),
        ("/foo/-", "the place after the end"), ("/foo/2", "beyond the end"), ("/foo/", "an empty index"),
        ("/foo/1.0", "a fraction"), ("/foo/1e0", "an exponent"), ("/foo/ 1", "a space"),
        ("/foo/\u{661}", "an Arabic digit"),
        ("/foo/18446744073709551617", "more than a machine word"), ("/foo/0/x", "a member of a string"),
        ("/bar", "a member that is not there"), ("/foo/bar", "a name in an array"),
    ])
    func `a token that is not an index or a member points to nothing`(text: String, reason: String) throws {
        #expect(JSONPointerTests.document[pointer: try JSONPointer(parsing: text)] == nil, "\(reason)")
    }

    @Test(arguments: [
        ("foo", "does not begin with “/”"), ("#/foo", "does not begin with “/”"), ("/~", "the “~” at byte 2"),
        ("/a~2b", "the “~” at byte 3"), ("/~~0", "the “~” at byte 2"), ("/a/~", "the “~” at byte 4"),
    ])
    func `a text that is not a pointer is refused with the place`(text: String, reason: String) throws {
        let error = try #require(throws: JSONError.self) { try JSONPointer(parsing: text) }
        #expect(error.code == .pointer)
        #expect(error.message.contains(reason))
    }

    @Test func `escapes are read from left to right, so ~01 is ~1`() throws {
        #expect(try JSONPointer(parsing: "/~01").tokens == ["~1"])
        #expect(try JSONPointer(parsing: "/~10").tokens == ["/0"])
        #expect(JSONPointer.root.appending("~1").text == "/~01")
        #expect(JSONPointer.root.appending("/").appending("~").text == "/~1/~0")
    }

    @Test func `a pointer to null finds the value null`() throws {
        let document: JSON = ["a": .null]
        #expect(document[pointer: try JSONPointer(parsing: "/a")] == JSON.null)
        #expect(document[pointer: try JSONPointer(parsing: "/b")] == nil)
    }

    @Test func `pointers are compared by code point`() {
        let composed = JSONPointer.root.appending("é")
        let decomposed = JSONPointer.root.appending("e\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(composed == JSONPointer(tokens: ["é"]))
    }

    @Test func `pointers sort by the bytes of their text`() {
        let texts = ["/a/b", "/b", "", "/a-b", "/a", "/é", "/e\u{301}", "/a~1b", "/\u{10000}", "/\u{FFFF}"]
        let pointers = texts.compactMap { try? JSONPointer(parsing: $0) }.sorted()
        #expect(
            pointers.map(\.text).map { CodePointString($0) }
                == ["", "/a", "/a-b", "/a/b", "/a~1b", "/b", "/e\u{301}", "/é", "/\u{FFFF}", "/\u{10000}"])
    }

    @Test(arguments: [
        ("", "/a", true), ("/a", "/a", true), ("/a", "/a/b", true), ("/a", "/ab", false), ("/a", "/a~1b", false),
        ("/a/b", "/a", false), ("", "", true), ("/", "//", true), ("/a", "/b/a", false),
    ])
    func `a prefix is the same place or an ancestor`(above: String, below: String, isPrefix: Bool) throws {
        #expect(try JSONPointer(parsing: above).isPrefix(of: JSONPointer(parsing: below)) == isPrefix)
    }

    @Test func `a pointer is split into tokens and built from them`() throws {
        let pointer = try JSONPointer(parsing: "/a~1b/0")
        #expect(pointer.lastToken == "0")
        #expect(pointer.parent == JSONPointer(tokens: ["a/b"]))
        #expect(pointer.parent?.parent == .root)
        #expect(JSONPointer.root.parent == nil)
        #expect(JSONPointer.root.isRoot)
        #expect(try JSONPointer(parsing: "/a~1b").appending(JSONPointer(parsing: "/0")) == pointer)
    }
}
