import TidemarkServer

/// Reads the server's rows over a separate connection, or over the storage's connection.
final class PostgresServerReader: ServerReader {
    let session: PostgresSession
    /// What a transaction that has ended read of a feed; nil in a transaction that is open.
    private var prefetched: (name: FeedName, feed: PrefetchedFeed?)?

    init(_ session: PostgresSession) {
        self.session = session
    }

    func epoch() -> String {
        self.session.epoch
    }

    /// False: a network connection is needed.
    var isNear: Bool { false }

    func snapshot<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome {
        try self.session.transaction(.reading, work)
    }

    private static let sizes = PrefetchSizes(row: 1 << 20, page: 1 << 20)

    /// Reads everything that is expected in a transaction of one round trip, and runs `work` over it. If more is needed, `work`
    /// runs again in a transaction that stays open: its first outcome, of another state, is dropped.
    func snapshot<Outcome>(
        expecting read: ExpectedRead, _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome {
        let name = FeedName(account: read.account, collection: read.collection)
        var prefetch = Prefetch(of: name, Self.sizes)
        prefetch.add([], read.page)
        if let pk = read.pk { prefetch.add(pk) }
        let found = try self.session.read([PostgresCall(Self.feed, name.values)] + prefetch.calls)
        var feed: PrefetchedFeed?
        if found[0].count > 0 {
            feed = try prefetch.feed(self.feed(found[0], 0, of: read.account), from: Array(found.dropFirst()))
        }
        self.prefetched = (name, feed)
        do throws(ServerStorageError) {
            defer { self.prefetched = nil }
            return try work()
        } catch {
            guard error.code == Self.needsMore.code else { throw error }
        }
        return try self.snapshot(work)
    }

    private static let needsMore = ServerStorageError(
        ServerStorageError.Code("needsMore"), "A request needs more than it announced.")

    /// Runs a statement in the open transaction.
    private func run(
        _ statement: PostgresStatement, _ values: [PostgresValue]
    ) throws(ServerStorageError) -> PostgresResult {
        guard self.prefetched == nil else { throw Self.needsMore }
        return try self.session.run(statement, values)
    }

    func feed(account: String, collection: String) throws(ServerStorageError) -> ServerFeed? {
        if let prefetched = self.prefetched, prefetched.name == FeedName(account: account, collection: collection) {
            return prefetched.feed?.feed
        }
        return try self.feed(Self.feed, account: account, collection: collection)
    }

    /// Reads the feed of an account's collection with a statement that may also lock it.
    func feed(
        _ statement: PostgresStatement, account: String, collection: String
    ) throws(ServerStorageError) -> ServerFeed? {
        let found = try self.run(statement, [.text(account), .text(collection)])
        return found.count > 0 ? try self.feed(found, 0, of: account) : nil
    }

    func feeds(
        account: String, limit: Int
    ) throws(ServerStorageError) -> [(collection: String, feed: ServerFeed)] {
        let found = try self.run(Self.feeds, [.text(account), .number(Int64(limit))])
        var feeds: [(collection: String, feed: ServerFeed)] = []
        for row in 0..<found.count {
            feeds.append((try found.text(row, 7), try self.feed(found, row, of: account)))
        }
        return feeds
    }

    func feed(
        _ found: PostgresResult, _ row: Int, of account: String
    ) throws(ServerStorageError) -> ServerFeed {
        ServerFeed(
            id: try found.number(row, 0), account: account, last: try found.number(row, 1),
            horizon: try found.number(row, 2), purges: try found.number(row, 3), run: try found.textOrNull(row, 4),
            rows: try found.number(row, 5), bytes: try found.number(row, 6))
    }

    func usage(of account: String) throws(ServerStorageError) -> AccountUsage {
        let found = try self.run(Self.usage, [.text(account)])
        return AccountUsage(
            collections: Int(try found.number(0, 0)), rows: Int(try found.number(0, 1)),
            bytes: Int(try found.number(0, 2)))
    }

    func run(of version: Int64, in feed: ServerFeed) throws(ServerStorageError) -> String? {
        if let known = self.prefetched?.feed?.run(of: version) { return known }
        let found = try self.run(Self.run, feed.key + [.number(version)])
        return found.count > 0 ? try found.text(0, 0) : nil
    }

    func row(_ pk: String, in feed: ServerFeed) throws(ServerStorageError) -> ServerRow? {
        if let known = self.prefetched?.feed?.row(pk) { return known }
        let found = try self.run(Self.row, feed.key + [.text(pk)])
        guard found.count > 0 else { return nil }
        return ServerRow(pk: pk, updatedAt: try found.number(0, 0), data: found.bytesOrNull(0, 1))
    }

    /// The number of rows in the first query, and in each later one.
    private static let firstRows: Int64 = 16
    private static let mostRows: Int64 = 512
    /// The most bytes of data in a portion, before its last row.
    static let portionBytes: Int64 = 4 << 20

    /// Reads the rows in several queries, so that the memory here is bounded. All queries use one snapshot, so the result is
    /// the same as with a database cursor, which not every compatible database has.
    func rows(
        in feed: ServerFeed, after version: Int64, visit: (Span<UInt8>, Int64, Span<UInt8>?) -> Bool
    ) throws(ServerStorageError) {
        var (last, limit) = (version, Self.firstRows)
        if let prefetched = self.prefetched?.feed {
            guard let unknown = prefetched.visit(after: version, visit) else { return }
            last = unknown
        }
        while true {
            let found = try self.portion(of: feed, after: last, limit: limit)
            var bytes: Int64 = 0
            for row in 0..<found.count {
                last = try found.number(row, 1)
                var goesOn = false
                found.lend(row, name: 0, data: 2) { pk, data in
                    bytes += Int64(data?.count ?? 0)
                    goesOn = visit(pk, last, data)
                }
                guard goesOn else { return }
            }
            guard found.count == limit || bytes >= Self.portionBytes else { return }
            limit = Self.mostRows
        }
    }

    /// Returns rows in the order of their versions: `limit` of them, or fewer if they reach the size limit. The database counts
    /// the bytes, since it sends the whole result of a query; it does not have to read large values for that.
    func portion(
        of feed: ServerFeed, after version: Int64, limit: Int64
    ) throws(ServerStorageError) -> PostgresResult {
        try self.run(
            Self.rows, feed.key + [.number(version), .number(limit), .number(Self.portionBytes)])
    }

    func countRows(in feed: ServerFeed, after version: Int64) throws(ServerStorageError) -> Int64 {
        let found = try self.run(Self.count, feed.key + [.number(version)])
        return try found.number(0, 0)
    }

    /// Selects the row of a name in a table that has other indexes of the same rows.
    ///
    /// For `column = name` the planner takes any of them if it assumes that an account has one feed, or a feed one row; by another
    /// one it reads all rows of the account or the feed. It assumes that without statistics, and with them as soon as there are many
    /// accounts, since it multiplies their shares. Only the index of the name has this order.
    static func named(_ name: String, _ column: String) -> String {
        "\(column) >= \(name) AND \(column) <= \(name) ORDER BY \(column) LIMIT 1"
    }

    /// Selects the feed of the account $1 and the collection $2.
    static let ofCollection = "FROM tidemark_feed WHERE account = $1 AND \(named("$2", "collection"))"

    /// The columns that ``feed(_:_:of:)`` reads.
    static let feedColumns = "id, last, horizon, purges, run, row_count, byte_count"
    // PostgreSQL's sum of 64-bit numbers is a `numeric`, which has another binary form.
    private static let usage = PostgresStatement(
        "usage",
        """
        SELECT count(*), coalesce(sum(row_count), 0)::bigint, coalesce(sum(byte_count), 0)::bigint FROM tidemark_feed
        WHERE account = $1
        """)
    private static let feed = PostgresStatement(
        "feed", "SELECT \(feedColumns) \(ofCollection)")
    private static let feeds = PostgresStatement(
        "feeds",
        """
        SELECT \(feedColumns), collection FROM tidemark_feed WHERE account = $1
        ORDER BY collection LIMIT $2
        """)
    private static let run = PostgresStatement(
        "run of version",
        """
        SELECT name FROM tidemark_run WHERE account = $1 AND feed = $2 AND after < $3 ORDER BY after DESC LIMIT 1
        """)
    private static let row = PostgresStatement(
        "row",
        """
        SELECT updated_at, data FROM tidemark_record WHERE account = $1 AND feed = $2 AND \(named("$3", "pk"))
        """)
    private static let rows = PostgresStatement(
        "rows",
        """
        SELECT pk, updated_at, data FROM (
            SELECT pk, updated_at, data, sum(octet_length(data)) OVER (
                ORDER BY updated_at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
            FROM tidemark_record WHERE account = $1 AND feed = $2 AND updated_at > $3 ORDER BY updated_at LIMIT $4
        ) AS portion
        WHERE bytes_before IS NULL OR bytes_before < $5::bigint ORDER BY updated_at
        """)
    private static let count = PostgresStatement(
        "count rows",
        "SELECT count(*) FROM tidemark_record WHERE account = $1 AND feed = $2 AND updated_at > $3")
}

extension ServerFeed {
    /// The first columns of every key of the feed's rows.
    var key: [PostgresValue] { [.text(self.account), .number(self.id)] }
}
