import Foundation
import Tidemark

/// Pulls rows that are made as they are asked for into a new store, and says peak memory and processor time.
enum PullChild {
    static func run(_ arguments: [String]) async throws {
        guard arguments.count == 3, let rows = Int(arguments[1]), let size = Int(arguments[2]) else {
            throw Unavailable("pull STORE ROWS PAGE")
        }
        try await Self.pull(rows: rows, pageSize: size, into: arguments[0])
        ChildRole.say(Memory.peak)
        ChildRole.say(Stopwatch.cpu)
    }

    static func pull(rows: Int, pageSize: Int, into path: String) async throws {
        var configuration = SyncConfiguration()
        configuration.limits.pageSize = pageSize
        let client = try SyncClient(
            store: .sqlite(at: path), remote: GeneratedFeed(rows: rows, pageSize: pageSize),
            configuration: configuration)
        let report = try await client["tasks"].sync()
        guard report.outcome == .inStep else { throw Unavailable("the pull ended as \(report.outcome)") }
        await client.close()
    }
}
