package import TidemarkRules

// Queries and indexes as the command line tool shows them: whole records, and whether the indexes are right.

extension SyncCollection {
    /// Returns the first records of a query as snapshots, or those after a cursor; see ``page(_:limit:after:)``.
    package func snapshots(
        _ query: RecordQuery, limit: Int, after cursor: RecordQuery.Cursor?
    ) async throws(TidemarkError) -> (records: [RecordSnapshot], next: RecordQuery.Cursor?, examined: Int) {
        let page = try await self.client.page(query, after: cursor, limit: limit, in: self.name)
        return (page.scan.page.map(\.record), page.next, page.scan.examined)
    }

    /// The first changes of the collection that wait for another record (Contract §11).
    package var waiting: [CollectionReport.Waiting] {
        get async throws(TidemarkError) { try await self.client.waiting(in: self.name) }
    }

    /// Compares the indexes and references of the collection with its records.
    package func checkIndexes() async throws(TidemarkError) -> SyncClient.IndexCheck {
        try await self.client.checkIndexes(of: self.name)
    }
}

extension SyncClient {
    /// The result of a comparison of indexes and references with records.
    package struct IndexCheck: Sendable {
        /// The indexes that the store has, complete or not.
        package var indexes: [RecordIndex] = []

        /// The indexes that are not complete, and so not used yet.
        package var incomplete: [RecordIndex] = []

        /// The differences, as texts for the user; at most ``SyncEngine/indexFaultLimit``.
        package var faults: [String] = []

        /// The differences of references, as texts for the user; at most ``SyncEngine/indexFaultLimit``.
        package var references: [String] = []
    }

    fileprivate func waiting(in collection: String) throws(TidemarkError) -> [CollectionReport.Waiting] {
        try self.engine(using: collection).waiting(in: collection)
    }

    func checkIndexes(of collection: String) throws(TidemarkError) -> IndexCheck {
        try self.engine(using: collection).checkIndexes(of: collection)
    }
}
