import Foundation
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

@Suite("Contract §8: what a type reads after its change") struct TypedRecordsTests {
    @Test(arguments: 1...25 as ClosedRange<UInt64>)
    func `a type reads its own change, in any order of the record`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let written = Parts(RandomParts.document(&random), &random)
            let record = written.json
            let value: Document = try record.decode()
            var edited = value
            RandomParts.edit(&edited, &random)
            let change = try TypedChange(editing: record, from: value, to: edited)
            let result = change.record
            let read: Document? = try? result.decode()
            #expect(read == edited, "\(record)\n\(edited)\n\(result)")
            if edited == value { #expect(result.text == record.text) }
            // A hidden member has the name of its key: no key has the hidden member of another one.
            for (name, cell) in result["cells"]?.pairs ?? [] {
                #expect(cell["hidden"] == nil || cell["hidden"] == name, "\(record)\n\(result)")
            }
            for item in result["items"]?.array ?? [] where change.losses.isEmpty {
                #expect(item["hidden"] == nil || item["hidden"] == item["id"], "\(record)\n\(result)")
            }
        }
    }

    /// The record, as another program wrote it, and the same record after a change of a dictionary whose keys are not names.
    @Test func `a key of a dictionary keeps its value, and the value the members that the type does not know`() throws {
        struct Colored: Codable, Equatable { var m: [Color: Cell] }
        let record = #"{"m":["red",{"x":1,"u":1},"blue",{"x":1,"u":2},"green",{"x":1.0,"u":3}]}"#
        func changed(_ edit: (inout Colored) -> Void) throws -> TypedChange {
            let record = try JSON(parsing: record)
            let value: Colored = try record.decode()
            var edited = value
            edit(&edited)
            return try TypedChange(editing: record, from: value, to: edited)
        }
        let one = try changed { $0.m[.red]?.x = 7 }
        #expect(one.record.text == #"{"m":["red",{"x":7,"u":1},"blue",{"x":1,"u":2},"green",{"x":1.0,"u":3}]}"#)
        let removed = try changed { $0.m[.blue] = nil }
        #expect(removed.record.text == #"{"m":["red",{"x":1,"u":1},"green",{"x":1.0,"u":3}]}"#)
        let added = try changed { $0.m[.white] = Cell(x: 1) }
        #expect(
            added.record.text
                == #"{"m":["red",{"x":1,"u":1},"white",{"x":1},"blue",{"x":1,"u":2},"green",{"x":1.0,"u":3}]}"#)
        #expect([one, removed, added].allSatisfy { $0.losses.isEmpty })
        let exchanged = try changed { ($0.m[.red], $0.m[.blue]) = (nil, Cell(x: 2)) }
        #expect(exchanged.record.text == #"{"m":["blue",{"x":2,"u":2},"green",{"x":1.0,"u":3}]}"#)
    }

    @Test func `an element of a set is found although a smaller one is a part of it`() throws {
        struct Cells: Codable, Equatable { var s: Set<Cell> }
        let record = try JSON(parsing: #"{"s":[{"x":2},{"x":2,"y":[0],"u":1}]}"#)
        let value: Cells = try record.decode()
        var edited = value
        edited.s.remove(Cell(x: 2, y: [0]))
        let removed = try TypedChange(editing: record, from: value, to: edited)
        #expect(removed.record.text == #"{"s":[{"x":2}]}"#)
        edited = value
        edited.s.remove(Cell(x: 2))
        let kept = try TypedChange(editing: record, from: value, to: edited)
        #expect(kept.record.text == #"{"s":[{"x":2,"y":[0],"u":1}]}"#)
        #expect(removed.losses.isEmpty && kept.losses.isEmpty)
    }

    @Test func `an array that the type would misread is written as one value, and listed as a loss`() throws {
        // The keys are objects, so that nothing tells the array from one of elements.
        struct Places: Codable, Equatable {
            var m: [Cell: Int]
            var l: [Cell]
        }
        let record = try JSON(parsing: #"{"m":[{"x":3},1,{"x":1},1,{"x":2},2],"l":[{"x":1,"u":1}]}"#)
        let value: Places = try record.decode()
        var edited = value
        edited.m[Cell(x: 3)] = 7
        edited.l[0].x = 2
        let change = try TypedChange(editing: record, from: value, to: edited)
        #expect(change.record.text == #"{"m":[{"x":1},1,{"x":2},2,{"x":3},7],"l":[{"x":2,"u":1}]}"#)
        #expect(change.losses.map(\.path.text) == ["/m"])
        #expect(change.losses.first?.value == record["m"])
    }

    @Test func `a type that does not decode its own encoding still keeps hidden members`() throws {
        /// Writes another number each time.
        struct Counting: Codable, Equatable {
            var n: Int
            var writes: Int

            enum CodingKeys: CodingKey { case n, writes }

            func encode(to encoder: any Encoder) throws {
                var members = encoder.container(keyedBy: CodingKeys.self)
                try members.encode(self.n, forKey: .n)
                try members.encode(self.writes + 1, forKey: .writes)
            }
        }
        struct Counted: Codable, Equatable { var l: [Counting] }
        let record = try JSON(parsing: #"{"l":[{"n":1,"writes":1,"u":1}]}"#)
        let value: Counted = try record.decode()
        var edited = value
        edited.l[0].n = 2
        let change = try TypedChange(editing: record, from: value, to: edited)
        #expect(change.record.text == #"{"l":[{"n":2,"writes":1,"u":1}]}"#)
        #expect(change.losses.isEmpty)
    }
}

private enum Color: String, Codable, CaseIterable { case red, green, blue, black, white, amber }

private struct Cell: Codable, Hashable {
    var x: Int
    var y: [Int]?
}

private enum Shape: Codable, Hashable {
    case circle(r: Int)
    case square(side: Int)
    case none
}

private struct Item: Codable, Equatable {
    var id: Int
    var counts: [Color: Int]
    var cells: Set<Cell>
}

/// A type with each kind of array.
private struct Document: Codable, Equatable {
    var counts: [Color: Int]
    var cells: [Color: Cell]
    var names: [UUID: Color]
    var places: [Cell: Cell]
    var set: Set<Cell>
    var list: [Cell]
    var perhaps: [Cell?]
    var shapes: [String: [Shape]]
    var rows: [[Cell]]
    var deep: [Color: [Color: Int]]
    var items: [Item]
}

extension TypedChange {
    /// A change by a type, as `edit(as:)` makes it.
    fileprivate init<Value: Codable>(editing record: JSON, from value: Value, to edited: Value) throws {
        self.init(
            from: try JSON(encoding: value), to: try JSON(encoding: edited), of: record, by: FieldRules()
        ) { try? JSON(encoding: $0.decode(Value.self)) }
    }
}

extension JSON {
    /// The keys and values of an array that has them in turn.
    fileprivate var pairs: [(JSON, JSON)] {
        let elements = self.array ?? []
        return stride(from: 0, to: elements.count - 1, by: 2).map { (elements[$0], elements[$0 + 1]) }
    }
}

/// A record as another program writes it: in any order, with members that the type does not know.
private struct Parts {
    let json: JSON

    init(_ document: Document, _ random: inout SeededGenerator) {
        var members: [(String, JSON)] = []
        for (name, value) in (try? JSON(encoding: document))?.object ?? [:] {
            let part: JSON =
                switch name {
                case "counts", "names": Self.pairs(value, &random)
                case "cells": Self.pairs(value, &random) { key, cell, _ in Self.hiding(name: key, in: cell) }
                case "places":
                    Self.pairs(value, &random) { _, cell, random in Self.hiding(cell, &random) }
                case "deep": Self.pairs(value, &random) { _, value, random in Self.pairs(value, &random) }
                case "set": Self.elements(Self.anyOrder(value, &random), &random)
                case "rows": .array((value.array ?? []).map { Self.elements($0, &random) })
                case "list", "perhaps": Self.elements(value, &random)
                case "items": .array((value.array ?? []).map { Self.item($0, &random) })
                default: value
                }
            members.append((name, part))
        }
        self.json = .object(JSONObject(members.shuffled(using: &random)))
    }

    private static func pairs(
        _ json: JSON, _ random: inout SeededGenerator,
        value: (JSON, JSON, inout SeededGenerator) -> JSON = { _, value, _ in value }
    ) -> JSON {
        let isOrdered = Int.random(in: 0..<4, using: &random) == 0
        let pairs = isOrdered ? json.pairs : json.pairs.shuffled(using: &random)
        return .array(pairs.flatMap { [$0, value($0, $1, &random)] })
    }

    private static func elements(_ json: JSON, _ random: inout SeededGenerator) -> JSON {
        .array((json.array ?? []).map { Self.hiding($0, &random) })
    }

    private static func anyOrder(_ json: JSON, _ random: inout SeededGenerator) -> JSON {
        .array((json.array ?? []).shuffled(using: &random))
    }

    private static func item(_ json: JSON, _ random: inout SeededGenerator) -> JSON {
        var item = json
        item["counts"] = Self.pairs(json["counts"] ?? [], &random)
        item["cells"] = Self.anyOrder(json["cells"] ?? [], &random)
        return Self.hiding(name: json["id"] ?? .null, in: item)
    }

    private static func hiding(_ json: JSON, _ random: inout SeededGenerator) -> JSON {
        guard Bool.random(using: &random) else { return json }
        return Self.hiding(name: JSON(Int.random(in: 0..<1_000, using: &random)), in: json)
    }

    private static func hiding(name value: JSON, in json: JSON) -> JSON {
        guard json.object != nil else { return json }
        var json = json
        json["hidden"] = value
        return json
    }
}

private enum RandomParts {
    private static let ids = (1...6).compactMap { UUID(uuidString: "0000000\($0)-0000-0000-0000-000000000000") }

    static func document(_ random: inout SeededGenerator) -> Document {
        Document(
            counts: self.dictionary(Color.allCases, &random, self.number),
            cells: self.dictionary(Color.allCases, &random, self.cell),
            names: self.dictionary(self.ids, &random, self.color),
            places: self.dictionary(self.array(&random, self.cell), &random, self.cell),
            set: Set(self.array(&random, self.cell)), list: self.array(&random, self.cell),
            perhaps: self.array(&random, self.perhaps),
            shapes: self.dictionary(["a", "b", "c"], &random) { self.array(&$0, self.shape) },
            rows: self.array(&random) { self.array(&$0, self.cell) },
            deep: self.dictionary(Color.allCases, &random) { self.dictionary(Color.allCases, &$0, self.number) },
            items: (0..<Int.random(in: 0...4, using: &random)).map { self.item($0, &random) })
    }

    /// Changes a few members.
    static func edit(_ value: inout Document, _ random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            switch Int.random(in: 0..<11, using: &random) {
            case 0: self.edit(&value.counts, Color.allCases, &random, self.number)
            case 1: self.edit(&value.cells, Color.allCases, &random, self.cell)
            case 2: self.edit(&value.names, self.ids, &random, self.color)
            case 3: self.edit(&value.places, self.array(&random, self.cell), &random, self.cell)
            case 4: self.edit(&value.set, &random)
            case 5: self.edit(&value.list, &random, self.cell)
            case 6: self.edit(&value.perhaps, &random, self.perhaps)
            case 7: self.edit(&value.shapes, ["a", "b", "c"], &random) { self.array(&$0, self.shape) }
            case 8:
                self.edit(&value.rows, &random) { self.array(&$0, self.cell) }
                guard let row = value.rows.indices.randomElement(using: &random) else { continue }
                self.edit(&value.rows[row], &random, self.cell)
            case 9:
                let key = self.color(&random)
                self.edit(&value.deep[key, default: [:]], Color.allCases, &random, self.number)
            default:
                self.edit(&value.items, &random) { self.item(Int.random(in: 10...1_000_000, using: &$0), &$0) }
                guard let place = value.items.indices.randomElement(using: &random) else { continue }
                self.edit(&value.items[place].counts, Color.allCases, &random, self.number)
                self.edit(&value.items[place].cells, &random)
            }
        }
    }

    private static func edit<Key: Hashable, Value>(
        _ dictionary: inout [Key: Value], _ keys: [Key], _ random: inout SeededGenerator,
        _ value: (inout SeededGenerator) -> Value
    ) {
        for _ in 0...Int.random(in: 0...2, using: &random) {
            guard let key = keys.randomElement(using: &random) else { return }
            dictionary[key] = Int.random(in: 0..<3, using: &random) == 0 ? nil : value(&random)
        }
    }

    private static func edit(_ set: inout Set<Cell>, _ random: inout SeededGenerator) {
        // The order of a set differs in each process.
        let sorted = set.sorted { ($0.x, $0.y?.count ?? -1, "\($0)") < ($1.x, $1.y?.count ?? -1, "\($1)") }
        if Bool.random(using: &random), let cell = sorted.randomElement(using: &random) { set.remove(cell) }
        if Bool.random(using: &random) { set.insert(self.cell(&random)) }
    }

    private static func edit<Element>(
        _ array: inout [Element], _ random: inout SeededGenerator, _ element: (inout SeededGenerator) -> Element
    ) {
        for _ in 0...Int.random(in: 0...2, using: &random) {
            let place = array.indices.randomElement(using: &random)
            switch (Int.random(in: 0..<5, using: &random), place) {
            case (0, let place?): array.remove(at: place)
            case (1, let place?): array[place] = element(&random)
            case (2, let place?): array.swapAt(place, Int.random(in: array.indices, using: &random))
            case (3, _?) where Int.random(in: 0..<4, using: &random) == 0: array.shuffle(using: &random)
            default: array.insert(element(&random), at: Int.random(in: 0...array.count, using: &random))
            }
        }
    }

    private static func dictionary<Key: Hashable, Value>(
        _ keys: [Key], _ random: inout SeededGenerator, _ value: (inout SeededGenerator) -> Value
    ) -> [Key: Value] {
        var dictionary: [Key: Value] = [:]
        for key in keys where Bool.random(using: &random) { dictionary[key] = value(&random) }
        return dictionary
    }

    private static func array<Element>(
        _ random: inout SeededGenerator, _ element: (inout SeededGenerator) -> Element
    ) -> [Element] {
        (0..<Int.random(in: 0...5, using: &random)).map { _ in element(&random) }
    }

    private static func number(_ random: inout SeededGenerator) -> Int { Int.random(in: 0...3, using: &random) }

    private static func color(_ random: inout SeededGenerator) -> Color {
        Color.allCases.randomElement(using: &random) ?? .red
    }

    private static func cell(_ random: inout SeededGenerator) -> Cell {
        let numbers = (0..<Int.random(in: 0...2, using: &random)).map { _ in Int.random(in: 0...1, using: &random) }
        return Cell(x: Int.random(in: 0...2, using: &random), y: Bool.random(using: &random) ? numbers : nil)
    }

    private static func perhaps(_ random: inout SeededGenerator) -> Cell? {
        Int.random(in: 0..<3, using: &random) == 0 ? nil : self.cell(&random)
    }

    private static func shape(_ random: inout SeededGenerator) -> Shape {
        let shapes: [Shape] = [.circle(r: self.number(&random)), .square(side: self.number(&random)), .none]
        return shapes.randomElement(using: &random) ?? .none
    }

    private static func item(_ id: Int, _ random: inout SeededGenerator) -> Item {
        Item(
            id: id, counts: self.dictionary(Color.allCases, &random, self.number),
            cells: Set(self.array(&random, self.cell)))
    }
}
