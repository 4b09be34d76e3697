import Foundation
import Testing
import TidemarkJSON

@Suite struct `Members of JSON types in a Swift type` {
    struct Parts: Codable, Equatable {
        var number: JSONNumber
        var string: JSONString
        var object: JSONObject
    }

    static let text = #"{"number":1.10,"object":{"b":1,"a":[null]},"string":"é"}"#

    @Test func `members of JSON types are the same after another encoder`() throws {
        let parts = try JSONDecoder().decode(Parts.self, from: Data(Self.text.utf8))
        #expect(parts.object.keys.sorted() == ["a", "b"])
        #expect(parts.string.value == "é")
        let again = try JSONDecoder().decode(Parts.self, from: JSONEncoder().encode(parts))
        #expect(again == parts)
    }

    @Test(arguments: [#"{"number":"1","object":{},"string":""}"#, #"{"number":1,"object":[],"string":""}"#])
    func `a member of another JSON type is a decoding error`(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Parts.self, from: Data(text.utf8)) }
    }

    @Test func `members of JSON types are decoded as Swift types`() throws {
        #expect(Bool(json: true) == true)
        #expect(Bool(json: 1) == nil)
        #expect(Double(json: try JSON(parsing: "1.5")) == 1.5)
        #expect(Double(json: "1.5") == nil)
        #expect(try JSON(parsing: "[true,false,0]").array?.map(\.bool) == [true, false, nil])
    }

    @Test func `whole numbers of 128 bits are decoded, alone and in an array`() throws {
        let most = [Int128.max, Int128.min]
        let json = try JSON(encoding: most)
        #expect(json.text == "[\(Int128.max),\(Int128.min)]")
        #expect(try json.decode([Int128].self) == most)
        let beyond = try JSON(encoding: [UInt128.max])
        #expect(try beyond.decode([UInt128].self) == [UInt128.max])
        #expect(try JSON(encoding: Int128.max).decode(Int128.self) == Int128.max)
        #expect(try JSON(encoding: UInt128.max).decode(UInt128.self) == UInt128.max)
    }

    @Test func `the description of a JSON part is its text`() throws {
        #expect("\(JSONString("a\nb"))" == "a\nb")
        let patch = try JSONPatch(json: JSON(parsing: #"[{"op":"remove","path":"/a"}]"#))
        #expect("\(patch)" == patch.text)
        #expect(try JSONMergePatch(parsing: Array(#"{"a":null}"#.utf8)).apply(to: ["a": 1, "b": 2]) == ["b": 2])
    }
}
