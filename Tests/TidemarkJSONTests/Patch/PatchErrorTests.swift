import Testing

@testable import TidemarkJSON

@Suite("The error of a refused patch")
struct PatchErrorTests {
    static let document: JSON = ["list": [1, 2], "name": "Milk"]

    static let refusals: [(JSON, String)] = [
        (
            ["op": "replace", "path": "/a/b", "value": 1],
            #"at /a/b: operation 1 of 1 (replace): the document has no value at “/a”; make the patch from this document"#
        ),
        (
            ["op": "add", "path": "/name/first", "value": 1],
            #"at /name/first: operation 1 of 1 (add): “/name” is a string, which has no members"#
        ),
        (
            ["op": "remove", "path": "/list/2"],
            "at /list/2: operation 1 of 1 (remove): index 2 is beyond the end of the array at “/list”, "
                + "which has 2 elements"
        ),
        (
            ["op": "add", "path": "/list/01", "value": 1],
            "at /list/01: operation 1 of 1 (add): “01” is not an index of the array at “/list”; write digits without "
                + "a leading zero, or, to add at the end, “-”"
        ),
        (
            ["op": "copy", "from": "/gone", "path": "/name"],
            "at /name: operation 1 of 1 (copy from “/gone”): the document has no value at “/gone”; make the patch "
                + "from this document"
        ),
    ]

    @Test(arguments: PatchErrorTests.refusals)
    func `the error names the operation, its pointer and the reason`(operation: JSON, description: String) throws {
        let patch = try JSONPatch(json: [operation])
        let error = try #require(throws: JSONError.self) { try patch.apply(to: PatchErrorTests.document) }
        #expect(error.description == description)
    }

    static let malformed: [(JSON, String, String)] = [
        (["op": "add"], "", "a JSON Patch is an array of operations, this is an object"),
        ([1], "/0", "operation 1 is a number, it must be an object"),
        ([["path": "/a"]], "/0", #"operation 1 has no member “op”; add it"#),
        ([["op": "add", "path": "/a"]], "/0", #"operation 1 (add) has no member “value”; add it"#),
        ([["op": "move", "path": "/a"]], "/0", #"operation 1 (move) has no member “from”; add it"#),
        ([["op": "remove", "path": 1]], "/0/path", #"operation 1: “path” is a number, it must be a string"#),
        (
            [["op": "Add", "path": "/a", "value": 1]], "/0/op",
            #"operation 1: there is no operation “Add”; use add, remove, replace, move, copy or test"#
        ),
    ]

    @Test(arguments: PatchErrorTests.malformed)
    func `a value that is not a patch is refused with its place`(json: JSON, pointer: String, message: String) throws {
        let error = try #require(throws: JSONError.self) { try JSONPatch(json: json) }
        #expect(error.code == .patch)
        #expect(error.pointer == pointer)
        #expect(error.message == message)
    }

    @Test func `a path that is not a pointer is refused with the number of its operation`() throws {
        let json: JSON = [["op": "remove", "path": "/a"], ["op": "remove", "path": "a"]]
        let error = try #require(throws: JSONError.self) { try JSONPatch(json: json) }
        #expect(error.pointer == "/1/path")
        #expect(error.message.hasPrefix(#"operation 2: “path”: “a” is not a JSON Pointer"#))
    }

    @Test func `null is a valid value of an operation`() throws {
        let patch = try JSONPatch(json: [["op": "add", "path": "/a", "value": .null]])
        #expect(try patch.apply(to: [:]) == ["a": .null])
    }

    @Test(arguments: ["op", "path", "value"])
    func `A.13 an operation that names a member twice is refused`(member: String) throws {
        let text = #"[{"op":"remove","path":"/b"},{"op":"add","path":"/a","value":1,"\#(member)":"remove"}]"#
        let error = try #require(throws: JSONError.self) { try JSONPatch(parsing: Array(text.utf8)) }
        #expect(error.code == .patch)
        #expect(error.pointer == "/1/\(member)")
        #expect(error.line == 1 && error.column != nil)
    }

    @Test func `a member that is repeated inside a value is accepted`() throws {
        let patch = try JSONPatch(parsing: Array(#"[{"op":"add","path":"/a","value":{"x":1,"x":2}}]"#.utf8))
        #expect(try patch.apply(to: [:]) == ["a": ["x": 2]])
    }

    @Test func `a patch text that is not JSON is refused with its place`() throws {
        let error = try #require(throws: JSONError.self) { try JSONPatch(parsing: Array("[{]".utf8)) }
        #expect(error.code == .syntax)
        #expect(error.line == 1)
    }
}
