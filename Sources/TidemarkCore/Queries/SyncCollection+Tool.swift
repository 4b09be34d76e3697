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

    /// Compares the indexes of the collection with its records.
    package func checkIndexes() async throws(TidemarkError) -> SyncClient.IndexCheck {
        try await self.client.checkIndexes(of: self.name)
    }
}

extension SyncClient {
    /// The result of a comparison of indexes with records.
    package struct IndexCheck: Sendable {
        /// The indexes that the store has, complete or not.
        package var indexes: [RecordIndex] = []

        /// The indexes that are not complete, and so not used yet.
        package var incomplete: [RecordIndex] = []

        /// The differences, as texts for the user; at most ``SyncEngine/indexFaultLimit``.
        package var faults: [String] = []
    }

    func checkIndexes(of collection: String) throws(TidemarkError) -> IndexCheck {
        try self.engine(using: collection).checkIndexes(of: collection)
    }
}
