import Testing
import TidemarkJSON

@Suite struct `Repeated keys are reported` {
    private func warnings(_ text: String) throws -> [JSON.Warning] {
        try JSON.parse(Array(text.utf8)).warnings
    }

    @Test func `the first ten repeated keys are reported with their lines, the others counted`() throws {
        let text = "{" + Array(repeating: #""a":1"#, count: 40_000).joined(separator: ",\n") + "}"
        let warnings = try self.warnings(text)
        #expect(warnings.count == JSON.Warning.described + 1)
        #expect(warnings.map(\.line) == Array(2...12))
        #expect(warnings.dropLast().allSatisfy { $0.pointer == "/a" && $0.column == 1 })
        #expect(
            warnings.last?.description
                == "line 12, column 1: and 39989 more, from here on: a key comes twice in one object")
        #expect(warnings.last?.pointer == nil)
    }

    @Test func `repeated keys are reported in the order of the text`() throws {
        let inner = Array(repeating: #""b":1"#, count: 12).joined(separator: ",")
        let warnings = try self.warnings(#"{"a":1,"a":2,"c":[{\#(inner)}]}"#)
        #expect(warnings.map(\.pointer) == ["/a"] + Array(repeating: "/c/0/b", count: 9) + [nil])
        #expect(warnings.map(\.byteOffset) == warnings.map(\.byteOffset).sorted())
        #expect(warnings.last?.message.hasPrefix("and 2 more") == true)
        let behind = try self.warnings(#"{"a":1,"c":[{\#(inner)}],"a":2}"#)
        #expect(behind.count == 11)
        #expect(behind.last?.message.hasPrefix("and 2 more") == true)
    }

    @Test func `a long repeated key is shortened in the message`() throws {
        let key = String(repeating: "k", count: 1_000)
        let warning = try #require(try self.warnings(#"{"\#(key)":1,"\#(key)":2}"#).first)
        #expect(warning.pointer == "/" + key)
        #expect(warning.message.utf8.count < 200)
    }

    @Test func `a repeated member of an operation is found after any number of them in values`() throws {
        let value = "{" + Array(repeating: #""a":1"#, count: 100).joined(separator: ",") + "}"
        let text = #"[{"op":"add","path":"/x","value":\#(value)},{"op":"remove","path":"/x","op":"test"}]"#
        let error = try #require(throws: JSONError.self) { try JSONPatch(parsing: text) }
        #expect(error.pointer == "/1/op")
        #expect(error.column == 1 + text.utf8.count - #""op":"test"}]"#.utf8.count)
    }
}
