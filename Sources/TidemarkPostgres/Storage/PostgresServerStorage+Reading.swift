public import TidemarkServer

extension PostgresServerStorage {
    /// False: a network connection is needed.
    public var isNear: Bool { false }

    /// The name of this history, read when the connection was made.
    public func epoch() -> String {
        self.reader.epoch()
    }

    /// Runs `work` over one state of the database.
    public func snapshot<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome {
        try self.reader.snapshot(work)
    }

    /// Runs `work` over one state of the database; see `ServerReader`.
    public func snapshot<Outcome>(
        expecting read: ExpectedRead, _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome {
        try self.reader.snapshot(expecting: read, work)
    }

    /// The feeds of an account; see `ServerReader`.
    public func feeds(
        account: String, limit: Int
    ) throws(ServerStorageError) -> [(collection: String, feed: ServerFeed)] {
        try self.reader.feeds(account: account, limit: limit)
    }

    /// The incarnation that assigned a version; see `ServerReader`.
    public func run(of version: Int64, in feed: ServerFeed) throws(ServerStorageError) -> String? {
        if let known = self.writing?.prefetched[feed.id]?.run(of: version) { return known }
        return try self.reader.run(of: version, in: feed)
    }

    /// The row of a record, or its tombstone; see `ServerReader`.
    public func row(_ pk: String, in feed: ServerFeed) throws(ServerStorageError) -> ServerRow? {
        if let known = self.writing?.prefetched[feed.id]?.row(pk) { return known }
        return try self.reader.row(pk, in: feed)
    }

    /// Visits the rows that are newer than a version; see `ServerReader`.
    public func rows(
        in feed: ServerFeed, after version: Int64, visit: (Span<UInt8>, Int64, Span<UInt8>?) -> Bool
    ) throws(ServerStorageError) {
        guard let prefetched = self.writing?.prefetched[feed.id] else {
            return try self.reader.rows(in: feed, after: version, visit: visit)
        }
        if let last = prefetched.visit(after: version, visit) {
            try self.reader.rows(in: feed, after: last, visit: visit)
        }
    }

    /// Counts the rows that are newer than a version; see `ServerReader`.
    public func countRows(in feed: ServerFeed, after version: Int64) throws(ServerStorageError) -> Int64 {
        try self.reader.countRows(in: feed, after: version)
    }
}
