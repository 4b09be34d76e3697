public import TidemarkServer

extension PostgresServerStorage {
    /// The kept answer to a request id; see `ServerStorage`.
    public func answer(
        to requestID: String, in feed: ServerFeed
    ) throws(ServerStorageError) -> RememberedAnswer? {
        if let known = self.writing?.prefetched[feed.id]?.answer(to: requestID) { return known }
        let found = try self.session.run(Self.answer, feed.key + [.text(requestID)])
        return found.count > 0 ? try RememberedAnswer(found, 0) : nil
    }

    /// Keeps an answer with its time; see `ServerStorage`.
    public func remember(
        _ answer: RememberedAnswer, at time: Int64, in feed: ServerFeed
    ) throws(ServerStorageError) {
        try self.session.rememberLater(answer, at: time, in: feed)
        self.writing?.apply(answer.size, in: feed) { $0.apply(answer) }
    }

    private static let answer = PostgresStatement(
        "answer",
        """
        SELECT \(RememberedAnswer.columns) FROM tidemark_answer
        WHERE account = $1 AND feed = $2 AND request_id = $3
        """)
}

extension RememberedAnswer {
    /// The columns that ``init(_:_:)`` reads.
    static let columns = "request_id, edit, digest, result, version, is_conflicted"

    /// Reads an answer from a row.
    init(_ found: PostgresResult, _ row: Int) throws(ServerStorageError) {
        let edit: Edit =
            if let digest = try found.textOrNull(row, 2) { .digest(digest) } else { .whole(found.bytes(row, 1)) }
        let result: Result =
            if let version = try found.numberOrNull(row, 4) {
                .row(version: version, isConflicted: try found.flag(row, 5))
            } else {
                .whole(found.bytes(row, 3))
            }
        self.init(requestID: try found.text(row, 0), edit: edit, result: result)
    }
}
