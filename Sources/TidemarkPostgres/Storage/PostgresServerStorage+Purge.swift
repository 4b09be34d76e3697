public import TidemarkServer

extension PostgresServerStorage {
    /// Deletes some of the tombstones of one feed that are older than a time, or some answers; see `ServerStorage`.
    ///
    /// Writers of other feeds do not wait for it. Several processes may purge at the same time.
    public func purge(before time: Int64, limit: Int) throws(ServerStorageError) -> ServerPurge {
        try self.session.transaction(.writing) { () throws(ServerStorageError) in
            self.session.runLater(Self.planForValues, [])
            if let feed = try self.feedWithTombstones(before: time) {
                let tombstones = try self.purgeTombstones(of: feed, before: time, limit: limit)
                // If there are none, another process has deleted them meanwhile; then there may be another feed.
                if tombstones > 0 { return ServerPurge(tombstones: tombstones, answers: 0) }
            }
            return ServerPurge(tombstones: 0, answers: try self.purgeAnswers(before: time, limit: limit))
        }
    }

    /// Erases some of the data of removed accounts; see `ServerStorage`.
    public func eraseRemoved(limit: Int) throws(ServerStorageError) -> Bool {
        try self.session.transaction(.writing) { () throws(ServerStorageError) in
            self.session.runLater(Self.planForValues, [])
            // Locked: otherwise one of two processes could treat the feed as erased while the other is still erasing it.
            let found = try self.session.run(Self.removedFeed)
            guard found.count > 0 else { return false }
            let feed = [PostgresValue.bytes(found.bytes(0, 0)), .number(try found.number(0, 1))]
            var room = limit
            for portion in [Self.removedAnswers, Self.removedRows] {
                room -= try self.erase(portion, of: feed, limit: room)
                guard room > 0 else { return true }
            }
            // There is one row for each incarnation that wrote to the feed.
            try self.session.run(Self.eraseRuns, feed)
            try self.session.run(Self.eraseRemovedFeed, feed)
            return true
        }
    }

    /// Erases the first rows of a feed, in the order of its key.
    private func erase(
        _ portion: Portion, of feed: [PostgresValue], limit: Int
    ) throws(ServerStorageError) -> Int {
        let last = try self.session.run(portion.last, feed + [.number(Int64(limit - 1))])
        guard last.count > 0 else { return try self.session.run(portion.all, feed).changes }
        return try self.session.run(portion.first, feed + [.bytes(last.bytes(0, 0))]).changes
    }

    /// Answers of the same microsecond are deleted together.
    private func purgeAnswers(before time: Int64, limit: Int) throws(ServerStorageError) -> Int {
        let last = try self.session.run(Self.lastAnswer, [.number(time), .number(Int64(limit - 1))])
        let newest = last.count > 0 ? try last.number(0, 0) : time - 1
        return try self.session.run(Self.forgetAnswers, [.number(newest)]).changes
    }

    private func feedWithTombstones(before time: Int64) throws(ServerStorageError) -> [PostgresValue]? {
        let found = try self.session.run(Self.withTombstones, [.number(time)])
        guard found.count > 0 else { return nil }
        return [.bytes(found.bytes(0, 0)), .number(try found.number(0, 1))]
    }

    /// Under the feed's lock, together with its horizon: other transactions see both changes or neither (W8).
    private func purgeTombstones(
        of feed: [PostgresValue], before time: Int64, limit: Int
    ) throws(ServerStorageError) -> Int {
        try self.session.run(Self.lockByNumber, feed)
        let found = try self.session.run(Self.newestTombstone, feed + [.number(time), .number(Int64(limit))])
        guard let newest = try found.numberOrNull(0, 0) else { return 0 }
        try self.session.run(Self.moveHorizon, feed + [.number(newest), .number(time)])
        return try self.session.run(Self.forgetTombstones, feed + [.number(newest)]).changes
    }

    /// A portion of a feed has no index that is best for any feed, as a page or a record has: plans each statement of the
    /// transaction for its values, by any way of reading. A database without the setting ignores this.
    private static let planForValues = PostgresStatement(
        "plan for values",
        """
        SELECT set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_seqscan', 'on', true),
            set_config('enable_bitmapscan', 'on', true), set_config('enable_sort', 'on', true)
        WHERE current_setting('plan_cache_mode', true) IS NOT NULL
        """)
    private static let withTombstones = PostgresStatement(
        "with tombstones",
        """
        SELECT account, feed FROM tidemark_record WHERE data IS NULL AND updated_at < $1 ORDER BY updated_at LIMIT 1
        """)
    private static let removedFeed = PostgresStatement(
        "removed feed", "SELECT account, feed FROM tidemark_removed ORDER BY account, feed LIMIT 1 FOR UPDATE")
    private static let removedAnswers = Portion(of: "tidemark_answer", key: "request_id")
    private static let removedRows = Portion(of: "tidemark_record", key: "pk")
    private static let eraseRuns = PostgresStatement(
        "erase runs", "DELETE FROM tidemark_run WHERE account = $1 AND feed = $2")
    private static let eraseRemovedFeed = PostgresStatement(
        "erase removed feed", "DELETE FROM tidemark_removed WHERE account = $1 AND feed = $2")
    private static let lockByNumber = PostgresStatement(
        "lock by number", "SELECT id FROM tidemark_feed WHERE account = $1 AND id = $2 FOR UPDATE")
    private static let newestTombstone = PostgresStatement(
        "newest tombstone",
        """
        SELECT max(updated_at) FROM (
            SELECT updated_at FROM tidemark_record
            WHERE account = $1 AND feed = $2 AND data IS NULL AND updated_at < $3 ORDER BY updated_at LIMIT $4) AS oldest
        """)
    private static let moveHorizon = PostgresStatement(
        "move horizon",
        """
        UPDATE tidemark_feed SET horizon = greatest(horizon, $3), purges = greatest(purges + 1, $4)
        WHERE account = $1 AND id = $2
        """)
    private static let forgetTombstones = PostgresStatement(
        "forget tombstones",
        "DELETE FROM tidemark_record WHERE account = $1 AND feed = $2 AND data IS NULL AND updated_at <= $3")
    private static let lastAnswer = PostgresStatement(
        "last answer",
        "SELECT answered_at FROM tidemark_answer WHERE answered_at < $1 ORDER BY answered_at OFFSET $2 LIMIT 1")
    private static let forgetAnswers = PostgresStatement(
        "forget answers", "DELETE FROM tidemark_answer WHERE answered_at <= $1")
}

/// Erases rows of a feed in portions, up to a key that is looked up first. Without `plan_cache_mode`, a database could plan a
/// single statement so that it compares each row of the feed with each row of the portion.
private struct Portion {
    /// Finds the key of the last row of the portion; no row if there are no more than that.
    let last: PostgresStatement
    /// Erases the portion, up to that key.
    let first: PostgresStatement
    /// Erases all rows.
    let all: PostgresStatement

    init(of table: String, key: String) {
        let rows = "FROM \(table) WHERE account = $1 AND feed = $2"
        self.last = PostgresStatement("last of \(table)", "SELECT \(key) \(rows) ORDER BY \(key) OFFSET $3 LIMIT 1")
        self.first = PostgresStatement("erase of \(table)", "DELETE \(rows) AND \(key) <= $3")
        self.all = PostgresStatement("erase all of \(table)", "DELETE \(rows)")
    }
}
