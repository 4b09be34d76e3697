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

    /// Does what a widget does with a store at a path: opens it without a server, reads a page of 20 records, and edits one.
    package static func editAsWidget(at path: String) async throws {
        let client = try await SyncClient.open(store: .sqlite(at: path, takesTurns: true), remote: .none)
        let page = try await client["tasks"].list(limit: 20)
        guard let first = page.first, page.count == 20 else {
            throw Failure(description: "it has \(page.count) records")
        }
        try await client["tasks"][first.pk].edit { $0["done"] = true }
        await client.close()
    }
}
