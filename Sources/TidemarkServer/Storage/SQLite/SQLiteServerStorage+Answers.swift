internal import TidemarkDatabase

extension SQLiteServerStorage {
    /// The answer that was given to a request id; see ``ServerStorage``.
    public func answer(
        to requestID: String, in feed: ServerFeed
    ) throws(ServerStorageError) -> RememberedAnswer? {
        try self.translating { () throws(DatabaseError) in
            let select = try self.database.statement(
                "SELECT edit, result FROM answer WHERE feed = ?1 AND request_id = ?2")
            try select.bind(1, feed.id)
            try select.bind(2, requestID)
            guard try select.step() else { return nil }
            return RememberedAnswer(requestID: requestID, edit: try select.bytes(0), result: try select.bytes(1))
        }
    }

    /// Keeps an answer with its time; see ``ServerStorage``.
    public func remember(
        _ answer: RememberedAnswer, at time: Int64, in feed: ServerFeed
    ) throws(ServerStorageError) {
        try self.translating { () throws(DatabaseError) in
            let insert = try self.database.statement(
                "INSERT INTO answer (feed, request_id, answered_at, edit, result) VALUES (?1, ?2, ?3, ?4, ?5)")
            try insert.bind(1, feed.id)
            try insert.bind(2, answer.requestID)
            try insert.bind(3, time)
            try insert.bind(4, answer.edit)
            try insert.bind(5, answer.result)
            try insert.run()
        }
    }

    /// Forgets tombstones and answers older than a time, all in one transaction; see ``ServerStorage``.
    public func purge(before time: Int64) throws(ServerStorageError) -> ServerPurge {
        try self.transaction { () throws(ServerStorageError) in
            try self.translating { () throws(DatabaseError) in
                try self.run(
                    """
                    UPDATE feed SET horizon = max(horizon, gone.newest), purges = purges + 1
                    FROM (SELECT feed, max(updated_at) AS newest FROM record
                          WHERE data IS NULL AND updated_at < ?1 GROUP BY feed) AS gone
                    WHERE gone.feed = feed.id
                    """, time)
                try self.run("DELETE FROM record WHERE data IS NULL AND updated_at < ?1", time)
                let tombstones = self.database.changes
                try self.run("DELETE FROM answer WHERE answered_at < ?1", time)
                return ServerPurge(tombstones: tombstones, answers: self.database.changes)
            }
        }
    }

    private func run(_ sql: String, _ time: Int64) throws(DatabaseError) {
        let statement = try self.database.statement(sql)
        try statement.bind(1, time)
        try statement.run()
    }
}
