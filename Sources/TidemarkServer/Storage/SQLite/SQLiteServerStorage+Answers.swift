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
                """, binding: feed.id, requestID)
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
        let (edit, digest): ([UInt8]?, String?) =
            switch answer.edit {
            case .whole(let bytes): (bytes, nil)
            case .digest(let digest): (nil, digest)
            }
        let (result, version, isConflicted): ([UInt8]?, Int64?, Bool) =
            switch answer.result {
            case .whole(let bytes): (bytes, nil, false)
            case .row(let version, let isConflicted): (nil, version, isConflicted)
            }
        try translating { () throws(DatabaseError) in
            try self.database.statement(
                """
                INSERT INTO answer (feed, request_id, answered_at, edit, digest, result, version, is_conflicted)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                """, binding: feed.id, answer.requestID, time, edit, digest, result, version,
                isConflicted ? 1 : 0 as Int64
            ).run()
        }
    }
}
