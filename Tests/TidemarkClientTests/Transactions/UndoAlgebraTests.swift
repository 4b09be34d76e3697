import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// The laws of an undo that leaves what others changed.
@Suite struct UndoAlgebraTests {
    private static let fields = ["a", "b", "c"]
    private static let pks = ["1", "2"]
    private static let seeds = UInt64(1)...10_000

    /// A store without a server: another device's write is an edit here.
    private struct World {
        let engine: SyncEngine
        var generator: SeededGenerator

        init(seed: UInt64) throws {
            self.engine = try SyncEngine(store: MemoryStore(), configuration: SyncConfiguration(), seed: seed)
            self.generator = SeededGenerator(seed: seed)
            let start: JSON = ["a": 0, "b": 0, "c": 0]
            _ = try self.engine.transact { (t) throws(TidemarkError) in
                for pk in UndoAlgebraTests.pks { try t["notes"].create(start, pk: pk) }
            }
        }

        var views: [String: JSON] {
            get throws {
                try UndoAlgebraTests.pks.reduce(into: [:]) {
                    $0[$1] = try self.engine.snapshot(of: $1, in: "notes")?.content
                }
            }
        }

        /// Sets some fields to values that no field had before.
        mutating func edits(_ value: Int) throws -> [RecordEdit] {
            var changes: [(pk: String, field: String)] = []
            for pk in UndoAlgebraTests.pks {
                for field in UndoAlgebraTests.fields where self.generator.next() % 3 == 0 {
                    changes.append((pk, field))
                }
            }
            return try self.engine.transact { (t) throws(TidemarkError) in
                for (pk, field) in changes { try t["notes"][pk].edit { $0[field] = JSON(value) } }
                return t.edits
            }.value
        }

        func undo(_ edits: [RecordEdit]) throws -> (edits: [RecordEdit], left: [UndoHistory.Left]) {
            try self.engine.transact { (t) throws(TidemarkError) in try t.undoUnchanged(edits) }.value
        }
    }

    @Test func `an undo changes the fields of its step that were not changed since, and no other field`() throws {
        for seed in Self.seeds {
            var world = try World(seed: seed)
            let first = try world.views
            let step = try world.edits(1)
            let (before, after) = (first, try world.views)
            // Others change some fields, sometimes to the value that they had at first.
            _ = try world.edits(seed.isMultiple(of: 3) ? 0 : 2)
            let present = try world.views
            let (back, left) = try world.undo(step)
            let undone = try world.views
            for pk in Self.pks {
                for field in Self.fields {
                    let isOfStep = before[pk]?[field] != after[pk]?[field]
                    let isUnchanged = after[pk]?[field] == present[pk]?[field]
                    let expected = isOfStep && isUnchanged ? before[pk]?[field] : present[pk]?[field]
                    #expect(undone[pk]?[field] == expected, "\(field) of \(pk), seed \(seed)")
                    // A field that has the value again that it had before the step is no loss.
                    let isLeft = isOfStep && !isUnchanged && present[pk]?[field] != before[pk]?[field]
                    let named = left.filter { $0.pk == pk }.flatMap(\.fields).contains(JSONPointer(tokens: [field]))
                    #expect(named == isLeft, "\(field) of \(pk) is named, seed \(seed)")
                }
            }
            // The undo of an undo restores its changes.
            #expect(try world.undo(back).left.isEmpty, "seed \(seed)")
            #expect(try world.views == present, "seed \(seed)")
        }
    }
}
