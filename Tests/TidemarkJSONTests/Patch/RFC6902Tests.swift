import Testing

@testable import TidemarkJSON

/// One example of RFC 6902 appendix A.
struct PatchExample: Sendable, CustomTestStringConvertible {
    let section: String
    let document: JSON
    let patch: JSON
    let expected: JSON

    init(_ section: String, _ document: JSON, _ patch: JSON, _ expected: JSON) {
        self.section = section
        self.document = document
        self.patch = patch
        self.expected = expected
    }

    var testDescription: String { self.section }
}

@Suite("JSON Patch, RFC 6902 appendix A")
struct RFC6902Tests {
    static let examples: [PatchExample] = [
        PatchExample(
            "A.1 adding an object member", ["foo": "bar"], [["op": "add", "path": "/baz", "value": "qux"]],
            ["foo": "bar", "baz": "qux"]),
        PatchExample(
            "A.2 adding an array element", ["foo": ["bar", "baz"]], [["op": "add", "path": "/foo/1", "value": "qux"]],
            ["foo": ["bar", "qux", "baz"]]),
        PatchExample(
            "A.3 removing an object member", ["baz": "qux", "foo": "bar"], [["op": "remove", "path": "/baz"]],
            ["foo": "bar"]),
        PatchExample(
            "A.4 removing an array element", ["foo": ["bar", "qux", "baz"]], [["op": "remove", "path": "/foo/1"]],
            ["foo": ["bar", "baz"]]),
        PatchExample(
            "A.5 replacing a value", ["baz": "qux", "foo": "bar"], [["op": "replace", "path": "/baz", "value": "boo"]],
            ["baz": "boo", "foo": "bar"]),
        PatchExample(
            "A.6 moving a value", ["foo": ["bar": "baz", "waldo": "fred"], "qux": ["corge": "grault"]],
            [["op": "move", "from": "/foo/waldo", "path": "/qux/thud"]],
            ["foo": ["bar": "baz"], "qux": ["corge": "grault", "thud": "fred"]]),
        PatchExample(
            "A.7 moving an array element", ["foo": ["all", "grass", "cows", "eat"]],
            [["op": "move", "from": "/foo/1", "path": "/foo/3"]], ["foo": ["all", "cows", "eat", "grass"]]),
        PatchExample(
            "A.8 testing a value: success", ["baz": "qux", "foo": ["a", 2, "c"]],
            [["op": "test", "path": "/baz", "value": "qux"], ["op": "test", "path": "/foo/1", "value": 2]],
            ["baz": "qux", "foo": ["a", 2, "c"]]),
        PatchExample(
            "A.10 adding a nested member object", ["foo": "bar"],
            [["op": "add", "path": "/child", "value": ["grandchild": [:]]]],
            ["foo": "bar", "child": ["grandchild": [:]]]),
        PatchExample(
            "A.11 ignoring unrecognized elements", ["foo": "bar"],
            [["op": "add", "path": "/baz", "value": "qux", "xyz": 123]], ["foo": "bar", "baz": "qux"]),
        PatchExample(
            "A.14 escape ordering", ["/": 9, "~1": 10], [["op": "test", "path": "/~01", "value": 10]],
            ["/": 9, "~1": 10]),
        PatchExample(
            "A.16 adding an array value", ["foo": ["bar"]],
            [["op": "add", "path": "/foo/-", "value": ["abc", "def"]]], ["foo": ["bar", ["abc", "def"]]]),
    ]

    @Test(arguments: RFC6902Tests.examples)
    func `the example gives its result`(example: PatchExample) throws {
        let result = try JSONPatch(json: example.patch).apply(to: example.document)
        #expect(result == example.expected)
        #expect(result?.text == example.expected.text)
    }

    @Test func `A.9 a test that fails refuses the patch`() throws {
        let patch = try JSONPatch(json: [["op": "test", "path": "/baz", "value": "bar"]])
        let error = try #require(throws: JSONError.self) { try patch.apply(to: ["baz": "qux"]) }
        #expect(error.code == .testFailed)
        #expect(error.message.contains(#"the value there is "qux", not "bar""#))
    }

    @Test func `A.12 adding to a missing target is refused`() throws {
        let patch = try JSONPatch(json: [["op": "add", "path": "/baz/bat", "value": "qux"]])
        let error = try #require(throws: JSONError.self) { try patch.apply(to: ["foo": "bar"]) }
        #expect(error.code == .patch)
        #expect(error.pointer == "/baz/bat")
    }

    @Test func `A.15 a string is not equal to a number of the same text`() throws {
        let patch = try JSONPatch(json: [["op": "test", "path": "/~01", "value": "10"]])
        let error = try #require(throws: JSONError.self) { try patch.apply(to: ["/": 9, "~1": 10]) }
        #expect(error.code == .testFailed)
    }
}
