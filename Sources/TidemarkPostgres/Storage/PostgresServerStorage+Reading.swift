public import TidemarkServer

// The reads that know what a transaction has read in advance or delays.
extension PostgresServerStorage {
    /// The incarnation that assigned a version; see `ServerReader`.
    public func run(of version: Int64, in feed: ServerFeed) throws(ServerStorageError) -> String? {
        if let known = self.writing?.prefetched[feed.id]?.run(of: version) { return known }
        return try self.rowReader.run(of: version, in: feed)
    }

    /// The row of a record, or its tombstone; see `ServerReader`.
    public func row(_ pk: String, in feed: ServerFeed) throws(ServerStorageError) -> ServerRow? {
        if let known = self.writing?.prefetched[feed.id]?.row(pk) { return known }
        return try self.rowReader.row(pk, in: feed)
    }

    /// Visits the rows that are newer than a version; see `ServerReader`.
    public func rows(
        in feed: ServerFeed, after version: Int64, visit: (Span<UInt8>, Int64, Span<UInt8>?) -> Bool
    ) throws(ServerStorageError) {
        guard let prefetched = self.writing?.prefetched[feed.id] else {
            return try self.rowReader.rows(in: feed, after: version, visit: visit)
        }
        if let last = prefetched.visit(after: version, visit) {
            try self.rowReader.rows(in: feed, after: last, visit: visit)
        }
    }
}
