import Testing

@testable import TidemarkJSON

@Suite("Contract §4 three-way merge")
struct MergeScenarioTests {
    private func clash(
        _ path: String, base: JSON?, server: JSON?, client: JSON?, winner: JSONMerge.Clash.Winner = .client
    ) throws -> JSONMerge.Clash {
        JSONMerge.Clash(
            path: try JSONPointer(parsing: path), base: base, server: server, client: client, winner: winner)
    }

    @Test func `telecom-index: an index is never rebased over another's array`() throws {
        let base: JSON = ["telecom": [["value": "1"], ["value": "2"]]]
        let ours = try JSONPatch(json: [["op": "replace", "path": "/telecom/1/value", "value": "two"]])
        let server: JSON = ["telecom": [["value": "2"]]]
        let merge = try ours.rebased(from: base, onto: server)
        #expect(merge.patch.text == #"[{"op":"replace","path":"/telecom","value":[{"value":"1"},{"value":"two"}]}]"#)
        #expect(
            merge.clashes == [
                try self.clash(
                    "/telecom", base: base.telecom, server: server.telecom,
                    client: [["value": "1"], ["value": "two"]])
            ])
    }

    @Test func `edits of different fields are merged without a clash (R11)`() {
        let merge = JSONMerge.merge(
            base: ["a": 1, "b": 1, "o": ["x": 1, "y": 1]], server: ["a": 2, "b": 1, "o": ["x": 2, "y": 1]],
            client: ["a": 1, "b": 2, "o": ["x": 1, "y": 2]])
        #expect(merge.merged == ["a": 2, "b": 2, "o": ["x": 2, "y": 2]])
        #expect(merge.patch.operations.map(\.path.text) == ["/b", "/o/y"])
        #expect(merge.clashes.isEmpty)
        #expect(merge.clientPaths.map(\.text) == ["/b", "/o/y"])
        #expect(merge.serverPaths.map(\.text) == ["/a", "/o/x"])
    }

    @Test func `same-value-both-sides: the change is dropped without a conflict (R12)`() {
        let merge = JSONMerge.merge(
            base: ["a": 1, "b": 1], server: ["a": JSON.spelled("2.0"), "b": 1], client: ["a": 2, "b": 3])
        #expect(merge.patch.text == #"[{"op":"replace","path":"/b","value":3}]"#)
        #expect(merge.clashes.isEmpty)
        #expect(merge.merged?.text == #"{"a":2.0,"b":3}"#)
    }

    @Test func `a field changed to two values is a clash, and the client's value is kept (R13)`() throws {
        let merge = JSONMerge.merge(base: ["a": 1], server: ["a": 2], client: ["a": 3])
        #expect(merge.merged == ["a": 3])
        #expect(merge.clashes == [try self.clash("/a", base: 1, server: 2, client: 3)])
    }

    @Test(arguments: [JSON.null, 1, []])
    func `nested-object-vs-scalar: a scalar and an edited object clash at the object`(other: JSON) throws {
        let base: JSON = ["o": ["x": 1, "y": 1]]
        let edited: JSON = ["o": ["x": 2, "y": 1]]
        let merge = JSONMerge.merge(base: base, server: ["o": other], client: edited)
        #expect(merge.clashes == [try self.clash("/o", base: base.o, server: other, client: edited.o)])
        #expect(merge.merged == edited)
        let mirrored = JSONMerge.merge(base: base, server: edited, client: ["o": other])
        #expect(mirrored.clashes == [try self.clash("/o", base: base.o, server: edited.o, client: other)])
        #expect(mirrored.merged == ["o": other])
    }

    @Test func `nested-object-vs-scalar: an edit in a removed object clashes at the object`() throws {
        let base: JSON = ["o": ["x": ["deep": 1]]]
        let merge = JSONMerge.merge(base: base, server: [:], client: ["o": ["x": ["deep": 2]]])
        #expect(
            merge.clashes == [try self.clash("/o", base: base.o, server: nil, client: ["x": ["deep": 2]])])
        #expect(merge.patch.text == #"[{"op":"add","path":"/o","value":{"x":{"deep":2}}}]"#)
    }

    @Test func `null-is-a-value: null on one side and removal on the other clash`() throws {
        let merge = JSONMerge.merge(base: ["a": 1], server: [:], client: ["a": .null])
        #expect(merge.clashes == [try self.clash("/a", base: 1, server: nil, client: .null)])
        #expect(merge.merged == ["a": .null])
        #expect(merge.clashes.map(\.json.text) == [#"{"path":"/a","base":1,"client":null}"#])
        let both = JSONMerge.merge(base: ["a": 1], server: ["a": .null], client: ["a": .null])
        #expect(both.clashes.isEmpty)
        #expect(both.merged == ["a": .null])
    }

    @Test func `objects that both add are merged over the empty object`() throws {
        let merge = JSONMerge.merge(
            base: [:], server: ["o": ["same": 1, "a": 1, "c": 1]], client: ["o": ["same": 1, "b": 2, "c": 2]])
        #expect(merge.merged == ["o": ["same": 1, "a": 1, "c": 2, "b": 2]])
        #expect(merge.clashes == [try self.clash("/o/c", base: nil, server: 1, client: 2)])
        #expect(merge.patch.operations.map(\.path.text) == ["/o/b", "/o/c"])
    }

    @Test func `duplicate-create: the same content created twice leaves nothing to send (R16)`() {
        let content: JSON = ["title": "Milk", "tags": ["home"]]
        let merge = JSONMerge.merge(base: nil, server: content, client: ["tags": ["home"], "title": "Milk"])
        #expect(merge.patch.isEmpty)
        #expect(merge.clashes.isEmpty)
        #expect(merge.merged?.text == content.text)
    }

    @Test func `different contents created twice clash only in fields that differ (R16)`() throws {
        let merge = JSONMerge.merge(base: nil, server: ["a": 1, "b": 1], client: ["a": 2, "c": 1])
        #expect(merge.merged == ["a": 2, "b": 1, "c": 1])
        #expect(merge.clashes == [try self.clash("/a", base: nil, server: 1, client: 2)])
    }

    @Test func `two objects that replace a scalar clash at its path`() throws {
        let merge = JSONMerge.merge(base: ["o": 0], server: ["o": ["a": 1]], client: ["o": ["b": 1]])
        #expect(merge.clashes == [try self.clash("/o", base: 0, server: ["a": 1], client: ["b": 1])])
        #expect(merge.merged == ["o": ["b": 1]])
        #expect(merge.patch.operations.map(\.path.text) == ["/o/a", "/o/b"])
    }

    @Test func `a record deleted on one side and edited on the other clashes at the root`() throws {
        let deleted = JSONMerge.merge(base: ["a": 1], server: nil, client: ["a": 2])
        #expect(deleted.clashes == [try self.clash("", base: ["a": 1], server: nil, client: ["a": 2])])
        #expect(deleted.patch == JSONPatch([.add(.root, ["a": 2])]))
        let edited = JSONMerge.merge(base: ["a": 1], server: ["a": 2], client: nil)
        #expect(edited.clashes == [try self.clash("", base: ["a": 1], server: ["a": 2], client: nil)])
        #expect(edited.merged == nil)
    }

    @Test func `a record deleted on both sides is not a clash (R9)`() {
        let merge = JSONMerge.merge(base: ["a": 1], server: nil, client: nil)
        #expect(merge.merged == nil)
        #expect(merge.patch.isEmpty && merge.clashes.isEmpty)
    }

    @Test func `members that the client did not change keep the server's text and order`() {
        let merge = JSONMerge.merge(
            base: ["a": 1, "b": JSON.spelled("1.0"), "c": 3],
            server: ["c": 3, "new": 1, "b": JSON.spelled("1.00"), "a": 1],
            client: ["a": 2, "z": 1, "b": 1, "c": 3, "y": 1])
        #expect(merge.merged?.text == #"{"c":3,"new":1,"b":1.00,"a":2,"y":1,"z":1}"#)
    }

    @Test func `the report names the fields and not the objects around them`() {
        let merge = JSONMerge.merge(
            base: ["c": ["x": 1, "y": ["z": 1]], "s": ["x": 1, "y": ["z": 1]]],
            server: ["c": ["x": 1, "y": ["z": 1]], "s": ["x": 2, "y": ["z": 2, "new": 0]]],
            client: ["c": ["y": ["z": 3]], "s": ["x": 1, "y": ["z": 1]]])
        #expect(merge.serverPaths.map(\.text) == ["/s/x", "/s/y/new", "/s/y/z"])
        #expect(merge.clientPaths.map(\.text) == ["/c/x", "/c/y/z"])
    }
}
