import Testing

@testable import TidemarkJSON

@Suite("Applying a patch")
struct ApplyTests {
    static let document: JSON = ["a": 1, "list": [1, 2, 3], "o": ["x": .null, "y": 2], "z": "end"]

    private func apply(_ patch: JSON, to document: JSON? = ApplyTests.document) throws -> JSON? {
        try JSONPatch(json: patch).apply(to: document)
    }

    @Test func `untouched members keep their place and new ones go to the end`() throws {
        let result = try self.apply([
            ["op": "add", "path": "/new", "value": 0], ["op": "replace", "path": "/a", "value": 9],
            ["op": "add", "path": "/list", "value": []], ["op": "add", "path": "/o/n", "value": 3],
        ])
        #expect(result?.text == #"{"a":9,"list":[],"o":{"x":null,"y":2,"n":3},"z":"end","new":0}"#)
    }

    @Test func `a moved member goes to the end of its new object`() throws {
        let result = try self.apply([["op": "move", "from": "/a", "path": "/b"]])
        #expect(result?.text == #"{"list":[1,2,3],"o":{"x":null,"y":2},"z":"end","b":1}"#)
    }

    @Test func `a move to the same place changes nothing`() throws {
        #expect(try self.apply([["op": "move", "from": "/a", "path": "/a"]])?.text == ApplyTests.document.text)
    }

    @Test func `a copy does not change the original`() throws {
        let result = try self.apply([
            ["op": "copy", "from": "/o", "path": "/p"], ["op": "replace", "path": "/p/y", "value": 7],
        ])
        #expect(result?.o?.y == 2)
        #expect(result?.p?.y == 7)
    }

    @Test(arguments: [("/list/0", "[0,1,2,3]"), ("/list/3", "[1,2,3,0]"), ("/list/-", "[1,2,3,0]")])
    func `add puts an element before the index`(path: String, expected: String) throws {
        let result = try self.apply([["op": "add", "path": .string(JSONString(path)), "value": 0]])
        #expect(result?.list?.text == expected)
    }

    @Test(arguments: ["add", "remove", "replace", "test"], ["/list/01", "/list/+1", "/list/4", "/list/x", "/list/-1"])
    func `an array accepts exact indices only`(name: String, path: String) throws {
        let patch: JSON = [["op": .string(JSONString(name)), "path": .string(JSONString(path)), "value": 2]]
        let error = try #require(throws: JSONError.self) { try self.apply(patch) }
        #expect(error.pointer == path)
    }

    @Test(arguments: ["remove", "replace", "test"])
    func `the index after the end is for add only`(name: String) throws {
        let patch: JSON = [["op": .string(JSONString(name)), "path": "/list/-", "value": 2]]
        #expect(throws: JSONError.self) { try self.apply(patch) }
    }

    @Test(arguments: ["01", "-", "1.5", ""])
    func `a member may have a name that is not an index`(key: String) throws {
        let path = JSONPointer.root.appending("o").appending(key)
        #expect(try JSONPatch([.add(path, 5)]).apply(to: ApplyTests.document)?.o?[key] == 5)
    }

    @Test func `member names are compared by code point`() throws {
        let patch = JSONPatch([.replace(JSONPointer.root.appending("e\u{301}"), 5)])
        #expect(throws: JSONError.self) { try patch.apply(to: ["é": 1]) }
    }

    @Test func `a test compares by value`() throws {
        let document: JSON = ["n": JSON.spelled("10e-1"), "o": ["a": 1, "b": 2]]
        let patch = try JSONPatch(json: [
            ["op": "test", "path": "/n", "value": 1], ["op": "test", "path": "/o", "value": ["b": 2, "a": 1]],
        ])
        #expect(try patch.apply(to: document)?.text == document.text)
    }

    @Test func `all operations are carried out or none`() throws {
        let document = ApplyTests.document
        let patch = JSONPatch([.remove(JSONPointer(tokens: ["a"])), .remove(JSONPointer(tokens: ["a"]))])
        let error = try #require(throws: JSONError.self) { try patch.apply(to: document) }
        #expect(error.message.hasPrefix("operation 2 of 2 (remove): "))
        #expect(document.a == 1)
    }

    @Test func `a value moved into itself is refused`() {
        #expect(throws: JSONError.self) { try self.apply([["op": "move", "from": "/o", "path": "/o/x"]]) }
        #expect(throws: JSONError.self) { try self.apply([["op": "move", "from": "", "path": "/o"]]) }
        // RFC 6902 §4.4. After the removal of the first element the path would name a member of the second.
        let error = #expect(throws: JSONError.self) {
            try self.apply([["op": "move", "from": "/a/0", "path": "/a/0/b"]], to: ["a": [["x": 1], [:]]])
        }
        #expect(error?.message.hasSuffix("a value can't be moved into itself") == true)
    }

    @Test func `a value can replace the value that contains it`() throws {
        #expect(try self.apply([["op": "move", "from": "/o", "path": ""]])?.text == #"{"x":null,"y":2}"#)
        #expect(try self.apply([["op": "move", "from": "/o/y", "path": "/o"]])?.o == 2)
    }

    @Test func `only an add at the root creates a record that does not exist`() throws {
        #expect(try self.apply([["op": "add", "path": "", "value": ["a": 1]]], to: nil) == ["a": 1])
        #expect(try self.apply([], to: nil) == nil)
        let others: [JSON] = [
            ["op": "add", "path": "/a", "value": 1], ["op": "replace", "path": "", "value": 1],
            ["op": "remove", "path": ""], ["op": "test", "path": "", "value": .null],
            ["op": "copy", "from": "", "path": ""], ["op": "move", "from": "", "path": ""],
        ]
        for other in others {
            #expect(throws: JSONError.self, "\(other)") { try self.apply([other], to: nil) }
        }
    }

    @Test func `a remove at the root removes the record`() throws {
        #expect(try self.apply([["op": "remove", "path": ""]]) == nil)
        let again: JSON = [["op": "remove", "path": ""], ["op": "add", "path": "", "value": 1]]
        #expect(try self.apply(again) == 1)
    }

    @Test func `a document may be an array`() throws {
        let patch: JSON = [
            ["op": "remove", "path": "/1"], ["op": "remove", "path": "/2"], ["op": "add", "path": "/-", "value": 5],
            ["op": "add", "path": "/0", "value": []], ["op": "add", "path": "/0/0", "value": 0],
        ]
        #expect(try self.apply(patch, to: [1, 2, 3, 4])?.text == "[[0],1,3,5]")
    }

    @Test func `a move inside an array first removes and then adds`() throws {
        let patch: JSON = [["op": "move", "from": "/0/x", "path": "/1"], ["op": "move", "from": "/1", "path": "/-"]]
        #expect(try self.apply(patch, to: [["x": 1], 2])?.text == "[{},2,1]")
        #expect(throws: JSONError.self) { try self.apply([["op": "move", "from": "/0", "path": "/2"]], to: [1, 2]) }
    }

    @Test func `a value below an element is reached through the element's index`() throws {
        let patch: JSON = [["op": "replace", "path": "/list/1/a/0", "value": 2]]
        let document: JSON = ["list": [0, ["a": [1], "b": 3]], "z": 0]
        #expect(try self.apply(patch, to: document)?.text == #"{"list":[0,{"a":[2],"b":3}],"z":0}"#)
    }
}
