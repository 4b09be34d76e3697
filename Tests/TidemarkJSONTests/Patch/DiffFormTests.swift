import Testing

@testable import TidemarkJSON

@Suite("A patch of a diff equals the patch of its operations")
struct DiffFormTests {
    @Test(arguments: seeds)
    func `a diff has the hash, the text and the paths of its operations`(seed: UInt64) {
        law(seed: seed, Revision.random) { revision in
            let patch = JSONPatch.diff(from: revision.before, to: revision.after)
            let same = JSONPatch(patch.operations)
            return patch == same && patch.hashValue == same.hashValue && patch.text == same.text
                && patch.changedPaths == same.changedPaths && patch.isEmpty == same.isEmpty
        }
    }

    @Test(arguments: seeds)
    func `a diff applies to another document as its operations do`(seed: UInt64) {
        law(seed: seed, Fork.random) { fork in
            let patch = JSONPatch.diff(from: fork.base, to: fork.client)
            let same = JSONPatch(patch.operations)
            return self.outcome(of: patch, over: fork.server) == self.outcome(of: same, over: fork.server)
        }
    }

    @Test(arguments: seeds, [1, 2, 3])
    func `a diff has the nesting depth of its operations`(seed: UInt64, depth: Int) {
        law(seed: seed, Revision.random) { revision in
            let patch = JSONPatch.diff(from: revision.before, to: revision.after)
            let same = JSONPatch(patch.operations)
            return self.outcome(of: patch, over: revision.before, depth: depth)
                == self.outcome(of: same, over: revision.before, depth: depth)
        }
    }

    @Test func `the operations of a diff can be changed`() {
        var patch = JSONPatch.diff(from: ["a": 1, "b": 1], to: ["a": 2, "b": 2])
        patch.operations.removeFirst()
        #expect(patch.text == #"[{"op":"replace","path":"/b","value":2}]"#)
        patch.operations = []
        #expect(patch.isEmpty)
    }

    @Test func `a diff of very large documents does not keep them`() throws {
        let long = String(repeating: "long ", count: 4_000)
        let patch = JSONPatch.diff(from: ["a": 1, "text": .init(long)], to: ["a": 2, "text": .init(long)])
        #expect(patch.text == #"[{"op":"replace","path":"/a","value":2}]"#)
        #expect(try patch.apply(to: ["a": 1]) == ["a": 2])
        if case .changes = patch.storage { Issue.record("it holds both documents") }
    }

    @Test(arguments: [2, 12, 13, 40], [#"\n"#, #"\u0041"#, ""])
    func `many names with escapes are sorted by their pointers`(
        count: Int, escape: String
    ) throws {
        let names = (0..<count).map { #""\#(escape)\#($0 * 7 % count)\#($0 % 3 == 0 ? "/" : "~")""# }
        let side = { (value: Int) in try JSON(parsing: "{\(names.map { "\($0):\(value)" }.joined(separator: ","))}") }
        let patch = JSONPatch.diff(from: try side(1), to: try side(2))
        #expect(patch.changedPaths == patch.changedPaths.sorted())
        let added = JSONPatch.diff(from: ["a": 1], to: try side(2))
        #expect(
            try added.apply(to: ["a": 1, "b": 3])?.text
                == JSONPatch(added.operations).apply(to: ["a": 1, "b": 3])?.text)
    }

    @Test func `the names of an object are sorted in their pointer spelling`() {
        let names = ["a", "a!", "a/", "a0", "a~", "a\u{0}", "", "é", "e\u{301}", "\u{1F600}", "\u{FFFF}"]
        for inner: JSON in [1, ["x": 1]] {
            let before: JSON = .object(JSONObject(names.map { ($0, $0 == "a" ? [:] : 0) }))
            let after: JSON = .object(JSONObject(names.map { ($0, $0 == "a" ? inner : 1) }))
            let paths = JSONPatch.diff(from: before, to: after).changedPaths
            #expect(paths.count == names.count)
            #expect(paths == paths.sorted())
        }
    }

    @Test(arguments: [
        (#"{"a":1,"b":2}"#, #"{"a":12,"b":2}"#, #"[{"op":"replace","path":"/a","value":12}]"#),
        (#"{"a":12,"b":2}"#, #"{"a":1,"b":2}"#, #"[{"op":"replace","path":"/a","value":1}]"#),
        (
            #"{"a":"x","b":2}"#, #"{"a":"x","bb":2}"#,
            #"[{"op":"remove","path":"/b"},{"op":"add","path":"/bb","value":2}]"#
        ),
        (#"{"a":{"b":1},"c":3}"#, #"{"a":{"b":1}}"#, #"[{"op":"remove","path":"/c"}]"#),
        (#"{"a":{"b":1}}"#, #"{"a":{"b":1},"c":3}"#, #"[{"op":"add","path":"/c","value":3}]"#),
        (#"{"a":1,"c":[1]}"#, #"{"b":0,"a":1,"c":[1]}"#, #"[{"op":"add","path":"/b","value":0}]"#),
        (#"{"a":1 ,"b":2}"#, #"{"a":1,"b": 2}"#, "[]"), (#"{"a":1,"b":"x"}"#, #"{"a":1,"b": "x"}"#, "[]"),
        (#"{"a":{"b":"\u0041"}}"#, #"{"a":{"b":"A"}}"#, "[]"),
    ])
    func `documents that begin with the same text have the right difference`(
        before: String, after: String, patch: String
    ) throws {
        #expect(JSONPatch.diff(from: try JSON(parsing: before), to: try JSON(parsing: after)).text == patch)
    }

    /// The text of the patched document, or the error.
    private func outcome(of patch: JSONPatch, over document: JSON?, depth: Int = 512) -> String? {
        do throws(JSONError) {
            return try patch.apply(to: document, limits: JSON.Limits(nestingDepth: depth))?.text
        } catch {
            return error.description
        }
    }
}
