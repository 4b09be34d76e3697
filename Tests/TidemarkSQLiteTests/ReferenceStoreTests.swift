import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting
import Testing

@Suite struct ReferenceStoreTests {
    /// Two stores with the same contents.
    private struct Pair {
        let memory = MemoryStore()
        let file: SQLiteStore

        init() throws { self.file = try SQLiteStore(.memory) }

        var both: [any ReferenceStore] { [self.memory, self.file] }

        /// Expects the same of both.
        func same<Value: Equatable>(
            _ what: String, _ look: (any ReferenceStore) throws -> Value
        ) throws {
            let (one, other) = (try look(self.memory), try look(self.file))
            #expect(one == other, "\(what)")
        }
    }

    private static let collections = ["a", "b"]
    private static let phases: [RecordPhase] = [
        .created(.idle), .edited(.idle), .deleted(.idle), .edited(.held), .created(.unconfirmed), .synced,
    ]

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a store in a file finds the same waiting records as one in memory`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let pair = try Pair()
        let names = Self.collections.flatMap { collection in
            (0..<6).map { RecordName(collection: collection, pk: "\($0)") }
        }
        func some() -> Set<RecordName> {
            Set(names.shuffled(using: &random).prefix(Int.random(in: 0...2, using: &random)))
        }
        for number in 0..<80 {
            let name = names[Int.random(in: 0..<names.count, using: &random)]
            let phase = Self.phases[Int.random(in: 0..<Self.phases.count, using: &random)]
            var references = RecordReferences()
            if phase != .synced {
                references = RecordReferences(
                    added: phase.state == .deleted ? [] : some(), removed: some(),
                    isMissing: Bool.random(using: &random))
            }
            let isErased = Int.random(in: 0..<8, using: &random) == 0
            for store in pair.both {
                try store.transaction { () throws(TidemarkError) in
                    if isErased {
                        try store.erase(name.pk.value, in: name.collection.value)
                        _ = try store.replaceReferences(
                            of: name.pk.value, in: name.collection.value, by: RecordReferences())
                    } else {
                        let confirmed = StoredVersion(version: "1", data: [0x7B, 0x7D])
                        let record = StoredRecord(
                            pk: name.pk.value, phase: phase, confirmed: confirmed, sequence: Int64(number + 1))
                        try store.save(record, in: name.collection.value)
                        _ = try store.replaceReferences(of: name.pk.value, in: name.collection.value, by: references)
                    }
                }
            }
            for collection in Self.collections { try self.compare(collection, pair, names, number) }
        }
    }

    private func compare(_ collection: String, _ pair: Pair, _ names: [RecordName], _ number: Int) throws {
        for limit in [1, 3, 100] {
            try pair.same("to send") {
                try $0.recordsToSend(in: collection, after: Int64(number / 2), limit: limit).map(\.pk)
            }
            for areAwaited in [false, true] {
                try pair.same("waiting") {
                    try $0.waitingRecords(in: collection, areAwaited: areAwaited, limit: limit)
                }
            }
            for name in names {
                try pair.same("waits") { try $0.waits(of: name.pk.value, in: name.collection.value, limit: limit) }
                try pair.same("adding") { try $0.records(adding: name, in: collection, limit: limit) }
            }
        }
    }

    @Test func `references go with their collection, and with all data`() throws {
        for store in try Pair().both {
            let name = RecordName(collection: "a", pk: "1")
            func put() throws(TidemarkError) {
                try store.transaction { () throws(TidemarkError) in
                    try store.save(
                        StoredRecord(pk: "1", phase: .created(.idle), confirmed: StoredVersion()), in: "a")
                    _ = try store.replaceReferences(
                        of: "1", in: "a", by: RecordReferences(added: [name], isMissing: true))
                }
            }
            for kind in ["collection", "references", "all"] {
                try put()
                #expect(try store.records(adding: name, in: "a", limit: 9) == ["1"])
                try store.transaction { () throws(TidemarkError) in
                    switch kind {
                    case "collection": try store.erase(collection: "a")
                    case "references": try store.eraseReferences()
                    default: try store.eraseAll()
                    }
                }
                #expect(try store.records(adding: name, in: "a", limit: 9).isEmpty, "\(kind)")
            }
        }
    }

    @Test func `a check finds references that are not those of the records`() async throws {
        for (place, store) in try Pair().both.enumerated() {
            let engine = try Self.engine(over: store)
            _ = try engine.create(["list": "42"], pk: "1", in: "todos")
            _ = try engine.create([:], pk: "42", in: "lists")
            #expect(try engine.referenceFaults(of: "todos", limit: 9).isEmpty)
            try store.transaction { () throws(TidemarkError) in
                _ = try store.replaceReferences(of: "1", in: "todos", by: RecordReferences())
                _ = try store.replaceReferences(of: "9", in: "todos", by: RecordReferences(isMissing: true))
            }
            let faults = try engine.referenceFaults(of: "todos", limit: 9)
            #expect(
                faults == [
                    "the references of “1” are not those of the record", "“9” has references and no pending change",
                ], "\(place)")
            #expect(try engine.referenceFaults(of: "todos", limit: 1).count == 1)
            #expect(try engine.referenceFaults(of: "lists", limit: 9).isEmpty)
        }
    }

    private static func engine(over store: any ReferenceStore) throws -> SyncEngine {
        var configuration = SyncConfiguration()
        configuration["todos"].references = ["/list": "lists"]
        return try SyncEngine(store: store, configuration: configuration, seed: 1)
    }
}
