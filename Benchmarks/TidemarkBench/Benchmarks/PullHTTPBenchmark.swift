import Foundation
import Tidemark

/// A pull over HTTP with all layers of an app, compared with SQLite and rows in memory.
enum PullHTTPBenchmark {
    static var ratio: Benchmark {
        Benchmark(
            name: "pull.http_ratio", unit: "×", against: "bare SQLite that inserts the same rows", better: .more,
            summary: "pull 200,000 rows by SyncClient over loopback HTTP; the server is another process"
        ) { laboratory in
            let feed = try PullBenchmark.feed(laboratory)
            let server = try Child(.feed, [String(PullBenchmark.rows), String(PullBenchmark.pageSize)])
            defer { server.end() }
            let url = "http://127.0.0.1:\(Int(try server.lineAsNumber()))/v1"
            return try await Self.measure(feed, url, laboratory)
        }
    }

    private static func measure(
        _ feed: FeedData, _ url: String, _ laboratory: Laboratory
    ) async throws -> Measurement {
        var walls: [Double] = []
        let times = try await Turns.take(
            5,
            [
                {
                    try await laboratory.withFolder { folder in
                        let start = Stopwatch.wall
                        defer { walls.append(Stopwatch.wall - start) }
                        return try await Stopwatch.cpu {
                            try await Self.pull(url, folder.appendingPathComponent("tidemark.db"), rows: feed.rowCount)
                        }
                    }
                },
                {
                    try await laboratory.withFolder { folder in
                        try Stopwatch.cpu { try BareStore(folder.appendingPathComponent("bare.db")).take(feed) }
                    }
                },
            ])
        var measurement = Measurement(ratios: Turns.ratios(of: times[1], to: times[0]), clock: .cpu)
        measurement.add("rows_per_second", Double(feed.rowCount) / Spread(times[0]).median)
        measurement.add("rows_per_wall_second", Double(feed.rowCount) / Spread(walls).median)
        return measurement
    }

    private static func pull(_ url: String, _ file: URL, rows: Int) async throws {
        let client = try SyncClient(store: .sqlite(at: file.path), remote: .http(url))
        let report = try await client["tasks"].sync()
        await client.close()
        guard report.outcome == .inSync else { throw Unavailable("the pull ended as \(report.outcome)") }
    }
}
