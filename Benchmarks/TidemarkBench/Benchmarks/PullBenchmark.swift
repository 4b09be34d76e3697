import Foundation
import GeneratedRows
import Tidemark
import TidemarkCore

/// A pull, from the bytes of the answers to the last transaction, without a network.
enum PullBenchmark {
    static let rows = 200_000
    static let pageSize = 500

    static var floor: Benchmark {
        Benchmark(
            name: "pull.floor_ratio", unit: "×", against: "bare SQLite that inserts the same rows", better: .more,
            summary: "pull 200,000 rows in pages of 500: decode, engine, store"
        ) { laboratory in
            try await Self.measure(laboratory) { feed, folder in
                try BareStore(folder.appendingPathComponent("bare.db")).take(feed)
            }
        }
    }

    static var naive: Benchmark {
        Benchmark(
            name: "pull.naive_ratio", unit: "×", against: "a loop of JSONSerialization and SQLite", better: .more,
            summary: "pull 200,000 rows in pages of 500: decode, engine, store"
        ) { laboratory in
            try await Self.measure(laboratory) { feed, folder in
                try FoundationLoop.take(feed, into: BareStore(folder.appendingPathComponent("bare.db")))
            }
        }
    }

    static func feed(_ laboratory: Laboratory) throws -> FeedData {
        try FeedData(rows: self.rows, pageSize: self.pageSize, file: try laboratory.file("pages.ndjson"))
    }

    private static func measure(
        _ laboratory: Laboratory, _ other: @escaping (FeedData, URL) throws -> Void
    ) async throws -> Measurement {
        let feed = try self.feed(laboratory)
        let times = try await Turns.take(
            5,
            [
                {
                    try await laboratory.withFolder { folder in
                        try Stopwatch.cpu { try Self.pull(feed, folder.appendingPathComponent("tidemark.db")) }
                    }
                },
                { try await laboratory.withFolder { folder in try Stopwatch.cpu { try other(feed, folder) } } },
            ])
        var measurement = Measurement(ratios: Turns.ratios(of: times[1], to: times[0]), clock: .cpu)
        measurement.add("rows_per_second", Double(feed.rowCount) / Spread(times[0]).median)
        measurement.add("others_rows_per_second", Double(feed.rowCount) / Spread(times[1]).median)
        return measurement
    }

    /// Applies the bytes of the answers with Tidemark, and builds the indexes.
    static func pull(_ feed: FeedData, _ file: URL, indexes: [RecordIndex] = []) throws {
        let configuration = SyncConfiguration(rules: CollectionRules(indexes: indexes))
        let engine = try SyncEngine(store: SQLiteStore(path: file.path), configuration: configuration, seed: 1)
        var effects = try engine.sync("tasks", now: .zero)
        for page in feed.pages {
            for case .send(let request, let token) in effects {
                effects = try engine.receive(try JSONAnswer.decode(page, to: request), for: token, now: .zero)
            }
        }
        while try engine.buildIndexes(of: "tasks") {}
    }
}
