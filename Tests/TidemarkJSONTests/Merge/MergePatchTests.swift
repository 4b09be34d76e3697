import Testing

@testable import TidemarkJSON

@Suite("JSON Merge Patch, RFC 7396")
struct MergePatchTests {
    /// The table of appendix A: original, patch, result.
    static let table: [(JSON, JSON, JSON)] = [
        (["a": "b"], ["a": "c"], ["a": "c"]),
        (["a": "b"], ["b": "c"], ["a": "b", "b": "c"]),
        (["a": "b"], ["a": .null], [:]),
        (["a": "b", "b": "c"], ["a": .null], ["b": "c"]),
        (["a": ["b"]], ["a": "c"], ["a": "c"]),
        (["a": "c"], ["a": ["b"]], ["a": ["b"]]),
        (["a": ["b": "c"]], ["a": ["b": "d", "c": .null]], ["a": ["b": "d"]]),
        (["a": [["b": "c"]]], ["a": [1]], ["a": [1]]),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        (["a": "b"], ["c"], ["c"]),
        (["a": "foo"], .null, .null),
        (["a": "foo"], "bar", "bar"),
        (["e": .null], ["a": 1], ["e": .null, "a": 1]),
        ([1, 2], ["a": "b", "c": .null], ["a": "b"]),
        ([:], ["a": ["bb": ["ccc": .null]]], ["a": ["bb": [:]]]),
    ]

    @Test(arguments: MergePatchTests.table)
    func `appendix A gives its results`(example: (original: JSON, patch: JSON, result: JSON)) {
        let result = JSONMergePatch(example.patch).apply(to: example.original)
        #expect(result == example.result)
        #expect(result.text == example.result.text)
    }

    @Test func `the example of section 3 gives its result`() {
        let original: JSON = [
            "title": "Goodbye!", "author": ["givenName": "John", "familyName": "Doe"], "tags": ["example", "sample"],
            "content": "This will be unchanged",
        ]
        let patch: JSON = [
            "title": "Hello!", "phoneNumber": "+01-123-456-7890", "author": ["familyName": .null], "tags": ["example"],
        ]
        #expect(
            JSONMergePatch(patch).apply(to: original).text
                == #"{"title":"Hello!","author":{"givenName":"John"},"tags":["example"],"#
                + #""content":"This will be unchanged","phoneNumber":"+01-123-456-7890"}"#)
    }

    @Test func `a merge patch creates a record that does not exist`() {
        #expect(JSONMergePatch(["a": 1, "b": .null]).apply(to: nil) == ["a": 1])
    }

    @Test func `a difference removes a member by null`() {
        let patch = JSONMergePatch.diff(from: ["a": 1, "o": ["x": 1, "y": 1]], to: ["o": ["x": 2]])
        #expect(patch?.json == ["a": .null, "o": ["x": 2, "y": .null]])
        #expect(JSONMergePatch.diff(from: ["a": 1], to: ["a": 1])?.json == [:])
    }

    @Test func `a change that a merge patch can't express has no difference`() {
        #expect(JSONMergePatch.diff(from: ["a": 1], to: ["a": .null]) == nil)
        #expect(JSONMergePatch.diff(from: [:], to: ["a": ["b": .null]]) == nil)
        #expect(JSONMergePatch.diff(from: [:], to: nil) == nil)
        #expect(JSONMergePatch.diff(from: ["a": .null], to: ["a": .null, "b": 1])?.json == ["b": 1])
        #expect(JSONMergePatch.diff(from: [:], to: ["a": [.null]])?.json == ["a": [.null]])
    }

    @Test(arguments: seeds)
    func `a merge patch turns the first document into the second`(seed: UInt64) {
        law(seed: seed, Revision.random) { revision in
            guard let patch = JSONMergePatch.diff(from: revision.before, to: revision.after) else { return true }
            return patch.apply(to: revision.before) == revision.after
        }
    }
}
