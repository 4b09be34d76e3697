import Foundation
import GeneratedRows
import Tidemark

/// The cost of an edit for an app that waits for it.
enum EditBenchmark {
    static let edits = 500
    private static let title: JSON = "Done differently"

    static var floor: Benchmark {
        Benchmark(
            name: "edit.floor_ratio", unit: "×", against: "one bare SQLite transaction that updates one row",
            better: .more,
            summary: "edit one field of a record that is in sync, durable when it returns, off the main actor"
        ) { laboratory in
            try await laboratory.withFolder { folder in try await Self.measure(folder) }
        }
    }

    private static func measure(_ folder: URL) async throws -> Measurement {
        let store = folder.appendingPathComponent("pulled.db")
        try await StoreInStep.make(rows: self.edits, pageSize: 500, at: store.path)
        let rows = try await Self.rows(of: store)
        let bare = folder.appendingPathComponent("bare.db")
        // The rows as they were before the edits, since SQLite writes no row that does not change.
        try BareStore(bare).insert(rows.map(\.atFirst))
        var walls: [[Double]] = [[], []]
        let times = try await Turns.take(
            7,
            [
                {
                    let copy = try EditedStore.copy(of: store)
                    defer { try? FileManager.default.removeItem(at: copy) }
                    return try await Self.edit(copy, rows, &walls[0])
                },
                {
                    let copy = try EditedStore.copy(of: bare)
                    defer { try? FileManager.default.removeItem(at: copy) }
                    return try Self.update(try BareStore(opening: copy), rows, &walls[1])
                },
            ])
        var measurement = Measurement(ratios: Turns.ratios(of: times[1], to: times[0]), clock: .cpu)
        measurement.add("microseconds", Spread(times[0]).median * 1e6)
        measurement.add("others_microseconds", Spread(times[1]).median * 1e6)
        measurement.add("wall_ratio", Spread(Turns.ratios(of: walls[1], to: walls[0])).median)
        return measurement
    }

    private static func rows(of store: URL) async throws -> [Acknowledger.Row] {
        let client = try EditedStore.client(store, Acknowledger(remembering: false))
        let records = try await client["tasks"].list(limit: self.edits)
        await client.close()
        return try records.compactMap { record in
            guard var content = try record.content else { return nil }
            let before = content.bytes
            content.title = self.title
            return Acknowledger.Row(pk: record.pk, version: "1", data: content.bytes, before: before)
        }
    }

    /// Edits off the main actor, since the other code changes no thread either. From the main actor each edit changes to a
    /// thread of the client and back.
    @concurrent
    private static func edit(
        _ store: URL, _ rows: [Acknowledger.Row], _ walls: inout [Double]
    ) async throws -> Double {
        let client = try EditedStore.client(store, Acknowledger(remembering: false))
        let tasks = client["tasks"]
        let start = (cpu: Stopwatch.cpu, wall: Stopwatch.wall)
        for row in rows { try await tasks[row.pk].edit { $0.title = Self.title } }
        walls.append((Stopwatch.wall - start.wall) / Double(rows.count))
        let seconds = Stopwatch.cpu - start.cpu
        await client.close()
        return seconds / Double(rows.count)
    }

    private static func update(
        _ store: BareStore, _ rows: [Acknowledger.Row], _ walls: inout [Double]
    ) throws -> Double {
        let start = (cpu: Stopwatch.cpu, wall: Stopwatch.wall)
        for index in rows.indices { try store.update(rows[index...index]) }
        walls.append((Stopwatch.wall - start.wall) / Double(rows.count))
        return (Stopwatch.cpu - start.cpu) / Double(rows.count)
    }
}
