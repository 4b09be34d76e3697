import TidemarkServer

/// The rows and answers that a transaction writes: one statement for all rows, and one for all answers, however many feeds they
/// belong to. Of a row that is written several times, only the last state is sent.
struct PostgresWrites {
    /// The size from which they are sent before the commit, in bytes.
    static let limit = 1 << 20

    private struct Key: Hashable {
        let feed: Int64
        let account: [UInt8]
        let pk: [UInt8]
    }

    private var rows: [(feed: ServerFeed, row: ServerRow)] = []
    private var places: [Key: Int] = [:]
    private var answers: [(feed: ServerFeed, time: Int64, answer: RememberedAnswer)] = []
    /// Their approximate size.
    private(set) var bytes = 0

    mutating func add(_ row: ServerRow, in feed: ServerFeed) {
        let key = Key(feed: feed.id, account: Array(feed.account.utf8), pk: Array(row.pk.utf8))
        self.bytes += 64 + key.pk.count + (row.data?.count ?? 0)
        if let place = self.places[key] {
            self.rows[place] = (feed, row)
        } else {
            self.places[key] = self.rows.count
            self.rows.append((feed, row))
        }
    }

    mutating func add(_ answer: RememberedAnswer, at time: Int64, in feed: ServerFeed) {
        self.bytes += 64 + answer.size
        self.answers.append((feed, time, answer))
    }

    /// Returns the statements, and begins again.
    mutating func removeAll() -> [PostgresCall] {
        defer { self = PostgresWrites() }
        return (self.rows.isEmpty ? [] : [self.saveRows]) + (self.answers.isEmpty ? [] : [self.saveAnswers])
    }

    private var saveRows: PostgresCall {
        PostgresCall(
            Self.saveRows,
            Self.keys(of: self.rows.map(\.feed)) + [
                .array(.bytes, self.rows.map { .text($0.row.pk) }),
                .array(.number, self.rows.map { .number($0.row.updatedAt) }),
                .array(.bytes, self.rows.map { .bytes(orNull: $0.row.data) }),
            ])
    }

    private var saveAnswers: PostgresCall {
        let values = self.answers.map { $0.answer.values }
        return PostgresCall(
            Self.saveAnswers,
            Self.keys(of: self.answers.map(\.feed)) + [
                .array(.bytes, self.answers.map { .text($0.answer.requestID) }),
                .array(.number, self.answers.map { .number($0.time) }),
                .array(.bytes, values.map(\.edit)), .array(.text, values.map(\.digest)),
                .array(.bytes, values.map(\.result)), .array(.number, values.map(\.version)),
                .array(.flag, values.map(\.isConflicted)),
            ])
    }

    private static func keys(of feeds: [ServerFeed]) -> [PostgresValue] {
        [.array(.bytes, feeds.map { .text($0.account) }), .array(.number, feeds.map { .number($0.id) })]
    }

    private static let saveRows = PostgresStatement(
        "save rows",
        """
        INSERT INTO tidemark_record (account, feed, pk, updated_at, data)
        SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bytea[], $4::bigint[], $5::bytea[])
        ON CONFLICT (account, feed, pk) DO UPDATE SET updated_at = excluded.updated_at, data = excluded.data
        """)
    private static let saveAnswers = PostgresStatement(
        "save answers",
        """
        INSERT INTO tidemark_answer (account, feed, request_id, answered_at, edit, digest, result, version, is_conflicted)
        SELECT * FROM unnest(
            $1::bytea[], $2::bigint[], $3::bytea[], $4::bigint[], $5::bytea[], $6::text[], $7::bytea[], $8::bigint[],
            $9::boolean[])
        """)
}

extension RememberedAnswer {
    /// The approximate size in bytes.
    var size: Int {
        let edit = if case .whole(let bytes) = self.edit { bytes.count } else { 64 }
        let result = if case .whole(let bytes) = self.result { bytes.count } else { 8 }
        return self.requestID.utf8.count + edit + result
    }

    /// Its columns after the time.
    fileprivate var values:
        (
            edit: PostgresValue, digest: PostgresValue, result: PostgresValue, version: PostgresValue,
            isConflicted: PostgresValue
        )
    {
        let (edit, digest): (PostgresValue, PostgresValue) =
            switch self.edit {
            case .whole(let bytes): (.bytes(bytes), .null)
            case .digest(let digest): (.null, .text(digest))
            }
        return switch self.result {
        case .whole(let bytes): (edit, digest, .bytes(bytes), .null, .flag(false))
        case .row(let version, let isConflicted): (edit, digest, .null, .number(version), .flag(isConflicted))
        }
    }
}
