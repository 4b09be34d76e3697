import Foundation
import Testing
import TidemarkJSON

@Suite struct `A Swift value becomes JSON and is read back` {
    enum Kind: String, Codable, Hashable {
        case note, task
    }

    enum Shape: Codable, Hashable {
        case circle(radius: Double)
        case square
    }

    struct Note: Codable, Hashable {
        var title: String
        var count: Int?
        var big: UInt64
        var small: Int8
        var price: Double
        var ratio: Float
        var done: Bool
        var kind: Kind
        var tags: [String]
        var nested: [[Int?]]
        var scores: [String: Int]
        var shape: Shape
        var extra: JSON
        var exact: JSONNumber
    }

    static let note = Note(
        title: "Milk \"é\"", count: nil, big: .max, small: -128, price: 0.1, ratio: 0.1, done: true, kind: .task,
        tags: ["a", ""],
        nested: [[1, nil], []], scores: ["z": 1, "a": 2, "m": 3], shape: .circle(radius: 1e21),

        extra: ["x": .null], exact: JSONNumber("1.10") ?? JSONNumber(0))

    @Test func `every member is encoded in the order of the type, and decoded`() throws {
        let json = try JSON(encoding: Self.note)
        #expect(
            json.text
                == #"{"title":"Milk \"é\"","big":18446744073709551615,"small":-128,"price":0.1,"ratio":0.1,"done":true,"#
                + #""kind":"task","tags":["a",""],"nested":[[1,null],[]],"scores":{"a":2,"m":3,"z":1},"#
                + #""shape":{"circle":{"radius":1e+21}},"extra":{"x":null},"exact":1.10}"#)
        #expect(try json.decode(Note.self) == Self.note)
    }

    @Test func `members of type JSON keep their exact text`() throws {
        struct Holder: Codable {
            var value: JSON
            var number: JSONNumber
            var string: JSONString
            var object: JSONObject
        }
        let text =
            #"{"value":[1e400,"\u0041"],"number":12345678901234567890.0,"string":"\/","object":{"b":-0,"\u0061":1.0}}"#
        let holder = try JSON(parsing: text).decode(Holder.self)
        #expect(try JSON(encoding: holder).text == text)
    }

    @Test func `a whole number is decoded in every spelling, or refused with its path`() throws {
        #expect(try JSON(parsing: "[1.0,1e2,-0]").decode([Int].self) == [1, 100, 0])
        #expect(try JSON(parsing: "255").decode(UInt8.self) == 255)
        let error = try #require(throws: DecodingError.self) {
            try JSON(parsing: #"{"a":[1,256]}"#).decode([String: [UInt8]].self)
        }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["a", "1"])
        #expect(context.debugDescription.contains("256"))
    }

    @Test func `an error names the member that is missing or of another type`() throws {
        struct One: Decodable { var a: Int }
        let missing = try #require(throws: DecodingError.self) { try (["b": 1] as JSON).decode(One.self) }
        guard case .keyNotFound(let key, _) = missing else {
            Issue.record("\(missing)")
            return
        }
        #expect(key.stringValue == "a")
        let wrong = try #require(throws: DecodingError.self) { try (["a": "1"] as JSON).decode(One.self) }
        guard case .typeMismatch(_, let context) = wrong else {
            Issue.record("\(wrong)")
            return
        }
        #expect(context.debugDescription == "expected Int, found a string")
        #expect(throws: DecodingError.self) { try (["a": .null] as JSON).decode(One.self) }
        #expect(throws: DecodingError.self) { try ([1] as JSON).decode(One.self) }
        #expect(throws: DecodingError.self) { try JSON(parsing: "1e400").decode(Double.self) }
    }

    @Test func `infinity and NaN are refused`() {
        #expect(throws: EncodingError.self) { try JSON(encoding: [Double.infinity]) }
        #expect(throws: EncodingError.self) { try JSON(encoding: ["a": Float.nan]) }
    }

    /// Encodes nothing, as a marker does.
    struct Nothing: Codable {
        init() {}
        init(from decoder: any Decoder) {}
        func encode(to encoder: any Encoder) {}
    }

    @Test func `a member that encodes nothing is an empty object, and a whole value that does is refused`() throws {
        struct Marked: Codable {
            var mark = Nothing()
            var all: [Nothing] = [Nothing(), Nothing()]
            var named = ["a": Nothing()]
            var a = 1
        }
        let json = try JSON(encoding: Marked())
        #expect(json.text == #"{"mark":{},"all":[{},{}],"named":{"a":{}},"a":1}"#)
        #expect(try json.decode(Marked.self).all.count == 2)
        #expect(throws: EncodingError.self) { try JSON(encoding: Nothing()) }
    }

    @Test func `nested and shared containers are encoded and decoded completely`() throws {
        let json = try JSON(encoding: ByHand())
        #expect(json.text == #"{"list":[1,[2],{"a":3},null],"both":{"a":1,"b":2},"super":{"a":4}}"#)
        #expect(try json.decode(ByHand.self).isRight)
    }

    @Test func `dictionary keys are sorted, so a value has the same bytes in every process`() throws {
        let keys = (0..<100).map { "k\($0)" }
        let json = try JSON(encoding: ["d": Dictionary(uniqueKeysWithValues: keys.map { ($0, 1) })])
        #expect(json.d?.object?.keys == keys.sorted())
    }

    @Test func `any JSON is the same after encoding and decoding`() {
        forAll(cases: 500) {
            $0.value()
        } holds: { value in
            let bytes = try JSON(encoding: [value]).decode([JSON].self).first?.bytes
            return bytes == value.bytes ? nil : "other bytes"
        }
    }

    @Test func `other coders keep JSON exactly, or refuse it`() throws {
        let value: JSON = [
            "a": [1, .null, true, "é", 0.5], "b": [:],
            "big": .number(JSONNumber("18446744073709551615") ?? JSONNumber(0)),
        ]
        let data = try JSONEncoder().encode(value)
        #expect(try JSON(parsing: Array(data)) == value)
        #expect(try JSONDecoder().decode(JSON.self, from: data) == value)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(JSON(parsing: "[12345678901234567890123]")) }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(JSON(parsing: "1e400")) }
    }
}

/// Uses every kind of nested container.
private struct ByHand: Codable {
    enum Key: String, CodingKey {
        case list, both, a, b
    }

    var isRight = true

    init() {}

    func encode(to encoder: any Encoder) throws {
        var top = encoder.container(keyedBy: Key.self)
        var list = top.nestedUnkeyedContainer(forKey: .list)
        try list.encode(1)
        var inner = list.nestedUnkeyedContainer()
        try inner.encode(2)
        var object = list.nestedContainer(keyedBy: Key.self)
        try object.encode(3, forKey: .a)
        try list.encodeNil()
        var first = top.nestedContainer(keyedBy: Key.self, forKey: .both)
        try first.encode(1, forKey: .a)
        // A second container for the same key adds to the first one.
        var second = top.nestedContainer(keyedBy: Key.self, forKey: .both)
        try second.encode(2, forKey: .b)
        try ["a": 4].encode(to: top.superEncoder())
    }

    init(from decoder: any Decoder) throws {
        let top = try decoder.container(keyedBy: Key.self)
        var list = try top.nestedUnkeyedContainer(forKey: .list)
        let one = try list.decode(Int.self)
        var inner = try list.nestedUnkeyedContainer()
        let two = try inner.decode(Int.self)
        let three = try list.nestedContainer(keyedBy: Key.self).decode(Int.self, forKey: .a)
        let isNil = try list.decodeNil()
        let both = try top.nestedContainer(keyedBy: Key.self, forKey: .both)
        let four = try [String: Int](from: top.superDecoder())["a"]
        self.isRight =
            try (one, two, three, isNil, four) == (1, 2, 3, true, 4) && list.isAtEnd && top.allKeys == [.list, .both]
            && both.decode(Int.self, forKey: .b) == 2
    }
}
