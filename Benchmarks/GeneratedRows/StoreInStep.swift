import Tidemark

/// A store with rows that are in sync.
package enum StoreInStep {
    /// The reason why a store could not be made.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Makes a store at a path by a sync of rows from the seed.
    package static func make(rows: Int, pageSize: Int, at path: String) async throws {
        var configuration = SyncConfiguration()
        configuration.limits.pageSize = pageSize
        let client = try SyncClient(
            store: .sqlite(at: path), remote: GeneratedFeed(rows: rows, pageSize: pageSize),
            configuration: configuration)
        let report = try await client["tasks"].sync()
        await client.close()
        guard report.outcome == .inSync else { throw Failure(description: "the pull ended as \(report.outcome)") }
    }
}
