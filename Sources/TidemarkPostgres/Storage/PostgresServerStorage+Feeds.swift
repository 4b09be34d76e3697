public import TidemarkServer

extension PostgresServerStorage {
    /// The feed; within a transaction it is locked until the end, so that decisions that depend on it remain valid.
    public func feed(account: String, collection: String) throws(ServerStorageError) -> ServerFeed? {
        guard let writing = self.writing else {
            return try self.rowReader.feed(account: account, collection: collection)
        }
        let name = FeedName(account: account, collection: collection)
        if let feed = writing[name] { return feed }
        let feed = try self.rowReader.feed(Self.lockFeed, account: account, collection: collection)
        if let feed { self.writing?.hold(feed, as: name) }
        return feed
    }

    /// The feed, made if it does not exist, and locked; see `ServerStorage`.
    public func openFeed(account: String, collection: String) throws(ServerStorageError) -> ServerFeed {
        // A random number almost never equals that of another feed of the account.
        for _ in 0..<3 {
            if let feed = try self.feed(account: account, collection: collection) { return feed }
            // Random, since the machines of a distributed database would all need the one that keeps a sequence.
            let id = Int64.random(in: 1 ... .max)
            try self.session.run(Self.makeFeed, [.text(account), .text(collection), .number(id)])
        }
        throw ServerStorageError(
            .failed, "\(self.session.address): the row of a new collection is missing after it was made.")
    }

    /// Records that the current incarnation assigns the versions from here on; see `ServerStorage`.
    public func beginRun(after version: Int64, in feed: ServerFeed) throws(ServerStorageError) {
        let run = try self.run()
        self.session.runLater(Self.noteRun, feed.key + [.number(version), .text(run)])
        self.writing?.change(feed) { $0.run = run }
        self.writing?.prefetched[feed.id]?.apply(run: run, after: version)
    }

    /// Replaces the row with this `pk`; see `ServerStorage`.
    public func save(_ row: ServerRow, in feed: ServerFeed) throws(ServerStorageError) {
        try self.session.saveLater(row, in: feed)
        self.writing?.apply(row.data?.count ?? 0, in: feed) { $0.apply(row) }
        self.writing?.change(feed) {
            $0.last = row.updatedAt
            $0.rows = feed.rows
            $0.bytes = feed.bytes
        }
    }

    /// Writes the changed feeds, once each: a row that is written a thousand times in one transaction is slow to find.
    func saveFeeds() throws(ServerStorageError) {
        guard let writing = self.writing else { return }
        for feed in writing.changed.compactMap({ writing.feeds[$0] }) {
            self.session.runLater(
                Self.saveFeed,
                feed.key + [
                    .number(feed.last), .text(orNull: feed.run), .number(feed.rows), .number(feed.bytes),
                ])
        }
    }

    static let lockFeed = PostgresStatement("lock feed", "\(PostgresServerStorage.feedForUpdate)")
    static let lockFeedAtOnce = PostgresStatement("lock feed at once", "\(PostgresServerStorage.feedForUpdate) NOWAIT")
    private static let feedForUpdate =
        "SELECT \(PostgresServerReader.feedColumns) \(PostgresServerReader.ofCollection) FOR UPDATE"
    private static let makeFeed = PostgresStatement(
        "make feed",
        "INSERT INTO tidemark_feed (account, collection, id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING")
    private static let noteRun = PostgresStatement(
        "note run", "INSERT INTO tidemark_run (account, feed, after, name) VALUES ($1, $2, $3, $4)")
    private static let saveFeed = PostgresStatement(
        "save feed",
        """
        UPDATE tidemark_feed SET last = $3, run = $4, row_count = $5, byte_count = $6 WHERE account = $1 AND id = $2
        """)
}
