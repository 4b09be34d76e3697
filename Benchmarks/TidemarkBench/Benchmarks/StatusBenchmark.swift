import Foundation
import Tidemark
import TidemarkTesting

/// The cost of a watched status for an edit, and how it grows with the open questions.
enum StatusBenchmark {
    private static let many = 10_000
    private static let edits = 200

    static var questions: Benchmark {
        Benchmark(
            name: "status.questions", unit: "×", against: "the same beside one open question", better: .less,
            summary: "edit one field and read the new status of the client, beside 10,000 open questions"
        ) { laboratory in
            try await laboratory.withFolder { folder in
                let one = try await Self.client(questions: 1, in: folder)
                let many = try await Self.client(questions: Self.many, in: folder)
                let times = try await Turns.take(
                    9, [{ try await Self.edit(many) }, { try await Self.edit(one) }])
                await one.close()
                await many.close()
                var measurement = Measurement(ratios: Turns.ratios(of: times[0], to: times[1]), clock: .cpu)
                measurement.add("microseconds", Spread(times[0]).median * 1e6)
                measurement.add("others_microseconds", Spread(times[1]).median * 1e6)
                return measurement
            }
        }
    }

    /// A client with this many records that it changed after another device had: the user has to decide about each.
    private static func client(questions: Int, in folder: URL) async throws -> SyncClient {
        let server = try InProcessServer()
        let phone = try SyncClient(
            store: .sqlite(at: folder.appendingPathComponent("\(questions).db").path), remote: InProcessRemote(server),
            configuration: SyncConfiguration(rules: CollectionRules(tactic: .askUser)))
        let tablet = try SyncClient(store: MemoryStore(), remote: InProcessRemote(server))
        func save(_ title: String, of count: Int, on device: SyncClient) async throws {
            _ = try await device["tasks"].upsert(
                (0..<count).map { RecordInput(pk: "task-\($0)", content: ["title": JSON(title)]) })
        }
        try await save("Paint the fence", of: questions + 1, on: phone)
        _ = try await phone.sync()
        _ = try await tablet.sync()
        try await save("Paint the shed", of: questions, on: tablet)
        _ = try await tablet.sync()
        try await save("Paint the gate", of: questions, on: phone)
        _ = try await phone.sync()
        guard try await phone.status.conflictCount == questions else { throw Unavailable("not all questions are open") }
        return phone
    }

    /// Edits a record without a question, and reads the status after each edit.
    @concurrent
    private static func edit(_ client: SyncClient) async throws -> Double {
        let task = client["tasks"]["task-\(try await client.status.conflictCount)"]
        var statuses = client.statuses.makeAsyncIterator()
        _ = try await statuses.next()
        let start = Stopwatch.cpu
        for number in 0..<Self.edits {
            try await task.edit { $0.priority = JSON(number) }
            _ = try await statuses.next()
        }
        return (Stopwatch.cpu - start) / Double(Self.edits)
    }
}
