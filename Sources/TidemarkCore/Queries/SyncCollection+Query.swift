import TidemarkJSON
public import TidemarkRules

/// Some records of a query, in its order.
public struct RecordPage<Value: Sendable>: Sendable {
    /// The records.
    public let records: [RecordValue<Value>]

    /// The records that can't be read as the type.
    public let unreadable: [UnreadableRecord]

    /// Where the next page begins; nil if there are no more records.
    public let next: RecordQuery.Cursor?

    /// The number of records that were read to find the page: if it is much larger than the number of ``records``, an index
    /// is missing; see ``SyncCollection/plan(_:)``.
    public let examined: Int

    /// Makes a page for a preview or a test.
    public init(
        records: [RecordValue<Value>], unreadable: [UnreadableRecord] = [], next: RecordQuery.Cursor? = nil,
        examined: Int = 0
    ) {
        self.records = records
        self.unreadable = unreadable
        self.next = next
        self.examined = examined
    }

    init(_ read: [ReadRecord<Value>], next: RecordQuery.Cursor?, examined: Int) {
        self.init(
            records: read.compactMap(\.value), unreadable: read.compactMap(\.unreadable), next: next,
            examined: examined)
    }
}

extension SyncCollection {
    /// Returns the first records of a query, or those after a cursor.
    ///
    /// ```swift
    /// let open = RecordQuery(where: JSONField<Bool>("/done") == false, order: [.ascending("/due")])
    /// var page = try await todos.page(open, limit: 50)
    /// while let next = page.next {
    ///     page = try await todos.page(open, limit: 50, after: next)
    /// }
    /// ```
    ///
    /// A record that moves in the order between two pages is in both or in none of them; no other record is skipped for it.
    /// With an index for the condition and the order (``CollectionRules/indexes``) a page reads little more than its own
    /// records. Without one all records are read, in steps, so that other calls of the client do not wait for it.
    ///
    /// - Parameters:
    ///   - query: The condition and the order.
    ///   - limit: The maximum number of records, the unreadable ones included, from 1 to ``RecordQuery/Limits/page``.
    ///   - cursor: ``RecordPage/next`` of the previous page; nil for the first page.
    /// - Throws: ``TidemarkError/Code/invalidQuery``, ``TidemarkError/Code/invalidCursor``, ``TidemarkError/Code/cancelled``,
    ///   and the errors of the store.
    public func page(
        _ query: RecordQuery, limit: Int = 100, after cursor: RecordQuery.Cursor? = nil
    ) async throws(TidemarkError) -> RecordPage<Value> {
        let page = try await self.client.page(query, after: cursor, limit: limit, in: self.name)
        return RecordPage(
            await page.scan.read(as: Value.self, dates: self.dates), next: page.next, examined: page.scan.examined)
    }

    /// Returns the number of records for which the condition of a query is true.
    ///
    /// If an index answers the whole condition, no record is read; see ``RecordQuery/Plan/countsWithoutReading``.
    ///
    /// - Throws: ``TidemarkError/Code/invalidQuery``, ``TidemarkError/Code/cancelled``, and the errors of the store.
    public func count(_ query: RecordQuery) async throws(TidemarkError) -> Int {
        try await self.client.count(query, in: self.name)
    }

    /// Returns how a query finds its records at present: an index that is not complete yet is not used.
    ///
    /// ```swift
    /// print(try await todos.plan(open))   // index [/done, /due]; in order; counted without reading
    /// ```
    public func plan(_ query: RecordQuery) async throws(TidemarkError) -> RecordQuery.Plan {
        try await self.client.plan(query, in: self.name)
    }

    /// Completes the indexes of the collection and the tables of its projections, in steps, so that other calls of the client do not wait for it.
    ///
    /// Each sync does that at its end, if no full resync is unfinished then. An app that declares a new index for existing records
    /// can do it before: until an index is complete, no query uses it, and until a projection is complete, its tables can't be
    /// read. During a full resync the records that are there are added; those that come later then cost more than if they were all
    /// added at its end.
    ///
    /// - Throws: ``TidemarkError/Code/cancelled``, and the errors of the store.
    public func buildIndexes() async throws(TidemarkError) {
        try await self.client.buildIndexes(of: self.name)
    }
}

// MARK: - On the client's actor

extension SyncClient {
    func plan(_ query: RecordQuery, in collection: String) throws(TidemarkError) -> RecordQuery.Plan {
        let engine = try self.engine(using: collection)
        let (query, plan) = try engine.plan(query, in: collection)
        return RecordQuery.Plan(query, plan, engine.configuration.limits.queries)
    }

    /// Reads a page.
    func page(
        _ query: RecordQuery, after cursor: RecordQuery.Cursor?, limit: Int, in collection: String
    ) async throws(TidemarkError) -> QueryPage {
        let most = try self.engine.configuration.limits.queries.page
        guard 1...most ~= limit else {
            throw TidemarkError(
                .invalidQuery,
                "A page of \(limit) records is not possible: from 1 to \(most) (RecordQuery.Limits.page).")
        }
        let first = try self.engine(using: collection).plan(query, in: collection)
        let cursors = first.query.cursors
        let start = try cursor.map(cursors.position)
        let scan = try await self.scan(query, first, after: start, limit: limit, in: collection)
        return QueryPage(scan: scan, cursors: cursors)
    }

    /// Checks the query of a live list.
    ///
    /// - Parameter limit: The maximum number of records; nil for all.
    func check(_ query: RecordQuery, limit: Int?, in collection: String) throws(TidemarkError) -> CheckedQuery {
        let most = try self.engine.configuration.limits.queries.window
        if let limit, !(1...most ~= limit) {
            throw TidemarkError(
                .invalidQuery,
                "A list of \(limit) records is not possible: from 1 to \(most) (RecordQuery.Limits.window).")
        }
        return try self.engine(using: collection).plan(query, in: collection).query
    }

    func count(_ query: RecordQuery, in collection: String) async throws(TidemarkError) -> Int {
        let engine = try self.engine(using: collection)
        let (checked, plan) = try engine.plan(query, in: collection)
        if let count = try engine.count(checked, plan, in: collection) { return count }
        return try await self.scan(query, (checked, plan), after: nil, limit: nil, in: collection).count
    }

    /// Reads a page of any size that begins after a place, or counts the records after it.
    ///
    /// - Parameter first: The plan of this moment, if it is known.
    func scan(
        _ query: RecordQuery, _ first: (query: CheckedQuery, plan: QueryPlan)? = nil, after start: QueryPosition?,
        limit: Int?, in collection: String
    ) async throws(TidemarkError) -> QueryScan {
        var scan: QueryScan?
        while true {
            let engine = try self.engine(using: collection)
            let (checked, plan): (CheckedQuery, QueryPlan)
            if let first, scan == nil {
                (checked, plan) = first
            } else {
                (checked, plan) = try engine.plan(query, in: collection)
            }
            // An index may have been dropped or completed since the last step.
            var next =
                scan.flatMap { $0.plan.source == plan.source ? $0 : nil }
                ?? QueryScan(checked, plan, after: start, limit: limit)
            scan = nil
            try engine.step(&next, in: collection)
            if next.isOver { return next }
            scan = next
            guard !Task.isCancelled else { throw .cancelled("The query in \(collection)") }
            await Task.yield()
        }
    }

    func buildIndexes(of collection: String) async throws(TidemarkError) {
        while try self.engine(using: collection).buildIndexes(of: collection) {
            guard !Task.isCancelled else { throw .cancelled("The building of indexes of \(collection)") }
            await Task.yield()
        }
    }
}

/// A page that was read.
struct QueryPage: Sendable {
    let scan: QueryScan
    let cursors: QueryCursors

    /// Where the next page begins; nil if there are no more records.
    var next: RecordQuery.Cursor? { self.scan.next.map(self.cursors.cursor) }
}

extension QueryScan {
    /// Reads the records of the page. It runs off the caller's actor, so that a view does not wait for it.
    @concurrent
    fileprivate func read<Value: Decodable & Sendable>(
        as type: Value.Type, dates: JSONDates
    ) async -> [ReadRecord<Value>] {
        self.page.compactMap { ReadRecord($0, dates: dates) }
    }
}
