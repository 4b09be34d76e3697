public import TidemarkServer

extension PostgresServerStorage {
    /// The answer that was given to a request id; see `ServerStorage`.
    public func answer(
        to requestID: String, in feed: ServerFeed
    ) throws(ServerStorageError) -> RememberedAnswer? {
        let found = try self.session.run(Self.answer, feed.key + [.text(requestID)])
        guard found.count > 0 else { return nil }
        let edit: RememberedAnswer.Edit =
            if let digest = try found.textOrNull(0, 1) { .digest(digest) } else { .whole(found.bytes(0, 0)) }
        let result: RememberedAnswer.Result =
            if let version = try found.numberOrNull(0, 3) {
                .row(version: version, isConflicted: try found.flag(0, 4))
            } else {
                .whole(found.bytes(0, 2))
            }
        return RememberedAnswer(requestID: requestID, edit: edit, result: result)
    }

    /// Keeps an answer with its time; see `ServerStorage`.
    public func remember(
        _ answer: RememberedAnswer, at time: Int64, in feed: ServerFeed
    ) throws(ServerStorageError) {
        var values = feed.key + [.text(answer.requestID), .number(time)]
        switch answer.edit {
        case .whole(let bytes): values += [.bytes(bytes), .null]
        case .digest(let digest): values += [.null, .text(digest)]
        }
        switch answer.result {
        case .whole(let bytes): values += [.bytes(bytes), .null, .flag(false)]
        case .row(let version, let isConflicted): values += [.null, .number(version), .flag(isConflicted)]
        }
        try self.session.run(Self.remember, values)
    }

    private static let answer = PostgresStatement(
        "answer",
        """
        SELECT edit, digest, result, version, is_conflicted FROM tidemark_answer
        WHERE account = $1 AND feed = $2 AND request_id = $3
        """)
    private static let remember = PostgresStatement(
        "remember",
        """
        INSERT INTO tidemark_answer (account, feed, request_id, answered_at, edit, digest, result, version, is_conflicted)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        """)
}
