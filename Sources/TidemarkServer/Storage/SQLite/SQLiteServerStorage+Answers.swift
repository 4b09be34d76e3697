import TidemarkDatabase

extension SQLiteServerStorage {
    /// The kept answer to a request id; see ``ServerStorage``.
    public func answer(
        to requestID: String, in feed: ServerFeed
    ) throws(ServerStorageError) -> RememberedAnswer? {
        try translating { () throws(DatabaseError) in
            let select = try self.database.statement(
                """
                SELECT edit, digest, result, version, is_conflicted FROM answer WHERE feed = ?1 AND request_id = ?2
                """)
            try select.bind(1, feed.id)
            try select.bind(2, requestID)
            guard try select.step() else { return nil }
            let edit: RememberedAnswer.Edit =
                if let digest = try select.textOrNull(1) { .digest(digest) } else { .whole(try select.bytes(0)) }
            let result: RememberedAnswer.Result =
                if let version = try select.int64OrNull(3) {
                    .row(version: version, isConflicted: try select.int64(4) != 0)
                } else {
                    .whole(try select.bytes(2))
                }
            return RememberedAnswer(requestID: requestID, edit: edit, result: result)
        }
    }

    /// Keeps an answer with its time; see ``ServerStorage``.
    public func remember(
        _ answer: RememberedAnswer, at time: Int64, in feed: ServerFeed
    ) throws(ServerStorageError) {
        try translating { () throws(DatabaseError) in
            let insert = try self.database.statement(
                """
                INSERT INTO answer (feed, request_id, answered_at, edit, digest, result, version, is_conflicted)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                """)
            try insert.bind(1, feed.id)
            try insert.bind(2, answer.requestID)
            try insert.bind(3, time)
            switch answer.edit {
            case .whole(let bytes):
                try insert.bind(4, bytes)
                try insert.bind(5, nil as String?)
            case .digest(let digest):
                try insert.bind(4, nil as [UInt8]?)
                try insert.bind(5, digest)
            }
            switch answer.result {
            case .whole(let bytes):
                try insert.bind(6, bytes)
                try insert.bind(7, nil as Int64?)
                try insert.bind(8, 0)
            case .row(let version, let isConflicted):
                try insert.bind(6, nil as [UInt8]?)
                try insert.bind(7, version)
                try insert.bind(8, isConflicted ? 1 : 0)
            }
            try insert.run()
        }
    }
}
