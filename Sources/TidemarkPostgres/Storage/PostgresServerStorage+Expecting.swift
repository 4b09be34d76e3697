public import TidemarkServer

extension PostgresServerStorage {
    /// The number of edits of a transaction whose rows and answers are read in advance; those of other edits are read when
    /// needed.
    private static let aheadLimit = 512
    /// The largest row that is read in advance, in bytes.
    private static let aheadSize: Int64 = 4 << 10

    /// Locks the existing feeds, in the order of their names, so that two processes that need the same two feeds can't
    /// deadlock. Then reads the rows and the answers that the edits need, so that a POST of a hundred edits does not need two
    /// hundred round trips to the database.
    public func expect(_ posts: [ExpectedPost], waits: Bool) throws(ServerStorageError) {
        let names = Set(posts.map { PostgresWriting.Name(account: $0.account, collection: $0.collection) })
        try self.lock(names.sorted(), waits: waits)
        var room = Self.aheadLimit
        var asked: [Int64: (feed: ServerFeed, names: PostgresAhead.Names)] = [:]
        for post in posts where room > 0 {
            let name = PostgresWriting.Name(account: post.account, collection: post.collection)
            guard let feed = self.writing?[name] else { continue }
            let edits = post.edits(limit: room)
            room -= edits.count
            asked[feed.id, default: (feed, PostgresAhead.Names())].names.add(edits)
        }
        try self.readAhead(asked.values.map(\.self))
    }

    private func lock(_ names: [PostgresWriting.Name], waits: Bool) throws(ServerStorageError) {
        let statement = waits ? Self.lockFeed : Self.lockFeedAtOnce
        let calls = names.map { PostgresCall(statement, [.bytes($0.account), .bytes($0.collection)]) }
        let results = try self.session.run(calls + [PostgresCall(Self.presentRun)])
        try self.note(run: results[calls.count])
        for (name, found) in zip(names, results) where found.count > 0 {
            let account = String(decoding: name.account, as: UTF8.self)
            self.writing?.hold(try self.reader.feed(found, 0, of: account), as: name)
        }
    }

    private func readAhead(
        _ asked: [(feed: ServerFeed, names: PostgresAhead.Names)]
    ) throws(ServerStorageError) {
        var calls: [PostgresCall] = []
        for (feed, names) in asked {
            calls.append(PostgresCall(Self.answersAhead, feed.key + [.list(Array(names.requestIDs))]))
            calls.append(PostgresCall(Self.rowsAhead, feed.key + [.list(Array(names.pks)), .number(Self.aheadSize)]))
        }
        guard !calls.isEmpty else { return }
        let results = try self.session.run(calls)
        for (index, (feed, names)) in asked.enumerated() {
            self.writing?.ahead[feed.id] = try PostgresAhead(
                names, answers: results[2 * index], rows: results[2 * index + 1])
        }
    }

    private static let answersAhead = PostgresStatement(
        "answers ahead",
        """
        SELECT \(RememberedAnswer.columns) FROM tidemark_answer
        WHERE account = $1 AND feed = $2 AND request_id = ANY ($3)
        """)
    private static let rowsAhead = PostgresStatement(
        "rows ahead",
        """
        SELECT pk, updated_at, data IS NULL, CASE WHEN octet_length(data) <= $4::bigint THEN data END
        FROM tidemark_record WHERE account = $1 AND feed = $2 AND pk = ANY ($3)
        """)
}

/// The rows and answers of a feed that were read in advance, including missing ones. Names are distinguished by their bytes.
struct PostgresAhead {
    /// The names to read.
    struct Names {
        private(set) var requestIDs: Set<[UInt8]> = []
        private(set) var pks: Set<[UInt8]> = []

        mutating func add(_ edits: [(requestID: String, pk: String)]) {
            for edit in edits {
                self.requestIDs.insert(Array(edit.requestID.utf8))
                self.pks.insert(Array(edit.pk.utf8))
            }
        }
    }

    private var answers: [[UInt8]: RememberedAnswer?]
    private var rows: [[UInt8]: ServerRow?]

    /// Stores the database's result for these names; a row that is too large is read when it is needed.
    init(_ names: Names, answers: PostgresResult, rows: PostgresResult) throws(ServerStorageError) {
        self.answers = Dictionary(uniqueKeysWithValues: names.requestIDs.map { ($0, nil) })
        self.rows = Dictionary(uniqueKeysWithValues: names.pks.map { ($0, nil) })
        for row in 0..<answers.count {
            self.answers[answers.bytes(row, 0)] = .some(try RememberedAnswer(answers, row))
        }
        for row in 0..<rows.count {
            let (pk, data, isTombstone) = (rows.bytes(row, 0), rows.bytesOrNull(row, 3), try rows.flag(row, 2))
            guard data != nil || isTombstone else {
                self.rows[pk] = nil
                continue
            }
            self.rows[pk] = .some(
                ServerRow(pk: try rows.text(row, 0), updatedAt: try rows.number(row, 1), data: data))
        }
    }

    /// The answer to a request id: nil if it was not read, and an inner nil if there is no answer.
    func answer(to requestID: String) -> RememberedAnswer?? { self.answers[Array(requestID.utf8)] }

    /// The row of a record: nil if it was not read, and an inner nil if there is no row.
    func row(_ pk: String) -> ServerRow?? { self.rows[Array(pk.utf8)] }

    /// Forgets a row that was written: a later read gets it from the database.
    mutating func note(_ row: ServerRow) { self.rows[Array(row.pk.utf8)] = nil }

    /// Forgets an answer that was written.
    mutating func note(_ answer: RememberedAnswer) { self.answers[Array(answer.requestID.utf8)] = nil }
}
