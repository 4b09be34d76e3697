import TestSupport
import Testing

@testable import TidemarkJSON

@Suite struct `Keys and strings are compared without decoding them` {
    /// A string spelled with many escapes, or without escapes.
    private static func spelled(_ random: inout RandomJSON) -> JSON {
        let text = (0..<Int.random(in: 0...3, using: &random.random)).map { _ in
            random.random.pick(
                "A", #"\u0041"#, "B", "é", #"\u00e9"#, "\u{1D11E}", #"\ud834\udd1e"#, #"\\"#, #"\/"#, "/")
        }
        return .string(JSONString(source: text.joined()) ?? "not well-formed")
    }

    @Test func `strings compare as their decoded values do`() {
        forAll(cases: 5_000) {
            Pair(first: Self.spelled(&$0), second: Self.spelled(&$0))
        } holds: {
            guard case .string(let left) = $0.first.byType, case .string(let right) = $0.second.byType else {
                return nil
            }
            let isSame = Array(left.value.utf8) == Array(right.value.utf8)
            guard (left == right) == isSame, (right == left) == isSame else { return "equality" }
            guard left.decodes(to: right.value) == isSame else { return "decoding" }
            guard !isSame || left.hashValue == right.hashValue else { return "hash" }
            return JSONObject([(left.value, JSON(1))]).value(of: right) == (isSame ? JSON(1) : nil) ? nil : "look-up"
        }
    }

    @Test func `a key is found in every spelling, in small and in large objects`() throws {
        for count in [0, 30] {
            let others = (0..<count).map { #""k\#($0)":0,"# }.joined()
            let object = try JSON(parsing: #"{\#(others)"\u0041\ud834\udd1e":1,"\u0042":2}"#)
            #expect(object["A\u{1D11E}"] == 1)
            #expect(object["B"] == 2)
            #expect(object["A"] == nil && object[#"\u0042"#] == nil && object["\\u0041BBBBB"] == nil)
            #expect(try object == JSON(parsing: #"{\#(others)"B":2,"A\uD834\uDD1E":1}"#))
        }
    }

    /// The sequence of sets (a value) and removals (nil).
    struct Steps: Shrinkable, CustomStringConvertible {
        var steps: [(key: Int, value: Int?)]

        var smaller: [Steps] {
            self.steps.indices.map { place in
                var rest = self.steps
                rest.remove(at: place)
                return Steps(steps: rest)
            }
        }

        var description: String { "\(self.steps)" }
    }

    @Test func `an object equals a list of pairs after many sets and removals`() {
        forAll(cases: 300) { random in
            let keys = random.random.pick(5, 20, 60)
            return Steps(
                steps: (0..<150).map { step in
                    let isGone = random.random.oneIn(2)
                    return (Int.random(in: 0..<keys, using: &random.random), isGone ? nil : step)
                })
        } holds: { steps in
            var object = JSONObject()
            var pairs: [(key: String, value: JSON)] = []
            for (key, value) in steps.steps.map({ ("k\($0.key)", $0.value.map { JSON($0) }) }) {
                object[key] = value
                let place = pairs.firstIndex { $0.key == key }
                switch (place, value) {
                case (let place?, let value?): pairs[place].value = value
                case (let place?, nil): pairs.remove(at: place)
                case (nil, let value?): pairs.append((key, value))
                case (nil, nil): break
                }
            }
            guard object.map(\.key) == pairs.map(\.key), object.map(\.value) == pairs.map(\.value) else {
                return "\(object.map(\.key)) and not \(pairs.map(\.key))"
            }
            guard object.count == pairs.count else { return "count" }
            return pairs.allSatisfy { object[$0.key] == $0.value } ? nil : "look-up"
        }
    }
}
