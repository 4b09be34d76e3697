import TestSupport
import Testing

@testable import TidemarkJSON

@Suite struct `Members that are set in a parsed value` {
    /// A parsed record, and a sequence of members to set (a value) or to remove (nil).
    struct Steps: Shrinkable, CustomStringConvertible {
        var record: JSON
        var isLoose: Bool
        var steps: [(key: String, value: JSON?)]

        var smaller: [Steps] {
            let fewer = self.steps.indices.map { place in
                var rest = self.steps
                rest.remove(at: place)
                return Steps(record: self.record, isLoose: self.isLoose, steps: rest)
            }
            return fewer + self.record.smaller.map { Steps(record: $0, isLoose: self.isLoose, steps: self.steps) }
        }

        var description: String {
            "\(self.record)\(self.isLoose ? " with blanks" : ""), then \(self.steps.map { ($0.key, $0.value?.text) })"
        }
    }

    private static func steps(_ random: inout RandomJSON) -> Steps {
        let record = random.record()
        let keys = (record.object?.keys ?? []) + ["new", "a/b", "\u{E9}", ""]
        return Steps(
            record: record, isLoose: random.random.oneIn(3),
            steps: (0..<Int.random(in: 1...6, using: &random.random)).map { _ in
                let key = keys.randomElement(using: &random.random) ?? ""
                return (key, random.random.oneIn(4) ? nil : random.record()[keys[0]] ?? random.document())
            })
    }

    @Test(arguments: seeds)
    func `setting members gives the same text in each representation of an object`(seed: UInt64) {
        forAll(seed: seed, cases: 400, Self.steps) { input in
            let text = input.isLoose ? input.record.prettyText : input.record.text
            var parsed = try JSON(parsing: text)
            guard let members = parsed.members else { return nil }
            var (apart, object) = (JSON(storage: .members(members)), JSONObject(members))
            if case .tape(let tape, let place) = parsed.storage { object = JSONObject(tape, Int(place)) }
            for (key, value) in input.steps {
                parsed[key] = value
                apart[key] = value
                object[key] = value
            }
            guard parsed.text == apart.text, object.json.text == apart.text else {
                return "\(parsed.text) and \(object.json.text), not \(apart.text)"
            }
            guard parsed == apart, parsed.hashValue == apart.hashValue else { return "it is not equal" }
            return try JSON(parsing: parsed.text) == parsed ? nil : "its text says something else"
        }
    }

    @Test func `a small parsed object stays a tape after members are set`() throws {
        var record = try JSON(parsing: #"{"title":"Milk","n":1.10}"#)
        record.title = "Oat milk"
        record.n = nil
        record.tags = try JSON(parsing: #"["home"]"#)
        guard case .tape = record.storage else { throw TakenApart() }
        #expect(record.text == #"{"title":"Oat milk","tags":["home"]}"#)
    }

    @Test(arguments: [40, 400]) func `a large parsed object becomes a list of members on the first set`(count: Int)
        throws
    {
        let members = (0..<count).map { #""k\#($0)":"\#(String(repeating: "x", count: 30))""# }
        var record = try JSON(parsing: "{\(members.joined(separator: ","))}")
        record.k7 = 7
        guard case .members = record.storage else { throw Copied() }
        #expect(record.k7 == 7 && record.object?.count == count)
    }

    private struct TakenApart: Error {}
    private struct Copied: Error {}
}
