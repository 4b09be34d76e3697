import Foundation
import Tidemark
import TidemarkTesting

/// How long a read of the app waits while the client does something long (Contract §9). A part of it is the length of a commit.
enum BlockBenchmark {
    private static let lines = 20_000
    private static let records = 200_000
    private static let rounds = 3

    static var merge: Benchmark {
        Benchmark(
            name: "block.merge_ms", unit: "ms", against: nil, better: .less,
            summary: """
                the longest wait of a read while a sync merges a text of 1 MB, of which two devices changed 1,000 lines each; \
                the whole sync beside it
                """
        ) { laboratory in
            try await laboratory.withFolder { folder in
                var (waits, totals): ([Double], [Double]) = ([], [])
                for round in 0..<Self.rounds {
                    let phone = try await Self.conflict(in: folder, round)
                    let (wait, total) = try await Self.longestWait(of: phone) { _ = try await phone.sync() }
                    waits.append(wait * 1e3)
                    totals.append(total * 1e3)
                    await phone.close()
                }
                var measurement = Measurement(waits, clock: .wall)
                measurement.add("whole_ms", Spread(totals).median)
                return measurement
            }
        }
    }

    static var forget: Benchmark {
        Benchmark(
            name: "block.forget_ms", unit: "ms", against: nil, better: .less,
            summary:
                "the longest wait of a read while a collection of 200,000 records is forgotten; the whole call beside it"
        ) { laboratory in
            try await laboratory.withFolder { folder in
                let phone = try SyncClient(
                    store: .sqlite(at: folder.appendingPathComponent("forget.db").path),
                    remote: InProcessRemote(try InProcessServer()))
                _ = try await phone["tasks"].create(["title": "Paint the fence"], pk: "1")
                _ = try await phone["many"].upsert(
                    (0..<Self.records).map { RecordInput(pk: "task-\($0)", content: ["title": "Paint the shed"]) })
                _ = try await phone.sync()
                let (wait, total) = try await Self.longestWait(of: phone) { try await phone["many"].forget() }
                await phone.close()
                var measurement = Measurement([wait * 1e3], clock: .wall)
                measurement.add("whole_ms", total * 1e3)
                return measurement
            }
        }
    }

    private static func configuration() throws -> SyncConfiguration {
        SyncConfiguration(rules: CollectionRules(fields: try FieldRules([("/text", .text)])))
    }

    /// A client whose next sync merges a large text.
    private static func conflict(in folder: URL, _ round: Int) async throws -> SyncClient {
        let server = try InProcessServer()
        let phone = try SyncClient(
            store: .sqlite(at: folder.appendingPathComponent("\(round).db").path), remote: InProcessRemote(server),
            configuration: try Self.configuration())
        let tablet = try SyncClient(store: MemoryStore(), remote: InProcessRemote(server))
        let lines = (0..<Self.lines).map { "Line \($0) of a long note that two devices change, word by word." }
        /// The text with 1,000 changed lines, from one on.
        func text(changedFrom first: Int?) -> JSON {
            var lines = lines
            if let first {
                for number in 0..<1_000 { lines[number * 20 + first] += " Changed from line \(first) on." }
            }
            return JSON(lines.joined(separator: "\n"))
        }
        let (former, theirs, ours) = (text(changedFrom: nil), text(changedFrom: 0), text(changedFrom: 10))
        _ = try await phone["tasks"].create(["text": former], pk: "1")
        _ = try await phone.sync()
        _ = try await tablet.sync(["tasks"])
        _ = try await tablet["tasks"]["1"].edit { $0["text"] = theirs }
        _ = try await tablet.sync()
        _ = try await phone["tasks"]["1"].edit { $0["text"] = ours }
        return phone
    }

    /// Reads a record again and again while something runs.
    private static func longestWait(
        of client: SyncClient, during work: @escaping @Sendable () async throws -> Void
    ) async throws -> (wait: Double, total: Double) {
        let start = Stopwatch.wall
        async let done: Void = work()
        let reading = Task {
            var longest = 0.0
            while !Task.isCancelled {
                let before = Stopwatch.wall
                _ = try await client["tasks"]["missing"].snapshot()
                longest = max(longest, Stopwatch.wall - before)
                try? await Task.sleep(for: .milliseconds(1))
            }
            return longest
        }
        try await done
        let total = Stopwatch.wall - start
        reading.cancel()
        return (try await reading.value, total)
    }
}
