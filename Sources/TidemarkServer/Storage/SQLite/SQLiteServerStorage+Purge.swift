import TidemarkDatabase

extension SQLiteServerStorage {
    /// Deletes some of the tombstones and answers older than a time, the oldest first; see ``ServerStorage``.
    public func purge(before time: Int64, limit: Int) throws(ServerStorageError) -> ServerPurge {
        try self.transaction { () throws(ServerStorageError) in
            try translating { () throws(DatabaseError) in
                if let newest = try self.newestTombstone(before: time, limit: limit) {
                    return ServerPurge(tombstones: try self.purgeTombstones(to: newest, at: time), answers: 0)
                }
                let answers = try self.change(
                    """
                    DELETE FROM answer WHERE rowid IN (
                        SELECT rowid FROM answer WHERE answered_at < ?1 ORDER BY answered_at LIMIT ?2)
                    """, time, Int64(limit))
                return ServerPurge(tombstones: 0, answers: answers)
            }
        }
    }

    /// The version up to which tombstones are deleted, in all feeds; nil if no tombstone is so old.
    private func newestTombstone(before time: Int64, limit: Int) throws(DatabaseError) -> Int64? {
        let select = try self.database.statement(
            """
            SELECT max(updated_at) FROM (
                SELECT updated_at FROM record WHERE data IS NULL AND updated_at < ?1 ORDER BY updated_at LIMIT ?2)
            """, binding: time, Int64(limit))
        defer { select.reset() }
        return try select.step() ? try select.int64OrNull(0) : nil
    }

    private func purgeTombstones(to newest: Int64, at time: Int64) throws(DatabaseError) -> Int {
        _ = try self.change(
            """
            UPDATE feed SET horizon = max(horizon, gone.newest), purges = max(purges + 1, ?2)
            FROM (SELECT feed, max(updated_at) AS newest FROM record
                  WHERE data IS NULL AND updated_at <= ?1 GROUP BY feed) AS gone
            WHERE gone.feed = feed.id
            """, newest, time)
        return try self.change("DELETE FROM record WHERE data IS NULL AND updated_at <= ?1", newest)
    }

    /// Erases some of the data of removed accounts; see ``ServerStorage``.
    public func eraseRemoved(limit: Int) throws(ServerStorageError) -> Bool {
        try self.transaction { () throws(ServerStorageError) in
            try translating { () throws(DatabaseError) in
                guard let feed = try self.leftFeed() else { return false }
                var room = limit
                for table in ["answer", "record"] {
                    room -= try self.change(
                        "DELETE FROM \(table) WHERE rowid IN (SELECT rowid FROM \(table) WHERE feed = ?1 LIMIT ?2)",
                        feed,
                        Int64(room))
                    guard room > 0 else { return true }
                }
                // There is one row for each incarnation that wrote to the feed.
                _ = try self.change("DELETE FROM run WHERE feed = ?1", feed)
                _ = try self.change("DELETE FROM feed WHERE id = ?1", feed)
                return true
            }
        }
    }

    /// The account of the feeds that removed accounts left: not an account's id, since ids are hexadecimal digits or “open”.
    static let removed = "removed"

    /// A feed of a removed account.
    private func leftFeed() throws(DatabaseError) -> Int64? {
        let select = try self.database.statement(
            "SELECT id FROM feed WHERE account = ?1 LIMIT 1", binding: Self.removed)
        defer { select.reset() }
        return try select.step() ? try select.int64(0) : nil
    }

    /// Runs a statement with integer parameters, and returns the number of changed rows.
    private func change(_ sql: String, _ numbers: Int64...) throws(DatabaseError) -> Int {
        let statement = try self.database.statement(sql)
        for (index, number) in numbers.enumerated() { try statement.bind(index + 1, number) }
        try statement.run()
        return self.database.changes
    }
}
