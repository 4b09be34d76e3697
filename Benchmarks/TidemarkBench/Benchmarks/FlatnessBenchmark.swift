import Foundation
import Tidemark

/// Whether the cost of a sync is independent of the size of the store.
enum FlatnessBenchmark {
    static let syncs = 40

    static var flatness: Benchmark {
        Benchmark(
            name: "sync.flatness", unit: "×", against: "the same in a store of 1,000 records", better: .less,
            summary: "the cost of a sync with one edited record in a store of 1,000,000 records; 1 is flat"
        ) { laboratory in
            let large = try laboratory.millionRecords()
            return try await laboratory.withFolder { folder in
                let small = try laboratory.storeInStep(rows: 1_000, in: folder)
                return try await Self.measure(large.file, small.file)
            }
        }
    }

    private static func measure(_ large: URL, _ small: URL) async throws -> Measurement {
        var sites = try await [Site(small), Site(large)]
        let times = try await Turns.take(
            5,
            [
                { try await sites[0].round() },
                { try await sites[1].round() },
            ])
        for site in sites { await site.client.close() }
        var measurement = Measurement(ratios: Turns.ratios(of: times[1], to: times[0]), clock: .cpu)
        measurement.add("microseconds_of_1000", Spread(times[0]).median * 1e6)
        measurement.add("microseconds_of_1000000", Spread(times[1]).median * 1e6)
        return measurement
    }

    /// A store, and its records that are edited in turn.
    private struct Site {
        let client: SyncClient
        let pks: [String]
        var edits = 0

        init(_ file: URL) async throws {
            self.client = try EditedStore.client(file, Acknowledger(remembering: false))
            self.pks = try await self.client["tasks"].list(limit: 100).map(\.pk)
        }

        /// The mean CPU time of some syncs, in seconds.
        mutating func round() async throws -> Double {
            let tasks = self.client["tasks"]
            var sum = 0.0
            for _ in 0..<FlatnessBenchmark.syncs {
                self.edits += 1
                let title = "Edited \(self.edits)"
                try await tasks[self.pks[self.edits % self.pks.count]].edit { $0.title = .string(JSONString(title)) }
                sum += try await Stopwatch.cpu {
                    guard try await tasks.sync().outcome == .inSync else { throw Unavailable("a sync did not end") }
                }
            }
            return sum / Double(FlatnessBenchmark.syncs)
        }
    }
}
