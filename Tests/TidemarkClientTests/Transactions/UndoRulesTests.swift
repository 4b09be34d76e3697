import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// The laws of an undo over field rules that separate the parts of several writers, and over nested objects.
@Suite struct UndoRulesTests {
    private static let seeds = UInt64(1)...2_000

    private static let start: JSON = [
        "title": "t0", "n": 10, "tags": ["g1", "g2"], "list": ["l1", "l2", "l3"],
        "text": "one two three four five six seven eight",
        "items": [["id": "a", "is": "i1"], ["id": "b", "is": "i2"]],
        "in": ["a": "a0", "b": ["c": "c0", "d": "d0"]],
    ]

    /// The parts of a record that are compared as one value.
    private static let atoms = ["/title", "/in/a", "/in/b/c", "/in/b/d"]

    /// A store without a server: another device's write is an edit here.
    private struct World {
        let engine: SyncEngine
        var generator: SeededGenerator
        private var count = 0

        init(seed: UInt64) throws {
            var configuration = SyncConfiguration()
            configuration["notes"].fields = try FieldRules([
                ("/n", .sum), ("/tags", .union), ("/list", .list), ("/text", .text), ("/items", .keyed("id")),
            ])
            self.engine = try SyncEngine(store: MemoryStore(), configuration: configuration, seed: seed)
            self.generator = SeededGenerator(seed: seed)
            _ = try self.engine.create(UndoRulesTests.start, pk: "1", in: "notes")
        }

        var view: JSON {
            get throws { try #require(try self.engine.snapshot(of: "1", in: "notes")?.content) }
        }

        private mutating func chance(_ count: Int) -> Int { Int(self.generator.next() % UInt64(count)) }

        private mutating func word(_ letter: String) -> String {
            self.count += 1
            return "\(letter)\(self.count + 100)"
        }

        /// Changes some parts of the record. A value that is written is new.
        mutating func edits() throws -> [RecordEdit] {
            var note = try self.view
            for path in UndoRulesTests.atoms where self.chance(3) == 0 {
                note[pointer: try JSONPointer(parsing: path)] = JSON(self.word("w"))
            }
            if self.chance(3) == 0 { note.n = JSON((note.n?.int ?? 0) + 1 + self.chance(9)) }
            for name in ["tags", "list"] where self.chance(3) == 0 {
                var elements = note[name]?.array ?? []
                let isRemoved = self.chance(2) == 0 && !elements.isEmpty
                if isRemoved { elements.remove(at: self.chance(elements.count)) }
                if !isRemoved { elements.insert(JSON(self.word("e")), at: self.chance(elements.count + 1)) }
                note[name] = .array(elements)
            }
            if self.chance(3) == 0 {
                var words = (note["text"]?.string ?? "").split(separator: " ").map(String.init)
                words.insert(self.word("x"), at: self.chance(words.count + 1))
                note["text"] = JSON(words.joined(separator: " "))
            }
            if self.chance(3) == 0 {
                var items = note["items"]?.array ?? []
                let place = self.chance(items.count + 1)
                let item: JSON = ["id": JSON(self.word("k")), "is": JSON(self.word("i"))]
                if place < items.count { items[place]["is"] = JSON(self.word("i")) } else { items.append(item) }
                note["items"] = .array(items)
            }
            let changed = note
            return try self.engine.transact { (t) throws(TidemarkError) in
                try t["notes"]["1"].edit { (view) throws(TidemarkError) in view = changed }
                return t.edits
            }.value
        }

        func undo(_ edits: [RecordEdit]) throws -> (edits: [RecordEdit], left: [UndoHistory.Left]) {
            try self.engine.transact { (t) throws(TidemarkError) in try t.undoUnchanged(edits) }.value
        }
    }

    /// The values of a part before the step, after it, at the time of the undo, and after the undo.
    private struct Part {
        let path: String
        let before: JSON?
        let after: JSON?
        let present: JSON?
        let undone: JSON?

        init(_ path: String, _ before: JSON, _ after: JSON, _ present: JSON, _ undone: JSON) throws {
            let pointer = try JSONPointer(parsing: path)
            self.path = path
            self.before = before[pointer: pointer]
            self.after = after[pointer: pointer]
            self.present = present[pointer: pointer]
            self.undone = undone[pointer: pointer]
        }

        var isOfStep: Bool { self.before != self.after }
        var isChangedSince: Bool { self.after != self.present }

        /// Whether the step and another writer changed the part.
        var hasBoth: Bool { self.isOfStep && self.isChangedSince }

        /// The elements of an array: those of the present one without the step's, and those that the step had removed.
        var elements: Set<JSON> {
            let (before, after) = (Set(self.before?.array ?? []), Set(self.after?.array ?? []))
            let present = Set(self.present?.array ?? [])
            return present.subtracting(after.subtracting(before)).union(before.subtracting(after))
        }

        /// The objects of an array, by their id.
        static func objects(_ array: JSON?) -> [JSON: JSON] {
            (array?.array ?? []).reduce(into: [:]) { objects, object in
                if let id = object.object?["id"] { objects[id] = object.object?["is"] }
            }
        }

        static func words(_ text: JSON?) -> Set<Substring> { Set((text?.string ?? "").split(separator: " ")) }
    }

    private func check(_ part: Part, isLeft: Bool, _ seed: UInt64) {
        guard part.hasBoth else {
            #expect(part.undone == (part.isOfStep ? part.before : part.present), "\(part.path), seed \(seed)")
            #expect(!isLeft, "\(part.path) is named, seed \(seed)")
            return
        }
        switch part.path {
        case "/n":
            let step = (part.after?.int ?? 0) - (part.before?.int ?? 0)
            #expect(part.undone?.int == (part.present?.int ?? 0) - step, "seed \(seed)")
        case "/tags", "/list":
            #expect(Set(part.undone?.array ?? []) == part.elements, "\(part.path), seed \(seed)")
            #expect(!isLeft, "\(part.path) is named, seed \(seed)")
        case "/text":
            let ofStep = Part.words(part.after).subtracting(Part.words(part.before))
            let expected = isLeft ? Part.words(part.present) : Part.words(part.present).subtracting(ofStep)
            #expect(Part.words(part.undone) == expected, "\(part.path), seed \(seed)")
        case "/items":
            let sides = [part.before, part.after, part.present, part.undone].map(Part.objects)
            for id in Set(sides.flatMap(\.keys)) {
                let (before, after, present) = (sides[0][id], sides[1][id], sides[2][id])
                #expect(sides[3][id] == (before != after && after == present ? before : present), "\(id), seed \(seed)")
            }
        default:
            #expect(part.undone == part.present, "\(part.path), seed \(seed)")
            #expect(isLeft == (part.present != part.before), "\(part.path) is named, seed \(seed)")
        }
    }

    @Test func `an undo changes the parts of its step alone, by the rules of their fields`() throws {
        var both = 0
        for seed in Self.seeds {
            var world = try World(seed: seed)
            let before = try world.view
            let step = try world.edits()
            let after = try world.view
            _ = seed.isMultiple(of: 4) ? [] : try world.edits()
            let present = try world.view
            let (back, left) = try world.undo(step)
            let undone = try world.view
            let named = left.flatMap(\.fields).map(\.text)
            for path in Self.atoms + ["/n", "/tags", "/list", "/text", "/items"] {
                let part = try Part(path, before, after, present, undone)
                if part.hasBoth { both += 1 }
                self.check(part, isLeft: named.contains { $0 == path || $0.hasPrefix("\(path)/") }, seed)
            }
            // The undo of an undo restores its changes, and the undo of that undoes them again.
            let (again, leftAgain) = try world.undo(back)
            #expect(leftAgain.isEmpty, "seed \(seed)")
            #expect(try world.view == present, "seed \(seed)")
            #expect(try world.undo(again).left.isEmpty, "seed \(seed)")
            #expect(try world.view == undone, "seed \(seed)")
        }
        #expect(both > 1_000, "both sides changed a part")
    }

    @Test func `steps that are undone from the last to the first restore the start`() throws {
        for seed in Self.seeds.prefix(500) {
            var world = try World(seed: seed)
            var steps: [[RecordEdit]] = []
            for _ in 0..<4 { steps.append(try world.edits()) }
            var undone: [[RecordEdit]] = []
            for step in steps.reversed() {
                let (back, left) = try world.undo(step)
                #expect(left.isEmpty, "seed \(seed)")
                undone.append(back)
            }
            #expect(try world.view == Self.start, "seed \(seed)")
            for step in undone.reversed() { #expect(try world.undo(step).left.isEmpty, "seed \(seed)") }
            #expect(try world.view == (steps.last { !$0.isEmpty }?.last?.after), "seed \(seed)")
        }
    }
}
