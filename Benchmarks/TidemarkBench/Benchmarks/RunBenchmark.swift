import Foundation
import Tidemark

/// The time from an edit on one device to its arrival on another one, while both run (Contract §10).
enum RunBenchmark {
    private static let pairs = 10
    private static let editsEach = 100

    static var seen: Benchmark {
        Benchmark(
            name: "run.seen_ms", unit: "ms", against: nil, better: .less,
            summary: """
                the 99th percentile of the time from an edit on one device to its being seen on another one, both of which \
                run, over HTTP and on SQLite; half a second of it is the debounce
                """
        ) { laboratory in
            try await laboratory.withFolder { folder in
                let file = folder.appendingPathComponent("server.db").path
                let server = try Child(.server, [file, "0", "200"])
                defer { server.end() }
                let url = "http://127.0.0.1:\(try Int(server.lineAsNumber()))/v1"
                return try await Self.measure(folder, url)
            }
        }
    }

    private static func measure(_ folder: URL, _ url: String) async throws -> Measurement {
        let delays = try await withThrowingTaskGroup(of: [Double].self) { group in
            for pair in 0..<Self.pairs {
                group.addTask { try await Self.delays(folder, url, pair) }
            }
            var delays: [Double] = []
            for try await some in group { delays += some }
            return delays.sorted()
        }
        let percentile = { (part: Double) in delays[min(Int(Double(delays.count) * part), delays.count - 1)] * 1e3 }
        var measurement = Measurement([percentile(0.99)], clock: .wall)
        measurement.add("p50", percentile(0.5))
        measurement.add("most", percentile(1))
        measurement.add("edits", Double(delays.count))
        return measurement
    }

    private static func delays(_ folder: URL, _ url: String, _ pair: Int) async throws -> [Double] {
        let one = try Self.client(folder, "\(pair)-one", url, pair)
        let other = try Self.client(folder, "\(pair)-other", url, pair)
        let collection = "c\(pair)"
        try await one[collection].create(["n": 0], pk: "1")
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for client in [one, other] { group.addTask { try await client.run() } }
            let seen = AsyncStream.makeStream(of: Int.self)
            group.addTask {
                for try await value in other[collection]["1"].observe() {
                    if let number = value?.value["n"]?.int { seen.continuation.yield(number) }
                }
            }
            var numbers = seen.stream.makeAsyncIterator()
            while let number = await numbers.next(), number != 0 {}
            var delays: [Double] = []
            for edit in 1...Self.editsEach {
                let began = Stopwatch.wall
                try await one[collection]["1"].edit { $0.n = JSON(edit) }
                while let number = await numbers.next(), number != edit {}
                delays.append(Stopwatch.wall - began)
            }
            group.cancelAll()
            return delays
        }
    }

    private static func client(_ folder: URL, _ name: String, _ url: String, _ pair: Int) throws -> SyncClient {
        var configuration = SyncConfiguration()
        configuration["c\(pair)"] = CollectionRules()
        return try SyncClient(
            store: .sqlite(at: folder.appendingPathComponent("\(name).db").path), remote: .http(url),
            configuration: configuration)
    }
}
