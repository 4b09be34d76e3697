import Testing

@testable import TidemarkJSON

@Suite("The limits of a patch")
struct PatchLimitTests {
    private func nested(_ depth: Int) -> JSON { (0..<depth).reduce(0) { value, _ in ["a": value] } }

    private func path(_ depth: Int) -> JSONPointer { JSONPointer(tokens: Array(repeating: "a", count: depth)) }

    @Test func `copies that double the document each time are refused`() throws {
        let seed = JSONPatch.Operation.add(JSONPointer(tokens: ["a"]), "0123456789")
        let doubling = (0..<10).map { JSONPatch.Operation.copy(from: .root, to: JSONPointer(tokens: ["b\($0)"])) }
        let patch = JSONPatch([seed] + doubling)
        #expect(try (patch.apply(to: [:])?.bytes.count ?? 0) > 10_000)
        let error = try #require(throws: JSONError.self) { try patch.apply(to: [:], limits: JSON.Limits(bytes: 5_000)) }
        #expect(error.code == .tooLarge)
    }

    @Test func `copies within the limit are applied`() throws {
        let limits = JSON.Limits(bytes: 30)
        let patch = JSONPatch([.copy(from: JSONPointer(tokens: ["a"]), to: JSONPointer(tokens: ["b"]))])
        #expect(try patch.apply(to: ["a": "0123456789"], limits: limits) == ["a": "0123456789", "b": "0123456789"])
        let error = try #require(throws: JSONError.self) {
            try patch.apply(to: ["a": "0123456789012345678901234567890"], limits: limits)
        }
        #expect(error.code == .tooLarge)
    }

    @Test func `a value that would nest too deep is refused`() throws {
        let document = self.nested(511)
        let atTheLimit = JSONPatch([.replace(self.path(511), [])])
        #expect(try atTheLimit.apply(to: document)?[pointer: self.path(511)] == [])
        let error = try #require(throws: JSONError.self) {
            try JSONPatch([.replace(self.path(511), [[]])]).apply(to: document)
        }
        #expect(error.code == .nesting)
    }

    @Test func `a move or a copy to a place that is too deep is refused`() throws {
        let document: JSON = ["a": self.nested(400), "b": self.nested(200)]
        let move = JSONPatch([.move(from: JSONPointer(tokens: ["b"]), to: self.path(400))])
        let copy = JSONPatch([.copy(from: JSONPointer(tokens: ["b"]), to: self.path(400))])
        #expect(try #require(throws: JSONError.self) { try move.apply(to: document) }.code == .nesting)
        #expect(try #require(throws: JSONError.self) { try copy.apply(to: document) }.code == .nesting)
    }

    @Test func `a pointer with very many steps is followed only as deep as the document`() throws {
        let patch = JSONPatch([.remove(self.path(200_000))])
        let error = try #require(throws: JSONError.self) { try patch.apply(to: self.nested(3)) }
        #expect(error.code == .patch)
        #expect(error.message.contains("“/a/a/a” is a number"))
    }

    @Test func `documents as deep as the limit are compared, merged and patched`() throws {
        let base = self.nested(512)
        let bottom = self.path(512)
        let server = try JSONPatch([.replace(bottom, 1)]).apply(to: base)
        let client = try JSONPatch([.replace(bottom, 2)]).apply(to: base)
        #expect(JSONPatch.diff(from: base, to: client) == JSONPatch([.replace(bottom, 2)]))
        let merge = JSONMerge.merge(base: base, server: server, client: client)
        #expect(merge.merged == client)
        #expect(merge.clashes.map(\.path) == [bottom])
        #expect(JSONMergePatch.diff(from: base, to: client)?.apply(to: base) == client)
    }

    @Test func `an object below a key of a megabyte is replaced as one value`() throws {
        let key = String(repeating: "k", count: 1 << 20)
        let side = { (count: Int, value: Int) -> JSON in
            let members = (0..<count).map { ("m\($0)", JSON(value)) }
            return ["a": .object(JSONObject([(key, .object(JSONObject(members + [("same", 1)])))])), "b": JSON(value)]
        }
        let few = JSONPatch.diff(from: side(10, 1), to: side(10, 2))
        #expect(few.operations.count == 11)
        let (base, server, client) = (side(40, 1), side(40, 2), side(40, 3))
        let many = JSONPatch.diff(from: base, to: server)
        #expect(many.operations.map(\.path.tokens) == [["a", key], ["b"]])
        #expect(try many.apply(to: base) == server)
        let merge = JSONMerge.merge(base: base, server: server, client: client)
        #expect(merge.merged == client)
        #expect(merge.clashes.map(\.path.tokens) == [["a", key], ["b"]])
        // A merge patch is nested and repeats nothing; it would not remove members if an object were one value.
        let gone = side(0, 1)
        #expect(JSONMergePatch.diff(from: base, to: gone)?.apply(to: base) == gone)
    }

    @Test func `a patch that moves elements more often than the limit is refused`() throws {
        let first = JSONPointer(tokens: ["0"])
        let document = JSON.array(Array(repeating: 0, count: 20))
        let limits = JSON.Limits(bytes: 16)
        // Twenty elements move, then twenty-one, then twenty-two: 63 of the 64 that four times the bytes allow.
        let three = JSONPatch([.add(first, 1), .add(first, 1), .add(first, 1)])
        #expect(try three.apply(to: document, limits: limits)?.array?.count == 23)
        let four = JSONPatch(three.operations + [.remove(first)])
        let error = try #require(throws: JSONError.self) { try four.apply(to: document, limits: limits) }
        #expect(error.code == .tooLarge)
        #expect(error.message.contains("moves array elements more than 64 times"))
        let last = JSONPatch(three.operations + [.add(JSONPointer(tokens: ["-"]), 1)])
        #expect(try last.apply(to: document, limits: limits)?.array?.count == 24)
    }

    @Test func `an error message quotes only the beginning of the input`() throws {
        let long = String(repeating: "long", count: 10_000)
        let texts = [#"[{"op":"\#(long)","path":""}]"#, #"[{"op":"remove","path":"\#(long)"}]"#]
        for text in texts {
            let error = try #require(throws: JSONError.self) { try JSONPatch(parsing: Array(text.utf8)) }
            #expect(error.message.count < 300)
        }
        let test = JSONPatch([.test(.root, .string(JSONString(long)))])
        let error = try #require(throws: JSONError.self) { try test.apply(to: "short") }
        #expect(error.message.count < 300)
    }
}
