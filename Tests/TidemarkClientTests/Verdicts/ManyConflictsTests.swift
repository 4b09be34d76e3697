import Synchronization
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import Testing

/// Contract §8: a list of more open conflicts than are merged at once.
@Suite(.timeLimit(.minutes(10))) @MainActor struct ManyConflictsTests {
    static let count = 150

    private final class Counter: Sendable {
        private let merges = Mutex(0)
        var value: Int { self.merges.withLock { $0 } }
        func increase() { self.merges.withLock { $0 += 1 } }
    }

    @Test func `an answer to one of many conflicts merges only that one again`() async throws {
        let merges = Counter()
        var configuration = SyncConfiguration()
        configuration["notes"] = CollectionRules(
            fields: try FieldRules([
                ("/price", .ask),
                (
                    "/count",
                    .custom { _ in
                        merges.increase()
                        return .value("both", lost: false)
                    }
                ),
            ]))
        let pair = try ClientPair(configuration)
        let pks = (0..<Self.count).map { "note-\($0)" }
        for pk in pks { try await pair.phone["notes"].create(["price": 1, "count": 1], pk: pk) }
        try await pair.settle()
        for (client, value) in [(pair.tablet, JSON(2)), (pair.phone, JSON(3))] {
            for pk in pks {
                try await client["notes"][pk].edit { note in
                    note.price = value
                    note.count = value
                }
            }
            for _ in 0..<3 { _ = try await client.sync(["notes"]) }
        }
        let synced = merges.value
        let list = ConflictListModel(pair.phone)
        let task = Task { await list.follow() }
        await eventually("all are listed") { list.conflicts.count == Self.count }
        #expect(Set(list.conflicts.map(\.conflict.pk)) == Set(pks))
        let before = merges.value
        #expect(before - synced >= Self.count, "each was merged for the list")
        let others = list.conflicts.dropFirst().map(\.conflict)
        try await list.conflicts[0].resolve(choosing: ["/price": .client])
        await eventually("one is gone") { list.conflicts.count == Self.count - 1 }
        #expect(list.conflicts.map(\.conflict) == others)
        #expect(merges.value - before < 10, "of \(Self.count) conflicts")
        task.cancel()
        await task.value
    }
}
