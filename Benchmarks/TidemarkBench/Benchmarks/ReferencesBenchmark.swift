import Foundation
import Tidemark
import TidemarkTesting

/// What records that wait for others cost.
enum ReferencesBenchmark {
    private static let others = 1_000
    private static let waiting = 100_000
    private static let (few, many) = (10_000, 100_000)

    static var waitingChildren: Benchmark {
        Benchmark(
            name: "references.waiting", unit: "×", against: "the same without waiting records", better: .less,
            summary: "send 1,000 records, behind 100,000 older ones that wait for a refused record"
        ) { laboratory in
            try await laboratory.withFolder { folder in
                let alone = try await Self.client(waiting: 0, in: folder)
                let behind = try await Self.client(waiting: Self.waiting, in: folder)
                let times = try await Turns.take(5, [{ try await Self.sync(behind) }, { try await Self.sync(alone) }])
                await alone.close()
                await behind.close()
                var measurement = Measurement(ratios: Turns.ratios(of: times[0], to: times[1]), clock: .cpu)
                measurement.add("milliseconds", Spread(times[0]).median * 1e3)
                measurement.add("others_milliseconds", Spread(times[1]).median * 1e3)
                return measurement
            }
        }
    }

    static var tree: Benchmark {
        Benchmark(
            name: "references.tree", unit: "×", against: "each of 10,000", better: .less,
            summary: "send a tree of 100,000 folders that name their parents, and its deletion from the root"
        ) { laboratory in
            try await laboratory.withFolder { folder in
                let small = try await Self.tree(Self.few, in: folder)
                let large = try await Self.tree(Self.many, in: folder)
                var measurement = Measurement(ratios: [large / small], clock: .cpu)
                measurement.add("microseconds_each", large * 1e6)
                measurement.add("others_microseconds_each", small * 1e6)
                return measurement
            }
        }
    }

    private static func client(waiting: Int, in folder: URL) async throws -> SyncClient {
        var configuration = SyncConfiguration()
        configuration["todos"].references = ["/list": "lists"]
        let client = try SyncClient(
            store: .sqlite(at: folder.appendingPathComponent("\(waiting).db").path),
            remote: RefusingRemote(remote: InProcessRemote(try InProcessServer()), refused: "lists"),
            configuration: configuration)
        _ = try await client["lists"].create(["name": "Home"], pk: "42")
        _ = try await client["todos"].upsert(
            (0..<waiting).map { RecordInput(pk: "waiting-\($0)", content: ["list": "42"]) })
        let report = try await client.sync()
        let waits = report.collections.contains { !$0.waiting.isEmpty }
        guard report.outcome == .held, waits == (waiting > 0) else { throw Unavailable("the records do not wait") }
        return client
    }

    private static func sync(_ client: SyncClient) async throws -> Double {
        let round = UUID().uuidString
        _ = try await client["todos"].upsert(
            (0..<Self.others).map { RecordInput(pk: "\(round)-\($0)", content: ["n": JSON($0)]) })
        return try await Stopwatch.cpu {
            let report = try await client.sync(["todos"])
            guard report.collections[0].pushed.count == Self.others else { throw Unavailable("not all were sent") }
        }
    }

    /// Sends a tree in which each folder has ten others, and deletes it from the root on.
    private static func tree(_ count: Int, in folder: URL) async throws -> Double {
        var configuration = SyncConfiguration()
        configuration["folders"].references = ["/parent": "folders"]
        let client = try SyncClient(
            store: .sqlite(at: folder.appendingPathComponent("tree-\(count).db").path),
            remote: InProcessRemote(try InProcessServer()), configuration: configuration)
        let folders = client["folders"]
        _ = try await folders.upsert(
            (0..<count).map { number in
                let parent = JSON("\((number - 1) / 10)")
                return RecordInput(pk: "\(number)", content: number == 0 ? [:] : ["parent": parent])
            })
        func sync() async throws -> Double {
            try await Stopwatch.cpu {
                let report = try await client.sync()
                guard report.outcome == .inSync, report.collections[0].pushed.count == count else {
                    throw Unavailable("not all were sent: \(report.outcome)")
                }
            }
        }
        var seconds = try await sync()
        for first in stride(from: 0, to: count, by: 1_000) {
            try await client.transaction { (t) throws(TidemarkError) in
                for number in first..<(first + 1_000) { try t["folders"]["\(number)"].delete() }
            }
        }
        seconds += try await sync()
        await client.close()
        return seconds / Double(2 * count)
    }
}

/// Refuses all edits of one collection.
private struct RefusingRemote: Remote {
    let remote: InProcessRemote
    let refused: String

    var capabilities: RemoteCapabilities { self.remote.capabilities }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        guard request.collection == self.refused else { return try await self.remote.exchange(request) }
        var reading = request
        reading.uploads = []
        var answer = try await self.remote.exchange(reading)
        answer.results = request.uploads.map { upload in
            let problem = ProblemDetails(status: 422, title: "The server refuses \(self.refused).")
            return UploadResult(requestID: upload.requestID, outcome: .refused(problem))
        }
        return answer
    }
}
