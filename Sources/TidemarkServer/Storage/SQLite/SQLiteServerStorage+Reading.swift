import TidemarkDatabase

extension SQLiteServerStorage {
    /// The name of this history, read when the database was opened.
    public func epoch() -> String {
        self.reader.epoch()
    }

    /// Runs `work` over one state of the database.
    public func snapshot<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome {
        try self.reader.snapshot(work)
    }

    /// The feeds of an account; see ``ServerReader``.
    public func feeds(
        account: String, limit: Int
    ) throws(ServerStorageError) -> [(collection: String, feed: ServerFeed)] {
        try self.saveFeeds()
        return try self.reader.feeds(account: account, limit: limit)
    }

    /// The incarnation that assigned a version; see ``ServerReader``.
    public func run(of version: Int64, in feed: ServerFeed) throws(ServerStorageError) -> String? {
        try self.reader.run(of: version, in: feed)
    }

    /// The row of a record, or its tombstone; see ``ServerReader``.
    public func row(_ pk: String, in feed: ServerFeed) throws(ServerStorageError) -> ServerRow? {
        try self.reader.row(pk, in: feed)
    }

    /// Visits the rows that are newer than a version; see ``ServerReader``.
    public func rows(
        in feed: ServerFeed, after version: Int64, visit: (Span<UInt8>, Int64, Span<UInt8>?) -> Bool
    ) throws(ServerStorageError) {
        try self.reader.rows(in: feed, after: version, visit: visit)
    }

    /// Counts the rows that are newer than a version; see ``ServerReader``.
    public func countRows(in feed: ServerFeed, after version: Int64) throws(ServerStorageError) -> Int64 {
        try self.reader.countRows(in: feed, after: version)
    }
}
