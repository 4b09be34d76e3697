import Foundation
import Tidemark
import TidemarkCore

/// The cost of indexes for pulls.
enum IndexBenchmark {
    private static let rows = 50_000
    private static let indexes: [RecordIndex] = [["/done", "/due"], ["/title"], ["/priority", "/assignee/id"]]

    static var steady: Benchmark {
        Benchmark(
            name: "index.steady_ratio", unit: "×",
            against: "bare SQLite with three indexes of JSON expressions and the pk",
            better: .more,
            summary: "pull 50,000 changed rows in pages of 500 into a store that has them, with three indexes"
        ) { laboratory in
            try await laboratory.withFolder { folder in try await Self.measureSteady(folder) }
        }
    }

    static var firstSync: Benchmark {
        Benchmark(
            name: "index.first_sync_ratio", unit: "×", against: "the same without indexes", better: .more,
            summary: "pull 200,000 rows in pages of 500 into a new store, and build three indexes"
        ) { laboratory in
            let feed = try PullBenchmark.feed(laboratory)
            let times = try await Turns.take(
                5,
                [Self.indexes, []].map { indexes in
                    {
                        try await laboratory.withFolder { folder in
                            try Stopwatch.cpu {
                                try PullBenchmark.pull(feed, folder.appendingPathComponent("a.db"), indexes: indexes)
                            }
                        }
                    }
                })
            var measurement = Measurement(ratios: Turns.ratios(of: times[1], to: times[0]), clock: .cpu)
            measurement.add("rows_per_second", Double(feed.rowCount) / Spread(times[0]).median)
            measurement.add("others_rows_per_second", Double(feed.rowCount) / Spread(times[1]).median)
            return measurement
        }
    }

    private static func measureSteady(_ folder: URL) async throws -> Measurement {
        let first = try FeedData(rows: Self.rows, pageSize: 500)
        let changed = try FeedData(rows: Self.rows, pageSize: 500, isChanged: true)
        let (ours, bare) = (folder.appendingPathComponent("ours.db"), folder.appendingPathComponent("bare.db"))
        let withoutPK = folder.appendingPathComponent("without-pk.db")
        try PullBenchmark.pull(first, ours, indexes: Self.indexes)
        try BareIndexes(bare, withPK: true).take(first)
        try BareIndexes(withoutPK, withPK: false).take(first)
        let take = { (file: URL) in
            let copy = try EditedStore.copy(of: file)
            defer { try? FileManager.default.removeItem(at: copy) }
            return try Stopwatch.cpu { try BareIndexes(opening: copy).take(changed) }
        }
        let times = try await Turns.take(
            5,
            [
                {
                    let copy = try EditedStore.copy(of: ours)
                    defer { try? FileManager.default.removeItem(at: copy) }
                    return try Stopwatch.cpu { try PullBenchmark.pull(changed, copy, indexes: Self.indexes) }
                },
                { try take(bare) },
                { try take(withoutPK) },
            ])
        var measurement = Measurement(ratios: Turns.ratios(of: times[1], to: times[0]), clock: .cpu)
        measurement.add("rows_per_second", Double(Self.rows) / Spread(times[0]).median)
        measurement.add("others_rows_per_second", Double(Self.rows) / Spread(times[1]).median)
        measurement.others.append(
            ("the same without the pk", Spread(Turns.ratios(of: times[2], to: times[0])).median))
        return measurement
    }
}
