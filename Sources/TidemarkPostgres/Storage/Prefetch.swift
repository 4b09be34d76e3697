import TidemarkServer

/// A collection of an account by its bytes: canonically equivalent names differ.
struct FeedName: Hashable, Comparable {
    let account: [UInt8]
    let collection: [UInt8]

    init(account: String, collection: String) {
        self.account = Array(account.utf8)
        self.collection = Array(collection.utf8)
    }

    var accountText: String { String(decoding: self.account, as: UTF8.self) }

    /// The parameters of a statement that finds a feed by its name.
    var values: [PostgresValue] { [.bytes(self.account), .bytes(self.collection)] }

    static func < (first: FeedName, second: FeedName) -> Bool {
        first.account == second.account
            ? first.collection.lexicographicallyPrecedes(second.collection)
            : first.account.lexicographicallyPrecedes(second.account)
    }
}

/// The limits of prefetched data, in bytes.
struct PrefetchSizes {
    /// The largest row that is read by its name.
    var row: Int64
    /// The largest page.
    var page: Int64
}

/// The statements that read in advance what requests need of one feed, which they find by its name.
struct Prefetch {
    private let name: FeedName
    private let sizes: PrefetchSizes
    private var requestIDs: Set<[UInt8]> = []
    private var pks: Set<[UInt8]> = []
    /// The number of rows of each page, by its position.
    private var pages: [Int64: Int] = [:]

    init(of name: FeedName, _ sizes: PrefetchSizes) {
        self.name = name
        self.sizes = sizes
    }

    /// Adds what a request needs.
    mutating func add(_ edits: [(requestID: String, pk: String)], _ page: ExpectedPage?) {
        for edit in edits {
            self.requestIDs.insert(Array(edit.requestID.utf8))
            self.pks.insert(Array(edit.pk.utf8))
        }
        if let page { self.pages[page.position] = max(page.rows, self.pages[page.position] ?? 0) }
    }

    /// Adds a record.
    mutating func add(_ pk: String) { self.pks.insert(Array(pk.utf8)) }

    /// The incarnations are needed to check the cursor of a page, and to make the next one.
    private var needsRuns: Bool { !self.pages.isEmpty }

    /// The statements; ``feed(_:from:)`` reads their results.
    var calls: [PostgresCall] {
        var calls: [PostgresCall] = []
        if self.needsRuns {
            calls.append(PostgresCall(Self.runs, self.name.values + [.number(Int64(PrefetchedFeed.runs))]))
        }
        if !self.requestIDs.isEmpty {
            calls.append(PostgresCall(Self.answers, self.name.values + [.names(self.requestIDs)]))
        }
        if !self.pks.isEmpty {
            calls.append(PostgresCall(Self.rows, self.name.values + [.names(self.pks), .number(self.sizes.row)]))
        }
        for (position, rows) in self.pages.sorted(by: { $0.key < $1.key }) {
            calls.append(
                PostgresCall(
                    Self.page,
                    self.name.values + [.number(position), .number(Int64(rows)), .number(self.sizes.page)]))
        }
        return calls
    }

    /// Reads the results of ``calls``.
    func feed(_ feed: ServerFeed, from results: [PostgresResult]) throws(ServerStorageError) -> PrefetchedFeed {
        var rest = results[...]
        var prefetched = PrefetchedFeed(feed)
        if self.needsRuns, let found = rest.popFirst() { try prefetched.addRuns(found) }
        if !self.requestIDs.isEmpty, let found = rest.popFirst() {
            try prefetched.addAnswers(found, to: self.requestIDs)
        }
        if !self.pks.isEmpty, let found = rest.popFirst() { try prefetched.addRows(found, named: self.pks) }
        for (position, rows) in self.pages.sorted(by: { $0.key < $1.key }) {
            if let found = rest.popFirst() { try prefetched.addPage(found, after: position, of: rows) }
        }
        return prefetched
    }

    private static let feed =
        "account = $1 AND feed = (SELECT id \(PostgresServerReader.ofCollection))"
    private static let runs = PostgresStatement(
        "prefetch runs", "SELECT after, name FROM tidemark_run WHERE \(feed) ORDER BY after DESC LIMIT $3")
    // Each name is looked up alone (OFFSET, LIMIT), by its whole key. The planner does not know the number of the feed, so for a
    // list of names it might prefer to read a large feed as a whole.
    private static let answers = PostgresStatement(
        "prefetch answers",
        """
        SELECT found.* FROM unnest($3::bytea[]) AS wanted (name) CROSS JOIN LATERAL (
            SELECT \(RememberedAnswer.columns) FROM tidemark_answer WHERE \(feed) AND request_id = wanted.name OFFSET 0
        ) AS found
        """)
    private static let rows = PostgresStatement(
        "prefetch rows",
        """
        SELECT pk, updated_at, data IS NULL, CASE WHEN octet_length(data) <= $4::bigint THEN data END
        FROM unnest($3::bytea[]) AS wanted (name) CROSS JOIN LATERAL (
            SELECT pk, updated_at, data FROM tidemark_record
            WHERE \(feed) AND \(PostgresServerReader.named("wanted.name", "pk"))
        ) AS found
        """)
    // The database counts the bytes; it does not have to read large values for that.
    private static let page = PostgresStatement(
        "prefetch page",
        """
        SELECT pk, updated_at, data IS NULL, CASE WHEN bytes <= $5::bigint THEN data END FROM (
            SELECT pk, updated_at, data, sum(octet_length(data)) OVER (
                ORDER BY updated_at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS bytes
            FROM tidemark_record WHERE \(feed) AND updated_at > $3 ORDER BY updated_at LIMIT $4
        ) AS page
        ORDER BY updated_at
        """)
}
