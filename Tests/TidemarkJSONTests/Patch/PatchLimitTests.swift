import Testing

@testable import TidemarkJSON

@Suite("What a patch may make of a document")
struct PatchLimitTests {
    private func nested(_ depth: Int) -> JSON { (0..<depth).reduce(0) { value, _ in ["a": value] } }

    private func path(_ depth: Int) -> JSONPointer { JSONPointer(tokens: Array(repeating: "a", count: depth)) }

    @Test func `copies that double the document each time are refused`() throws {
        let seed = JSONPatch.Operation.add(JSONPointer(tokens: ["a"]), "0123456789")
        let doubling = (0..<40).flatMap { number -> [JSONPatch.Operation] in
            [.copy(from: .root, to: JSONPointer(tokens: ["b\(number)"]))]
        }
        let error = try #require(throws: JSONError.self) { try JSONPatch([seed] + doubling).apply(to: [:]) }
        #expect(error.code == .tooLarge)
    }

    @Test func `copies within the limit are carried out`() throws {
        let limits = JSONLimits(bytes: 30)
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

    @Test func `a value that moves or is copied too deep is refused`() throws {
        let document: JSON = ["a": self.nested(400), "b": self.nested(200)]
        let move = JSONPatch([.move(from: JSONPointer(tokens: ["b"]), to: self.path(400))])
        let copy = JSONPatch([.copy(from: JSONPointer(tokens: ["b"]), to: self.path(400))])
        #expect(try #require(throws: JSONError.self) { try move.apply(to: document) }.code == .nesting)
        #expect(try #require(throws: JSONError.self) { try copy.apply(to: document) }.code == .nesting)
    }

    @Test func `a pointer of very many steps is walked only as far as the document goes`() throws {
        let patch = JSONPatch([.remove(self.path(200_000))])
        let error = try #require(throws: JSONError.self) { try patch.apply(to: self.nested(3)) }
        #expect(error.code == .patch)
        #expect(error.message.contains(#""/a/a/a" is a number"#))
    }
}
