import TidemarkServer

/// A feed as far as no other query is needed: the rows, answers, incarnations and pages that were read in advance, with the
/// changes of the open transaction over them. Names are distinguished by their bytes.
struct PrefetchedFeed {
    /// How many incarnations are read, the newest ones.
    static let runs = 16

    /// The first rows after a position.
    private struct Page {
        var rows: [(pk: [UInt8], row: ServerRow)] = []
        /// Whether there are no others.
        var isWhole: Bool
    }

    /// The feed when this was read.
    let feed: ServerFeed
    /// Inner nil: there is none.
    private var answers: [[UInt8]: RememberedAnswer?] = [:]
    private var rows: [[UInt8]: ServerRow?] = [:]
    private var pages: [Int64: Page] = [:]
    /// The incarnations, newest first; nil if they were not read.
    private var runs: [(after: Int64, name: String)]?
    private var hasAllRuns = false
    /// The rows that the transaction has written, in the order of their versions; nil if they were too large to be kept.
    private var written: [(pk: [UInt8], row: ServerRow)]? = []
    private var newest: [[UInt8]: Int64] = [:]

    init(_ feed: ServerFeed) {
        self.feed = feed
    }

    // MARK: Results of the database

    mutating func addRuns(_ found: PostgresResult) throws(ServerStorageError) {
        var runs: [(after: Int64, name: String)] = []
        for row in 0..<found.count { runs.append((try found.number(row, 0), try found.text(row, 1))) }
        self.runs = runs
        self.hasAllRuns = found.count < Self.runs
    }

    mutating func addAnswers(_ found: PostgresResult, to requestIDs: Set<[UInt8]>) throws(ServerStorageError) {
        for requestID in requestIDs { self.answers[requestID] = .some(nil) }
        for row in 0..<found.count { self.answers[found.bytes(row, 0)] = .some(try RememberedAnswer(found, row)) }
    }

    /// A row that is too large is read when it is needed.
    mutating func addRows(_ found: PostgresResult, named pks: Set<[UInt8]>) throws(ServerStorageError) {
        for pk in pks { self.rows[pk] = .some(nil) }
        for row in 0..<found.count {
            let pk = found.bytes(row, 0)
            if let row = try ServerRow(found, row) { self.rows[pk] = .some(row) } else { self.rows[pk] = nil }
        }
    }

    mutating func addPage(_ found: PostgresResult, after position: Int64, of rows: Int) throws(ServerStorageError) {
        var page = Page(isWhole: found.count < rows)
        for row in 0..<found.count {
            guard let known = try ServerRow(found, row) else {
                page.isWhole = false
                break
            }
            page.rows.append((found.bytes(row, 0), known))
        }
        self.pages[position] = page
    }

    // MARK: Writes of the transaction

    /// Applies the write of a row; its version is higher than all before.
    mutating func apply(_ row: ServerRow) {
        let pk = Array(row.pk.utf8)
        self.newest[pk] = row.updatedAt
        self.rows[pk] = self.written == nil ? nil : .some(row)
        self.written?.append((pk, row))
    }

    mutating func apply(_ answer: RememberedAnswer) {
        self.answers[Array(answer.requestID.utf8)] = self.written == nil ? nil : .some(answer)
    }

    /// Applies that an incarnation assigns the versions from here on.
    mutating func apply(run: String, after version: Int64) { self.runs?.insert((version, run), at: 0) }

    /// Forgets the written rows, and all pages: they are read from the database when they are needed.
    mutating func forgetWritten() {
        for (pk, _) in self.written ?? [] { self.rows[pk] = nil }
        self.pages = [:]
        self.written = nil
        self.answers = self.answers.filter { $0.value == nil }
    }

    // MARK: Answers without a query

    /// The answer to a request id: nil if it was not read, and an inner nil if there is no answer.
    func answer(to requestID: String) -> RememberedAnswer?? { self.answers[Array(requestID.utf8)] }

    /// The row of a record: nil if it was not read, and an inner nil if there is no row.
    func row(_ pk: String) -> ServerRow?? { self.rows[Array(pk.utf8)] }

    /// The incarnation that assigned a version: nil if it was not read, and an inner nil if none was recorded.
    func run(of version: Int64) -> String?? {
        if let run = self.runs?.first(where: { $0.after < version }) { return .some(run.name) }
        return self.hasAllRuns ? .some(nil) : nil
    }

    /// Visits the rows after a version, as far as they are known: those of the page that the transaction did not replace, and
    /// then those that it has written, which have higher versions.
    ///
    /// - Returns: The version after which the database has to be asked for more; nil if there are none, or `visit` wants none.
    func visit(after version: Int64, _ visit: (Span<UInt8>, Int64, Span<UInt8>?) -> Bool) -> Int64? {
        guard let written = self.written else { return version }
        let page = version >= self.feed.last ? Page(isWhole: true) : self.pages[version]
        guard let page else { return version }
        for (pk, row) in page.rows where self.newest[pk] == nil {
            guard row.lend(pk, to: visit) else { return nil }
        }
        guard page.isWhole else { return page.rows.last?.row.updatedAt ?? version }
        for (pk, row) in written where row.updatedAt > version && self.newest[pk] == row.updatedAt {
            guard row.lend(pk, to: visit) else { return nil }
        }
        return nil
    }
}

extension ServerRow {
    /// Reads a row of the columns `pk, updated_at, data IS NULL, data`; nil if its data was left out.
    fileprivate init?(_ found: PostgresResult, _ row: Int) throws(ServerStorageError) {
        let (data, isTombstone) = (found.bytesOrNull(row, 3), try found.flag(row, 2))
        guard data != nil || isTombstone else { return nil }
        self.init(pk: try found.text(row, 0), updatedAt: try found.number(row, 1), data: data)
    }

    fileprivate func lend(_ pk: [UInt8], to visit: (Span<UInt8>, Int64, Span<UInt8>?) -> Bool) -> Bool {
        unsafe pk.withUnsafeBufferPointer { pk in
            guard let data = self.data else { return unsafe visit(pk.span, self.updatedAt, nil) }
            return unsafe data.withUnsafeBufferPointer { data in unsafe visit(pk.span, self.updatedAt, data.span) }
        }
    }
}
