import Foundation

/// Compares Tidemark with what a user would pick instead, in one run: only the ratios mean anything.
///
///     swift run -c release TidemarkBench [ROWS]
@main
enum Bench {
    static func main() throws {
        let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000
        let feed = Feed(rows: count, pageSize: 500)
        print(
            "A pull of \(count) rows, \(feed.megabytes) MB, in pages of \(feed.pageSize); each page one durable transaction."
        )
        print("Median of \(Self.rounds) rounds, the three in turn in each round.\n")
        let work: [(name: String, run: (URL) throws -> Void)] = [
            ("SQLite takes the same rows, nothing is parsed", feed.insertBare),
            ("Tidemark: decode, engine, store", feed.pull),
            ("JSONSerialization: decode, encode, insert", feed.insertThroughFoundation),
        ]
        var times = [[Double]](repeating: [], count: work.count)
        for _ in 0..<Self.rounds {
            for (index, entry) in work.enumerated() { times[index].append(try Self.time(entry.run)) }
        }
        let bare = Self.median(times[0])
        for (index, entry) in work.enumerated() {
            let median = Self.median(times[index])
            let rate = Int(Double(count) / median)
            let ratio = (bare / median * 100).rounded() / 100
            print("\(entry.name.padding(toLength: 48, withPad: " ", startingAt: 0)) \(rate) rows/s   \(ratio)")
        }
    }

    private static let rounds = 7

    private static func median(_ times: [Double]) -> Double {
        times.sorted()[times.count / 2]
    }

    /// Seconds that the work takes in a fresh folder, which is removed after.
    private static func time(_ work: (URL) throws -> Void) throws -> Double {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "tidemark-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let start = ContinuousClock.now
        try work(folder)
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
