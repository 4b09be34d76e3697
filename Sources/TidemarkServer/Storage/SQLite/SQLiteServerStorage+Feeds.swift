import TidemarkDatabase

extension SQLiteServerStorage {
    /// The feed of an account's collection; see ``ServerStorage``.
    public func feed(account: String, collection: String) throws(ServerStorageError) -> ServerFeed? {
        try self.translating { () throws(DatabaseError) in
            let select = try self.database.statement(
                """
                SELECT id, last, horizon, purges,
                    (SELECT name FROM run WHERE run.feed = feed.id AND after < last ORDER BY after DESC LIMIT 1)
                FROM feed WHERE account = ?1 AND collection = ?2
                """)
            try select.bind(1, account)
            try select.bind(2, collection)
            guard try select.step() else { return nil }
            return ServerFeed(
                id: try select.int64(0), last: try select.int64(1), horizon: try select.int64(2),
                purges: try select.int64(3), run: try select.textOrNull(4))
        }
    }

    /// The feed, made where there is none; see ``ServerStorage``.
    public func openFeed(account: String, collection: String) throws(ServerStorageError) -> ServerFeed {
        if let feed = try self.feed(account: account, collection: collection) {
            return feed
        }
        return try self.translating { () throws(DatabaseError) in
            let insert = try self.database.statement("INSERT INTO feed (account, collection) VALUES (?1, ?2)")
            try insert.bind(1, account)
            try insert.bind(2, collection)
            try insert.run()
            return ServerFeed(id: self.database.lastInsertRowID, last: 0, horizon: 0, purges: 0)
        }
    }

    /// Notes that this run gives out the versions from here on; see ``ServerStorage``.
    public func beginRun(after version: Int64, in feed: ServerFeed) throws(ServerStorageError) {
        try self.translating { () throws(DatabaseError) in
            let insert = try self.database.statement("INSERT INTO run (feed, after, name) VALUES (?1, ?2, ?3)")
            try insert.bind(1, feed.id)
            try insert.bind(2, version)
            try insert.bind(3, self.run())
            try insert.run()
        }
    }

    /// The run that gave out a version; see ``ServerStorage``.
    public func run(of version: Int64, in feed: ServerFeed) throws(ServerStorageError) -> String? {
        try self.translating { () throws(DatabaseError) in
            let select = try self.database.statement(
                "SELECT name FROM run WHERE feed = ?1 AND after < ?2 ORDER BY after DESC LIMIT 1")
            try select.bind(1, feed.id)
            try select.bind(2, version)
            return try select.step() ? try select.text(0) : nil
        }
    }

    /// The row of a record, a tombstone's too; see ``ServerStorage``.
    public func row(_ pk: String, in feed: ServerFeed) throws(ServerStorageError) -> ServerRow? {
        try self.translating { () throws(DatabaseError) in
            let select = try self.database.statement(
                "SELECT updated_at, data FROM record WHERE feed = ?1 AND pk = ?2")
            try select.bind(1, feed.id)
            try select.bind(2, pk)
            guard try select.step() else { return nil }
            return ServerRow(pk: pk, updatedAt: try select.int64(0), data: try select.bytesOrNull(1))
        }
    }

    /// Puts a row in the place of the one with its `pk`; see ``ServerStorage``.
    public func save(_ row: ServerRow, in feed: ServerFeed) throws(ServerStorageError) {
        try self.translating { () throws(DatabaseError) in
            let upsert = try self.database.statement(
                """
                INSERT INTO record (feed, pk, updated_at, data) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (feed, pk) DO UPDATE SET updated_at = excluded.updated_at, data = excluded.data
                """)
            try upsert.bind(1, feed.id)
            try upsert.bind(2, row.pk)
            try upsert.bind(3, row.updatedAt)
            try upsert.bind(4, row.data)
            try upsert.run()
            let update = try self.database.statement("UPDATE feed SET last = ?2 WHERE id = ?1")
            try update.bind(1, feed.id)
            try update.bind(2, row.updatedAt)
            try update.run()
        }
    }

    /// Visits the rows that are newer than a version; see ``ServerStorage``.
    public func rows(
        in feed: ServerFeed, after version: Int64, visit: (ServerRow) throws(ServerStorageError) -> Bool
    ) throws(ServerStorageError) {
        let select = try self.translating { () throws(DatabaseError) in
            let select = try self.database.statement(
                "SELECT pk, updated_at, data FROM record WHERE feed = ?1 AND updated_at > ?2 ORDER BY updated_at")
            try select.bind(1, feed.id)
            try select.bind(2, version)
            return select
        }
        while let row = try self.nextRow(of: select) {
            guard try visit(row) else { return }
        }
    }

    /// Counts the rows that are newer than a version, in the index; see ``ServerStorage``.
    public func countRows(in feed: ServerFeed, after version: Int64) throws(ServerStorageError) -> Int64 {
        try self.translating { () throws(DatabaseError) in
            let select = try self.database.statement(
                "SELECT count(*) FROM record WHERE feed = ?1 AND updated_at > ?2")
            try select.bind(1, feed.id)
            try select.bind(2, version)
            return try select.step() ? try select.int64(0) : 0
        }
    }

    private func nextRow(of select: DatabaseStatement) throws(ServerStorageError) -> ServerRow? {
        try self.translating { () throws(DatabaseError) in
            guard try select.step() else { return nil }
            return ServerRow(
                pk: try select.text(0), updatedAt: try select.int64(1), data: try select.bytesOrNull(2))
        }
    }
}
