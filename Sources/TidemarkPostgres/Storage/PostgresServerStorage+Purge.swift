public import TidemarkServer

extension PostgresServerStorage {
    /// Forgets tombstones and answers older than a time; see `ServerStorage`.
    ///
    /// Each feed is purged in transactions of its own, so that nobody waits for that of another one. Several processes may do it
    /// at once.
    public func purge(before time: Int64) throws(ServerStorageError) -> ServerPurge {
        var purge = ServerPurge(tombstones: 0, answers: 0)
        for feed in try self.feedsWithTombstones(before: time) {
            purge.tombstones += try self.inPortions { () throws(ServerStorageError) in
                try self.purgeTombstones(of: feed, before: time)
            }
        }
        purge.answers = try self.inPortions { () throws(ServerStorageError) in
            try self.session.run(Self.forgetAnswers, [.number(time), .number(Self.portion)]).changes
        }
        return purge
    }

    /// How many rows one transaction forgets: nobody waits long for it, and no statement takes too long.
    private static let portion: Int64 = 10_000

    private func inPortions(_ work: () throws(ServerStorageError) -> Int) throws(ServerStorageError) -> Int {
        var sum = 0
        while true {
            let count = try self.session.transaction(.writing, work)
            sum += count
            guard count == Self.portion else { return sum }
        }
    }

    private func feedsWithTombstones(before time: Int64) throws(ServerStorageError) -> [[PostgresValue]] {
        try self.session.transaction(.reading) { () throws(ServerStorageError) in
            let found = try self.session.run(Self.withTombstones, [.number(time)])
            var feeds: [[PostgresValue]] = []
            for row in 0..<found.count {
                feeds.append([.bytes(found.bytes(row, 0)), .number(try found.number(row, 1))])
            }
            return feeds
        }
    }

    /// Under the feed's lock, and together with its horizon: whoever reads or writes sees both or neither (SPEC W8).
    private func purgeTombstones(
        of feed: [PostgresValue], before time: Int64
    ) throws(ServerStorageError) -> Int {
        try self.session.run(Self.lockByNumber, feed)
        let found = try self.session.run(Self.newestTombstone, feed + [.number(time), .number(Self.portion)])
        guard let newest = try found.numberOrNull(0, 0) else { return 0 }
        try self.session.run(Self.moveHorizon, feed + [.number(newest), .number(time)])
        return try self.session.run(Self.forgetTombstones, feed + [.number(newest)]).changes
    }

    private static let withTombstones = PostgresStatement(
        "with tombstones",
        "SELECT DISTINCT account, feed FROM tidemark_record WHERE data IS NULL AND updated_at < $1")
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
    private static let forgetAnswers = PostgresStatement(
        "forget answers",
        """
        DELETE FROM tidemark_answer WHERE (account, feed, request_id) IN (
            SELECT account, feed, request_id FROM tidemark_answer WHERE answered_at < $1 ORDER BY answered_at LIMIT $2)
        """)
}
