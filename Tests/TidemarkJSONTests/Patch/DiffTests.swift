import Testing

@testable import TidemarkJSON

@Suite("Contract §4 the canonical form")
struct DiffTests {
    private func diff(_ from: JSON?, _ to: JSON?) -> String { JSONPatch.diff(from: from, to: to).text }

    @Test func `objects are compared key by key and sorted by pointer`() {
        #expect(
            self.diff(["b": ["x": 1, "y": 2], "a": 1, "d": 0], ["c": 3, "b": ["x": 1, "y": 5], "a": 1])
                == #"[{"op":"replace","path":"/b/y","value":5},{"op":"add","path":"/c","value":3},"#
                + #"{"op":"remove","path":"/d"}]"#)
    }

    @Test func `operations are sorted by the bytes of the whole pointer`() {
        #expect(
            JSONPatch.diff(from: ["a": [:]], to: ["a": ["x": 1], "a-b": 1]).operations.map(\.path.text)
                == ["/a-b", "/a/x"])
    }

    @Test func `an array is one value`() {
        #expect(
            self.diff(["list": [1, ["a": 1]]], ["list": [1, ["a": 2]]])
                == #"[{"op":"replace","path":"/list","value":[1,{"a":2}]}]"#)
    }

    @Test func `another spelling or another order is not a change`() {
        #expect(
            self.diff(["a": 1, "b": ["n": JSON.spelled("1.0")]], ["b": ["n": 1], "a": JSON.spelled("10e-1")]) == "[]")
        #expect(self.diff([["a": 1, "b": 2]], [["b": 2, "a": JSON.spelled("1.00")]]) == "[]")
    }

    @Test func `canonically equivalent keys are two keys in a difference`() {
        #expect(JSONPatch.diff(from: ["é": 1], to: ["e\u{301}": 1]).operations.count == 2)
    }

    @Test func `a scalar and an object replace one another as a whole`() {
        #expect(self.diff(["a": ["x": 1]], ["a": 1]) == #"[{"op":"replace","path":"/a","value":1}]"#)
        #expect(self.diff(["a": []], ["a": [:]]) == #"[{"op":"replace","path":"/a","value":{}}]"#)
    }

    @Test func `a create is one add at the root, and a delete is one remove`() {
        #expect(self.diff(nil, ["a": 1]) == #"[{"op":"add","path":"","value":{"a":1}}]"#)
        #expect(self.diff(["a": 1], nil) == #"[{"op":"remove","path":""}]"#)
        #expect(self.diff(nil, nil) == "[]")
        #expect(self.diff([:], ["a": 1]) == #"[{"op":"add","path":"/a","value":1}]"#)
    }

    @Test func `null-is-a-value: set to null, remove and absent are three different things`() {
        #expect(self.diff(["a": 1], ["a": .null]) == #"[{"op":"replace","path":"/a","value":null}]"#)
        #expect(self.diff(["a": 1], [:]) == #"[{"op":"remove","path":"/a"}]"#)
        #expect(self.diff([:], ["a": .null]) == #"[{"op":"add","path":"/a","value":null}]"#)
        #expect(self.diff(["a": .null], ["a": .null]) == "[]")
        #expect(self.diff(.null, nil) == #"[{"op":"remove","path":""}]"#)
    }

    @Test func `a key that needs escapes is escaped in the path`() {
        #expect(self.diff([:], ["a/b~": 1]) == #"[{"op":"add","path":"/a~1b~0","value":1}]"#)
    }

    @Test func `two-adds-one-path: composing keeps the last value`() throws {
        let path = JSONPointer(tokens: ["telecom"])
        let first = JSONPatch([.add(path, ["home"])])
        let second = JSONPatch([.add(path, ["work"])])
        #expect(try first.compose(second, over: ["id": 1]) == JSONPatch([.add(path, ["work"])]))
        #expect(try JSONPatch([.add(path, 1), .add(path, 2)]).canonical(over: [:]) == JSONPatch([.add(path, 2)]))
    }

    @Test func `insert-update-squash: a create and an update are one create`() throws {
        let create = JSONPatch([.add(.root, ["a": 1])])
        let update = JSONPatch([.replace(JSONPointer(tokens: ["a"]), 2), .add(JSONPointer(tokens: ["b"]), 3)])
        #expect(try create.compose(update, over: nil) == JSONPatch([.add(.root, ["a": 2, "b": 3])]))
    }

    @Test func `insert-delete-squash: a create and a delete are an empty patch`() throws {
        let create = JSONPatch([.add(.root, ["a": 1])])
        #expect(try create.compose(JSONPatch([.remove(.root)]), over: nil).isEmpty)
    }

    @Test func `a document holds a patch if it has every value that the patch writes (R18)`() throws {
        let patch = JSONPatch([
            .replace(JSONPointer(tokens: ["a"]), 2), .remove(JSONPointer(tokens: ["b"])),
            .add(JSONPointer(tokens: ["c", "d"]), .null),
        ])
        #expect(try patch.isHeld(by: ["a": JSON.spelled("2.0"), "c": ["d": .null], "other": 1]))
        #expect(try !patch.isHeld(by: ["a": 2, "c": [:]]))
        #expect(try !patch.isHeld(by: ["a": 2, "b": .null, "c": ["d": .null]]))
        #expect(try !patch.isHeld(by: nil))
        #expect(try JSONPatch([.remove(.root)]).isHeld(by: nil))
        #expect(throws: JSONError.self) {
            try JSONPatch([.copy(from: .root, to: .root)]).isHeld(by: [:])
        }
    }

    @Test func `the changed paths are those that the operations change`() {
        let (a, b) = (JSONPointer(tokens: ["a"]), JSONPointer(tokens: ["b"]))
        let patch = JSONPatch([.test(.root, 1), .move(from: a, to: b), .copy(from: b, to: a), .remove(b)])
        #expect(patch.changedPaths == [a, b, a, b])
    }
}
