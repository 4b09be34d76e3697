import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

@Suite("Contract §8: changes through a type") struct TypedChangeTests {
    private func change(
        _ record: String, sees before: String, becomes after: String, _ rules: [(String, any FieldRule)] = []
    ) throws -> TypedChange {
        let after = try JSON(parsing: after)
        return TypedChange(
            from: try JSON(parsing: before), to: after, of: try JSON(parsing: record), by: try FieldRules(rules)
        ) { _ in after }
    }

    @Test(arguments: [
        // One element is changed, one is not.
        (
            #"{"l":[{"id":1,"n":1,"c":"r"},{"id":2,"n":1.50,"c":"b"}]}"#, #"{"l":[{"id":1,"n":1},{"id":2,"n":1.5}]}"#,
            #"{"l":[{"id":1,"n":5},{"id":2,"n":1.5}]}"#, #"{"l":[{"id":1,"n":5,"c":"r"},{"id":2,"n":1.50,"c":"b"}]}"#
        ),
        // Without an id: inserted, removed, moved, changed beside one that stayed.
        (
            #"{"l":[{"n":1,"c":"r"},{"n":2,"c":"b"}]}"#, #"{"l":[{"n":1},{"n":2}]}"#,
            #"{"l":[{"n":0},{"n":1},{"n":2}]}"#,
            #"{"l":[{"n":0},{"n":1,"c":"r"},{"n":2,"c":"b"}]}"#
        ),
        (
            #"{"l":[{"n":1,"c":"r"},{"n":2,"c":"b"}]}"#, #"{"l":[{"n":1},{"n":2}]}"#, #"{"l":[{"n":2}]}"#,
            #"{"l":[{"n":2,"c":"b"}]}"#
        ),
        (
            #"{"l":[{"n":1,"c":"r"},{"n":2,"c":"b"},{"n":3,"c":"g"}]}"#, #"{"l":[{"n":1},{"n":2},{"n":3}]}"#,
            #"{"l":[{"n":3},{"n":1},{"n":2}]}"#, #"{"l":[{"n":3,"c":"g"},{"n":1,"c":"r"},{"n":2,"c":"b"}]}"#
        ),
        (
            #"{"l":[{"n":1,"c":"r"},{"n":2,"c":"b"},{"n":3,"c":"g"}]}"#, #"{"l":[{"n":1},{"n":2},{"n":3}]}"#,
            #"{"l":[{"n":1},{"n":7},{"n":3},{"n":4}]}"#,
            #"{"l":[{"n":1,"c":"r"},{"n":7,"c":"b"},{"n":3,"c":"g"},{"n":4}]}"#
        ),
        // Scalars keep their text.
        (
            #"{"d":[0.12345678901234567890,2.50],"t":["2025-01-02T03:04:05+02:00"]}"#,
            #"{"d":[0.12345678901234568,2.5],"t":["2025-01-02T01:04:05Z"]}"#,
            #"{"d":[0.12345678901234568,3,2.5],"t":["2025-01-02T01:04:05Z","2026-01-01T00:00:00Z"]}"#,
            #"{"d":[0.12345678901234567890,3,2.50],"t":["2025-01-02T03:04:05+02:00","2026-01-01T00:00:00Z"]}"#
        ),
        // Arrays of arrays, arrays in elements, dictionaries of arrays.
        (
            #"{"m":[[1.0,2.0],[3.0,4.0]]}"#, #"{"m":[[1,2],[3,4]]}"#, #"{"m":[[1,2],[3,9]]}"#,
            #"{"m":[[1.0,2.0],[3.0,9]]}"#
        ),
        (
            #"{"l":[{"id":"a","s":[{"n":1,"x":1},{"n":2,"x":2}],"x":0}]}"#,
            #"{"l":[{"id":"a","s":[{"n":1},{"n":2}]}]}"#,
            #"{"l":[{"id":"a","s":[{"n":1},{"n":3}]}]}"#, #"{"l":[{"id":"a","s":[{"n":1,"x":1},{"n":3,"x":2}],"x":0}]}"#
        ),
        (
            #"{"a/b":{"p":[{"n":1,"x":1}],"q":[{"n":1,"x":2}]}}"#, #"{"a/b":{"p":[{"n":1}],"q":[{"n":1}]}}"#,
            #"{"a/b":{"p":[{"n":1}],"q":[{"n":2}]}}"#, #"{"a/b":{"p":[{"n":1,"x":1}],"q":[{"n":2,"x":2}]}}"#
        ),
        // A set, whose order is another one; elements that the type skips; equal elements that it keeps once.
        (
            #"{"s":[{"n":3,"x":3},{"n":1,"x":1}]}"#, #"{"s":[{"n":1},{"n":3}]}"#, #"{"s":[{"n":1},{"n":2},{"n":3}]}"#,
            #"{"s":[{"n":3,"x":3},{"n":1,"x":1},{"n":2}]}"#
        ),
        (
            #"{"l":["bad",{"n":1,"x":1},{"q":0},{"n":2,"x":2}]}"#, #"{"l":[{"n":1},{"n":2}]}"#,
            #"{"l":[{"n":1},{"n":5}]}"#,
            #"{"l":["bad",{"n":1,"x":1},{"q":0},{"n":5,"x":2}]}"#
        ),
        (#"{"l":[1,2,1.0,3]}"#, #"{"l":[1,2,3]}"#, #"{"l":[2,3,4]}"#, #"{"l":[2,3,4]}"#),
        (#"{"l":[1,2,1.0,3]}"#, #"{"l":[1,2,3]}"#, #"{"l":[1,2,3,4]}"#, #"{"l":[1,2,1.0,3,4]}"#),
        // A case of an enum that the type does not know does not stay beside the new one.
        (#"{"l":[{"new":{}}]}"#, #"{"l":[{"unknown":{}}]}"#, #"{"l":[{"idle":{}}]}"#, #"{"l":[{"idle":{}}]}"#),
    ])
    func `an element keeps its text, and a changed one the members that the type does not know`(
        record: String, before: String, after: String, expected: String
    ) throws {
        let changed = try self.change(record, sees: before, becomes: after)
        #expect(changed.record.text == expected)
        #expect(changed.losses == [])
    }

    @Test func `the key of a rule identifies an element that was moved and changed`() throws {
        let changed = try self.change(
            #"{"l":[{"k":1,"n":1,"c":"r"},{"k":2,"n":2,"c":"b"}]}"#, sees: #"{"l":[{"k":1,"n":1},{"k":2,"n":2}]}"#,
            becomes: #"{"l":[{"k":2,"n":7},{"k":3,"n":1},{"k":1,"n":8}]}"#, [("/l", .keyed("k"))])
        #expect(changed.record.text == #"{"l":[{"k":2,"n":7,"c":"b"},{"k":3,"n":1},{"k":1,"n":8,"c":"r"}]}"#)
        #expect(changed.losses == [])
    }

    @Test func `an array whose changed elements can't be told apart is listed as a loss`() throws {
        let record = #"{"o":{"l":[{"n":1,"c":"r"},{"n":2,"c":"b"},{"n":3,"c":"g"}]}}"#
        let changed = try self.change(
            record, sees: #"{"o":{"l":[{"n":1},{"n":2},{"n":3}]}}"#, becomes: #"{"o":{"l":[{"n":8},{"n":3}]}}"#)
        #expect(changed.record.text == #"{"o":{"l":[{"n":8},{"n":3,"c":"g"}]}}"#)
        #expect(changed.losses.map(\.path.text) == ["/o/l"])
        #expect(changed.losses.first?.value.text == #"[{"n":1,"c":"r"},{"n":2,"c":"b"},{"n":3,"c":"g"}]"#)
    }

    @Test func `a removal of an element is no loss, unless an equal one is kept`() throws {
        let removed = try self.change(
            #"{"l":[{"n":1,"c":"r"},{"n":2,"c":"b"}]}"#, sees: #"{"l":[{"n":1},{"n":2}]}"#, becomes: #"{"l":[{"n":1}]}"#
        )
        #expect(removed.losses == [])
        let equal = try self.change(
            #"{"l":[{"n":1,"c":"r"},{"n":1,"c":"b"}]}"#, sees: #"{"l":[{"n":1},{"n":1}]}"#, becomes: #"{"l":[{"n":1}]}"#
        )
        #expect(equal.losses.map(\.path.text) == ["/l"])
    }

    // MARK: Any document and any type

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `a type that changes nothing keeps every record as it is written`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let record = RandomLines.record(&random)
            let type = RandomType(&random)
            let view = type.view(of: record)
            let change = TypedChange(from: view, to: view, of: record, by: FieldRules(), seenBy: type.view)
            #expect(change.record.text == record.text)
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `one change of elements without a key is the same change of the record`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let rows = (0..<Int.random(in: 1...3, using: &random)).map { row in
                (0..<Int.random(in: 1...6, using: &random)).map {
                    ["n": JSON(row * 10 + $0), "secret": [JSON(row), JSON($0)]] as JSON
                }
            }
            let seen = rows.map { $0.map { ["n": $0.n ?? .null] as JSON } }
            let place = Int.random(in: 0..<rows.count, using: &random)
            let change = OneChange(of: rows[place].count, &random)
            func document(_ rows: [[JSON]], changed: Bool) -> JSON {
                let nested = rows.enumerated().map { row, elements in
                    changed && row == place ? change.applied(to: elements) : .array(elements)
                }
                return ["flat": nested[place], "nested": .array(nested), "named": ["a": nested[place]]]
            }
            let record = document(rows, changed: false)
            let after = document(seen, changed: true)
            let changed = TypedChange(
                from: document(seen, changed: false), to: after, of: record, by: FieldRules()
            ) { _ in after }
            #expect(changed.record.text == document(rows, changed: true).text)
            #expect(changed.losses == [])
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>, [true, false])
    func `every element that still exists keeps what its type does not know`(seed: UInt64, hasRule: Bool) throws {
        var random = SeededGenerator(seed: seed)
        let rules = hasRule ? try FieldRules([("/lines", .keyed("id"))]) : FieldRules()
        for _ in 0..<50 {
            let record = RandomLines.record(&random)
            let type = RandomType(&random)
            let before = type.view(of: record)
            let after = RandomLines.edited(before, &random)
            let changed = TypedChange(from: before, to: after, of: record, by: rules, seenBy: type.view).record
            let (old, seen, new) = (record.lines?.byID ?? [:], before.lines?.byID ?? [:], after.lines?.byID ?? [:])
            let result = changed.lines?.byID ?? [:]
            #expect(result.count == old.count - seen.count + new.count, "\(record)\n\(before)\n\(after)\n\(changed)")
            for (id, element) in new {
                guard let former = old[id] else { continue }
                let written = try #require(result[id])
                #expect(written["secret"] as JSON? == former["secret"], "\(record)\n\(after)\n\(changed)")
                #expect(written["n"] as JSON? == (element == seen[id] ? former["n"] : element["n"]))
                if element == seen[id] { #expect(written.text == former.text) }
            }
            #expect(changed.other?.text == record.other?.text)
        }
    }
}

/// One change of an array, made equally to the elements that a type sees and to those of the record.
private struct OneChange {
    private let kind: Int
    private let from: Int
    private let to: Int

    init(of count: Int, _ random: inout SeededGenerator) {
        self.kind = Int.random(in: 0..<4, using: &random)
        self.from = Int.random(in: 0..<count, using: &random)
        self.to = Int.random(in: 0..<count, using: &random)
    }

    func applied(to elements: [JSON]) -> JSON {
        var elements = elements
        switch self.kind {
        case 0: elements.insert(["n": 999], at: self.to)
        case 1: elements.remove(at: self.from)
        case 2: elements.insert(elements.remove(at: self.from), at: self.to)
        default: elements[self.from].n = 1_000
        }
        return .array(elements)
    }
}

/// A type that knows less than the record: it drops members, rounds numbers, and may sort the elements or skip some.
private struct RandomType {
    private let sorts: Bool
    private let skips: Bool

    init(_ random: inout SeededGenerator) {
        (self.sorts, self.skips) = (Bool.random(using: &random), Bool.random(using: &random))
    }

    func view(of record: JSON) -> JSON {
        let lines = (record.lines?.array ?? []).filter { !self.skips || $0["odd"] as JSON? == nil }.map {
            line -> JSON in
            ["id": line["id"] ?? .null, "n": JSON(((line["n"] as JSON?)?.double ?? 0).rounded())]
        }
        return ["lines": .array(self.sorts ? lines.sorted { $0.text < $1.text } : lines)]
    }
}

private enum RandomLines {
    static func record(_ random: inout SeededGenerator) -> JSON {
        let ids = (0..<Int.random(in: 0...6, using: &random)).map { $0 * 3 % 7 }
        let lines = ids.map { id -> JSON in
            let fraction = Int.random(in: 0...99, using: &random)
            var line: JSON = ["secret": JSON("s\(id)"), "id": JSON(id)]
            line["n"] = JSONNumber("\(id).\(fraction)0").map { JSON.number($0) }
            if Int.random(in: 0..<4, using: &random) == 0 { line["odd"] = true }
            return line
        }
        return ["lines": .array(lines), "other": [1, ["x": 1.5]]]
    }

    /// The same lines with a few of them removed, moved, changed and added.
    static func edited(_ view: JSON, _ random: inout SeededGenerator) -> JSON {
        var lines = view.lines?.array ?? []
        for step in 0..<Int.random(in: 0...4, using: &random) {
            let place = lines.indices.randomElement(using: &random)
            switch (Int.random(in: 0..<4, using: &random), place) {
            case (0, let place?): lines.remove(at: place)
            case (1, let place?):
                lines.insert(lines.remove(at: place), at: Int.random(in: 0..<lines.count + 1, using: &random))
            case (2, let place?): lines[place]["n"] = JSON(1_000 + step)
            default:
                let line: JSON = ["id": JSON(100 + step), "n": 0]
                lines.insert(line, at: Int.random(in: 0...lines.count, using: &random))
            }
        }
        return ["lines": .array(lines)]
    }
}

extension JSON {
    fileprivate var byID: [Int: JSON] {
        Dictionary((self.array ?? []).compactMap { line in (line["id"] as JSON?)?.int.map { ($0, line) } }) { $1 }
    }
}
