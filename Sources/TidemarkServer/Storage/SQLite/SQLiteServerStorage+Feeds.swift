import TidemarkDatabase

extension SQLiteServerStorage {
    /// The feed of an account's collection; see ``ServerReader``.
    public func feed(account: String, collection: String) throws(ServerStorageError) -> ServerFeed? {
        let name = OpenFeeds.Name(account: account, collection: collection)
        if let feed = self.openFeeds?[name] { return feed }
        let feed = try self.rowReader.feed(account: account, collection: collection)
        if let feed { self.openFeeds?.hold(feed, as: name) }
        return feed
    }

    /// The feeds of an account; see ``ServerReader``.
    public func feeds(
        account: String, limit: Int
    ) throws(ServerStorageError) -> [(collection: String, feed: ServerFeed)] {
        try self.saveFeeds()
        return try self.rowReader.feeds(account: account, limit: limit)
    }

    /// The feed, made if there is none; see ``ServerStorage``.
    public func openFeed(account: String, collection: String) throws(ServerStorageError) -> ServerFeed {
        if let feed = try self.feed(account: account, collection: collection) {
            return feed
        }
        let feed = try translating { () throws(DatabaseError) in
            try self.database.statement(
                "INSERT INTO feed (account, collection) VALUES (?1, ?2)", binding: account, collection
            ).run()
            return ServerFeed(
                id: self.database.lastInsertRowID, account: account, last: 0, horizon: 0, purges: 0)
        }
        self.openFeeds?.hold(feed, as: OpenFeeds.Name(account: account, collection: collection))
        return feed
    }

    /// Records that this incarnation assigns the versions from here on; see ``ServerStorage``.
    public func beginRun(after version: Int64, in feed: ServerFeed) throws(ServerStorageError) {
        try translating { () throws(DatabaseError) in
            try self.database.statement(
                "INSERT INTO run (feed, after, name) VALUES (?1, ?2, ?3)", binding: feed.id, version, self.run()
            ).run()
        }
    }

    /// Replaces the row with this `pk`; see ``ServerStorage``.
    public func save(_ row: ServerRow, in feed: ServerFeed) throws(ServerStorageError) {
        try translating { () throws(DatabaseError) in
            try self.database.statement(
                """
                INSERT INTO record (feed, pk, updated_at, data) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (feed, pk) DO UPDATE SET updated_at = excluded.updated_at, data = excluded.data
                """, binding: feed.id, row.pk, row.updatedAt, row.data
            ).run()
        }
        var feed = feed
        feed.last = row.updatedAt
        guard self.openFeeds != nil else { return try self.saveFeed(feed) }
        self.openFeeds?.change(feed)
    }

    /// Writes the changed feeds of the open transaction.
    func saveFeeds() throws(ServerStorageError) {
        for feed in self.openFeeds?.takeChanged() ?? [] {
            try self.saveFeed(feed)
        }
    }

    private func saveFeed(_ feed: ServerFeed) throws(ServerStorageError) {
        try translating { () throws(DatabaseError) in
            try self.database.statement(
                "UPDATE feed SET last = ?2, row_count = ?3, byte_count = ?4 WHERE id = ?1", binding: feed.id, feed.last,
                feed.rows, feed.bytes
            ).run()
        }
    }
}
