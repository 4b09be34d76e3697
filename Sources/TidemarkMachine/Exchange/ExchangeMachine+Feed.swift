// The feed: the cursors of a request, and how far a page moves the cursor.

extension ExchangeMachine {
    /// The cursors in a request (W8).
    @usableFromInline package struct Cursors: Hashable, Sendable {
        /// The cursor from which the feed is read; nil for its start.
        @usableFromInline package var cursor: Name?

        /// The newest cursor; nil if ``cursor`` is the newest, and after a rollback.
        @usableFromInline package var seen: Name?

        package init(cursor: Name? = nil, seen: Name? = nil) {
            self.cursor = cursor
            self.seen = seen
        }
    }

    /// What the store knows about the feed.
    package struct KnownFeed: Hashable, Sendable {
        /// The cursor up to which it was read.
        package var cursor: Name?

        /// The newest cursor, if the cursor was not moved to it.
        package var seen: Name?

        /// Whether the next request reads it from its start.
        package var startsOver: Bool

        /// Whether the server was rolled back, so that it has lost both.
        package var isRolledBack: Bool

        /// Whether the server checks the newest cursor.
        package var judgesSeen: Bool

        /// Describes the feed.
        package init(
            cursor: Name? = nil, seen: Name? = nil, startsOver: Bool = false, isRolledBack: Bool = false,
            judgesSeen: Bool = true
        ) {
            self.cursor = cursor
            self.seen = seen
            self.startsOver = startsOver
            self.isRolledBack = isRolledBack
            self.judgesSeen = judgesSeen
        }

        /// The cursors of the next request.
        ///
        /// A full resync can't distinguish rows that a rolled back server has lost from deleted rows. The server can, so the first
        /// request of a full resync names the newest cursor (I1, W8). After a rollback the server has lost that cursor.
        package var cursors: Cursors {
            guard self.startsOver else {
                return Cursors(cursor: self.cursor, seen: self.seen == self.cursor ? nil : self.seen)
            }
            guard self.judgesSeen, !self.isRolledBack else { return Cursors() }
            return Cursors(seen: self.seen ?? self.cursor)
        }
    }
}

// MARK: - Pages

extension ExchangeMachine {
    /// The facts of a page, and how much of it was applied.
    package struct Page: Hashable, Sendable {
        /// The cursor of the answer.
        package var cursor: Name

        /// Whether the feed has more rows after it.
        package var hasMore: Bool

        /// Whether the server began a full resync with it by itself.
        package var startsOver: Bool

        /// Whether a full resync is running.
        package var isResyncing: Bool

        /// Whether it has any rows.
        package var hasRows: Bool

        /// Whether it changed anything in the store.
        package var isNews: Bool

        /// The number of its rows that changed nothing, which counts only for a GET. Tombstones of records that are not in the
        /// store do not count, since a device can't know how many of those exist.
        package var knownRows: Int

        /// The number of records in the store; nil unless ``ExchangeMachine/needsRecordCount(knownRows:_:)``.
        package var records: Int?

        /// Whether every row in the results was applied. The feed need not return such a row again (W6), so the cursor must not
        /// pass a row that was not applied (I6).
        package var isWhole: Bool

        /// Describes a page.
        package init(
            cursor: Name, hasMore: Bool, startsOver: Bool = false, isResyncing: Bool, hasRows: Bool, isNews: Bool,
            knownRows: Int = 0, records: Int? = nil, isWhole: Bool
        ) {
            self.cursor = cursor
            self.hasMore = hasMore
            self.startsOver = startsOver
            self.isResyncing = isResyncing
            self.hasRows = hasRows
            self.isNews = isNews
            self.knownRows = knownRows
            self.records = records
            self.isWhole = isWhole
        }
    }

    /// Why a feed that announces more rows is not followed (I8).
    package enum FeedStall: Hashable, Sendable {
        /// The cursor of the page is the cursor of the request.
        case sameCursor

        /// The cursor of the page was already returned in this sync.
        case circle

        /// The server begins full resyncs, and ends none.
        case restarts

        /// This number of consecutive pages had no row.
        case emptyPages(Int)

        /// This number of rows was known, with `records` records in the store.
        case knownRows(Int, records: Int)
    }

    /// Returns whether the records in the store have to be counted before a page is applied, since the sync has read more known
    /// rows than the last count allows. The count takes time linear in the records, so it is taken only then.
    ///
    /// - Parameter knownRows: The number of known rows on the page.
    package func needsRecordCount(knownRows: Int, _ limits: ExchangeLimits) -> Bool {
        self.detailedPhase != .posting && self.progress.knownRows + knownRows > self.progress.records + limits.knownRows
    }

    /// Decides whether the cursor moves (I6). It stays as well if the page was not applied at all (`answered(nil)`).
    mutating func apply(_ page: Page, _ limits: ExchangeLimits) -> (event: ExchangeEvent, FeedStall?) {
        let isPosting = self.detailedPhase == .posting
        self.count(page, isPosting: isPosting)
        let stall = page.isWhole ? self.stall(at: page, limits) : nil
        if stall == nil {
            if self.oversized == 0, isPosting || self.memory.postFailure == nil { self.grow(limits) }
            if !isPosting { self.noteThatGetWorked(isProgress: page.isNews || !page.hasMore) }
        }
        guard page.isWhole else { return (.answerPartlyApplied, nil) }
        self.progress.pass(page.cursor)
        guard !page.hasMore else { return (.answerApplied, stall) }
        self.progress = FeedProgress()
        guard page.isResyncing else { return (.answerApplied, nil) }
        self.restarts = 0
        return (.resyncEnded, nil)
    }

    private func stall(at page: Page, _ limits: ExchangeLimits) -> FeedStall? {
        guard page.hasMore else { return nil }
        if page.cursor == self.request.cursors.cursor { return .sameCursor }
        if self.restarts > max(1, limits.fullResyncs) { return .restarts }
        if self.progress.hasPassed(page.cursor) { return .circle }
        if self.progress.emptyPages >= limits.emptyPages { return .emptyPages(self.progress.emptyPages) }
        guard self.needsRecordCount(knownRows: 0, limits) else { return nil }
        return .knownRows(self.progress.knownRows, records: self.progress.records)
    }

    /// Counts what bounds a feed without an end.
    private mutating func count(_ page: Page, isPosting: Bool) {
        if page.startsOver {
            self.restarts += 1
            // From the start of the feed, every cursor is returned again.
            self.progress = FeedProgress()
        }
        // Other limits bound the POSTs of a sync (Contract §3.4), so each begins a new count. Its page may be empty, since rows in the
        // results need not be returned again (W6). And a server with rows that appear late returns those before its cursor again with
        // each POST, so 100 edits that are posted one by one would read 100 times as many, and its cursors go back.
        guard !isPosting else {
            self.progress = FeedProgress()
            return
        }
        self.progress.emptyPages = page.hasMore && !page.hasRows ? self.progress.emptyPages + 1 : 0
        self.progress.knownRows += page.knownRows
        if let records = page.records { self.progress.records = records }
    }

    /// A GET is no evidence about the POST that failed before it (Contract §3.1), or poison would never be bisected. Nor does a
    /// page that changes nothing and announces more rows end a back-off.
    private mutating func noteThatGetWorked(isProgress: Bool) {
        self.memory.readsFirst = false
        guard self.memory.postFailure == nil, isProgress else { return }
        self.memory.attempts = 0
    }

    /// Doubles a batch or page size that was reduced.
    private mutating func grow(_ limits: ExchangeLimits) {
        func doubled(_ size: Int?, _ limit: Int) -> Int? { size.flatMap { $0 * 2 < limit ? $0 * 2 : nil } }
        if self.detailedPhase == .posting { self.memory.batchSize = doubled(self.memory.batchSize, limits.batchSize) }
        self.memory.pageSize = doubled(self.memory.pageSize, limits.pageSize)
    }
}
