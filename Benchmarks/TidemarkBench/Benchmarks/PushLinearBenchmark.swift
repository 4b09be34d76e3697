import Foundation
import Tidemark

/// Whether the cost of sending an edit is independent of the number of edits.
enum PushLinearBenchmark {
    static let few = 1_000
    static let many = 100_000

    static var linear: Benchmark {
        Benchmark(
            name: "push.linear", unit: "×", against: "the same for each of 1,000 edits", better: .less,
            summary: "the cost of each of 100,000 edits in a sync; 1 is linear"
        ) { laboratory in
            try await laboratory.withFolder { folder in try await Self.measure(folder) }
        }
    }

    private static func measure(_ folder: URL) async throws -> Measurement {
        let few = try await EditedStore(edits: self.few, in: folder)
        let many = try await EditedStore(edits: self.many, in: folder)
        let times = try await Turns.take(
            2, warmUp: false,
            [
                {
                    // Often enough for the resolution of the clock.
                    var sum = 0.0
                    for _ in 0..<8 { sum += try await Self.sync(few) }
                    return sum / Double(8 * self.few)
                },
                { try await Self.sync(many) / Double(self.many) },
            ])
        var measurement = Measurement(ratios: Turns.ratios(of: times[1], to: times[0]), clock: .cpu)
        measurement.add("microseconds_each_of_1000", Spread(times[0]).median * 1e6)
        measurement.add("microseconds_each_of_100000", Spread(times[1]).median * 1e6)
        return measurement
    }

    private static func sync(_ store: EditedStore) async throws -> Double {
        let copy = try store.copy()
        defer { try? FileManager.default.removeItem(at: copy) }
        return try await Stopwatch.cpu { try await EditedStore.sync(copy, Replay(store.exchanges)) }
    }
}
