import TestSupport
import Testing
import TidemarkJSON

@Suite struct `Objects keep the order of their keys` {
    @Test func `a changed key keeps its place, a new one goes to the end, and nil removes it`() {
        var object: JSONObject = ["b": 1, "a": 2, "c": 3]
        object["a"] = 20
        object["d"] = 4
        object["b"] = nil
        object["unknown"] = nil
        #expect(object.keys == ["a", "c", "d"])
        #expect(object["a"] == 20)
        #expect(object["b"] == nil)
        #expect(object.count == 3)
        object["b"] = .null
        #expect(JSON.object(object).text == #"{"a":20,"c":3,"d":4,"b":null}"#)
    }

    @Test func `keys that are canonically equivalent are two keys`() throws {
        let object = try #require(try JSON(parsing: "{\"é\":1,\"e\u{301}\":2}").object)
        #expect(object.count == 2)
        #expect(object["é"] == 1)
        #expect(object["e\u{301}"] == 2)
    }

    @Test func `the spelling of a key survives a change of its value`() throws {
        var value = try JSON(parsing: #"{"caf\u00e9":1,"a\/b":2}"#)
        value["café"] = 3
        value["a/b"] = 4
        #expect(value.text == #"{"caf\u00e9":3,"a\/b":4}"#)
    }

    @Test func `equality and hash ignore the order of keys`() throws {
        forAll(cases: 1_000) {
            $0.record()
        } holds: { value in
            let other = value.reversedKeys
            return value == other && value.hashValue == other.hashValue ? nil : "order counts"
        }
        #expect(try JSON(parsing: #"{"a":1,"b":2}"#) != JSON(parsing: #"{"a":2,"b":1}"#))
        #expect(try JSON(parsing: #"{"a":1}"#) != JSON(parsing: #"{"a":1,"b":null}"#))
        #expect(try JSON(parsing: #"{"a":null}"#) != JSON(parsing: #"{"b":null}"#))
        #expect(try JSON(parsing: "[1,2]") != JSON(parsing: "[2,1]"))
    }

    @Test func `a large object behaves as a list of pairs does`() {
        var random = SeededGenerator(seed: 7)
        var object = JSONObject()
        var model: [(key: String, value: JSON)] = []
        for step in 0..<5_000 {
            let key = "k\(Int.random(in: 0..<120, using: &random))"
            let value: JSON? = random.oneIn(3) ? nil : .number(JSONNumber(step))
            object[key] = value
            let place = model.firstIndex { $0.key == key }
            switch (place, value) {
            case (let place?, let value?): model[place].value = value
            case (let place?, nil): model.remove(at: place)
            case (nil, let value?): model.append((key, value))
            case (nil, nil): break
            }
            guard object.count == model.count, object[key] == value else {
                Issue.record("step \(step)")
                return
            }
        }
        #expect(object.keys == model.map(\.key))
        #expect(object.map(\.value) == model.map(\.value))
        for key in object.keys.dropFirst(3) {
            object[key] = nil
        }
        #expect(object.keys == model.prefix(3).map(\.key))
        #expect(object == JSONObject(model.prefix(3).map { ($0.key, $0.value) }))
    }

    @Test func `a hundred thousand keys are built, read and removed`() {
        var object = JSONObject()
        for place in 0..<100_000 {
            object["k\(place)"] = .bool(true)
        }
        #expect(object.count == 100_000)
        for place in 0..<99_999 {
            object["k\(place)"] = nil
        }
        #expect(object.keys == ["k99999"])
    }

    @Test func `a repeated key has the last value, at the place of the first`() throws {
        #expect(JSONObject([("a", 1), ("b", 2), ("a", 3)]).map(\.key) == ["a", "b"])
        #expect(try JSON(parsing: #"{"a":1,"b":2,"\u0061":3}"#).text == #"{"\u0061":3,"b":2}"#)
    }
}
