// What an answer leads to.

extension ExchangeMachine {
    /// The answer shows whose account this is, and it is the right one.
    package mutating func recogniseAccount() {
        if let last = self.memory.renewedAfter, self.number > last { self.memory.renewedAfter = nil }
    }

    /// The record of an edit that is out; nil for one that is not, or was settled before.
    @inlinable package func name(of requestID: String) -> Name? {
        self.unsettled.first { $0.requestID == requestID }?.name
    }

    /// A result came for an edit.
    @inlinable package mutating func settle(_ requestID: String) {
        // Results come in the order of the edits as a rule.
        if self.unsettled.first?.requestID == requestID {
            self.unsettled.removeFirst()
        } else {
            self.unsettled.removeAll { $0.requestID == requestID }
        }
    }

    /// The results of an answer were taken in: the server works.
    ///
    /// - Returns: What to do where that counts against a record (SPEC §3.6); nil where it does not.
    package mutating func noteThatItWorks() -> Step? {
        self.memory.loners.suspect == nil ? nil : self.take(.workedBesides)
    }

    /// An exchange failed after some of its edits had a result.
    ///
    /// - Parameter count: How many were settled by a result.
    /// - Returns: What to do about those, before the failure is looked at, which is about the rest.
    package mutating func breakOff(afterSettling count: Int) -> [Step] {
        guard count > 0 else { return [] }
        let besides = self.noteThatItWorks()
        return (besides.map { [$0] } ?? []) + [self.take(.answeredInPart)]
    }

    /// What it means that a page begins a listing of everything.
    package enum Beginning: Hashable, Sendable {
        /// A listing begins.
        case begun(Step)

        /// The listing that is under way was to begin with this page.
        case expected

        /// Listings are begun again and again, and none comes to its end (I8).
        case endless
    }

    /// A page begins a listing of everything.
    ///
    /// - Parameter isExpected: Whether a listing is under way of which no page has come.
    package mutating func beginListing(isExpected: Bool, _ limits: ExchangeLimits) -> Beginning {
        guard !isExpected else { return .expected }
        guard self.beginnings < max(1, limits.listings) else { return .endless }
        self.beginnings += 1
        return .begun(self.take(.listingBegan))
    }

    /// What a page was, and how much of it was taken in.
    package struct Page: Hashable, Sendable {
        /// Where the feed was read to, before; nil at its start.
        package var former: Name?

        /// Where it is read to with this page.
        package var watermark: Name

        /// Whether there are more rows after it.
        package var hasMore: Bool

        /// Whether a listing from the start goes on.
        package var isListing: Bool

        /// Whether it has rows, of any kind.
        package var hasRows: Bool

        /// Whether it changed anything here.
        package var isNews: Bool

        /// How many of its rows are known: they changed nothing here. A deletion of a record that is not here is none of them,
        /// since no device can know how many of those there are.
        package var knownRows: Int

        /// How many records are here; nil unless ``ExchangeMachine/needsRecordCount(knownRows:_:)``.
        package var records: Int?

        /// Whether all that came as a result was taken in. A row that came so need not come in the feed (W6), so the watermark
        /// must not pass one that was not (I6).
        package var isWhole: Bool

        /// Describes a page.
        package init(
            former: Name?, watermark: Name, hasMore: Bool, isListing: Bool, hasRows: Bool, isNews: Bool,
            knownRows: Int = 0, records: Int? = nil, isWhole: Bool
        ) {
            self.former = former
            self.watermark = watermark
            self.hasMore = hasMore
            self.isListing = isListing
            self.hasRows = hasRows
            self.isNews = isNews
            self.knownRows = knownRows
            self.records = records
            self.isWhole = isWhole
        }
    }

    /// Why a feed that says there is more is not followed (I8).
    package enum Standstill: Hashable, Sendable {
        /// Its watermark is the one of the request.
        case sameWatermark

        /// Its watermark came before in this sync.
        case circle

        /// So many pages in a row had no row.
        case emptyPages(Int)

        /// So many rows were known, and so many records are here.
        case knownRows(Int, records: Int)
    }

    /// What a page leads to.
    package struct Hearing: Hashable, Sendable {
        /// What to do.
        package let step: Step

        /// Whether nothing more is to be read.
        package let isAtEnd: Bool

        /// Why the feed is not followed; nil where it is.
        package let standstill: Standstill?
    }

    /// Results and rows of an answer were taken in, and every edit has its result.
    ///
    /// The one place that says whether a watermark moves on, and where (I6).
    package mutating func hear(_ page: Page, _ limits: ExchangeLimits) -> Hearing {
        let isPosting = self.phase == .posting
        self.count(page, isPosting: isPosting)
        if page.isWhole, let standstill = self.standstill(at: page, limits) {
            self.walk.pass(page.watermark)
            return Hearing(step: self.take(.stoodStill), isAtEnd: false, standstill: standstill)
        }
        if isPosting || self.memory.postFailure == nil { self.grow(limits) }
        if !isPosting { self.noteThatGetWorked(isProgress: page.isNews || !page.hasMore) }
        guard page.isWhole else { return Hearing(step: self.take(.answeredInPart), isAtEnd: false, standstill: nil) }
        self.walk.pass(page.watermark)
        if !page.hasMore { self.walk.knownRows = 0 }
        guard page.isListing, !page.hasMore else {
            return Hearing(step: self.take(.heard), isAtEnd: !page.hasMore, standstill: nil)
        }
        self.beginnings = 0
        return Hearing(step: self.take(.listed), isAtEnd: true, standstill: nil)
    }

    private func standstill(at page: Page, _ limits: ExchangeLimits) -> Standstill? {
        guard page.hasMore else { return nil }
        if page.watermark == page.former { return .sameWatermark }
        if self.walk.hasPassed(page.watermark) { return .circle }
        if self.walk.emptyPages >= limits.emptyPages { return .emptyPages(self.walk.emptyPages) }
        guard self.needsRecordCount(knownRows: 0, limits) else { return nil }
        return .knownRows(self.walk.knownRows, records: self.walk.records)
    }

    /// Whether the records here have to be counted before a page is heard: with it, this sync is shown more known rows than the
    /// last count allows. Records are counted only then, since that takes the longer the more there are.
    ///
    /// - Parameter knownRows: How many of the page's rows are known.
    package func needsRecordCount(knownRows: Int, _ limits: ExchangeLimits) -> Bool {
        self.walk.knownRows + knownRows > self.walk.records + limits.knownRows
    }

    /// Counts what would end a feed without an end.
    private mutating func count(_ page: Page, isPosting: Bool) {
        // A POST brings results, and a row that is in them need not come again (W6).
        self.walk.emptyPages = page.hasMore && !page.hasRows && !isPosting ? self.walk.emptyPages + 1 : 0
        self.walk.knownRows += page.knownRows
        if let records = page.records { self.walk.records = records }
    }

    /// A GET says nothing about the POST that failed before it (SPEC §3.1), or else poison would never be bisected. Nor
    /// does a page that brought nothing new and says that there is more end a back-off.
    private mutating func noteThatGetWorked(isProgress: Bool) {
        self.memory.readsFirst = false
        guard self.memory.postFailure == nil, isProgress else { return }
        self.memory.attempts = 0
        self.failure = nil
    }

    /// What was made smaller grows again.
    private mutating func grow(_ limits: ExchangeLimits) {
        func doubled(_ size: Int?, _ limit: Int) -> Int? { size.flatMap { $0 * 2 < limit ? $0 * 2 : nil } }
        if self.phase == .posting { self.memory.batchSize = doubled(self.memory.batchSize, limits.batchSize) }
        self.memory.pageSize = doubled(self.memory.pageSize, limits.pageSize)
    }

    /// What is next once an answer was applied.
    ///
    /// - Parameters:
    ///   - hasEdits: Whether there is something to send.
    ///   - isAtEnd: Whether the feed was read to its end.
    ///   - waiting: Why what is left waits for the next sync; nil where nothing does.
    ///   - rest: How to say that the server wants to be left alone; nil where it does not.
    package mutating func goOn(hasEdits: Bool, isAtEnd: Bool, waiting: Failure?, rest: Failure? = nil) -> Step {
        if let rest, hasEdits || !isAtEnd {
            self.failure = rest
            return self.take(.askedToRest)
        }
        // The queue belongs to the account that made it (SPEC §3.1).
        if hasEdits { return self.take(self.memory.isAccountInDoubt ? .answeredToGet : .answeredToPost) }
        guard isAtEnd else { return self.take(.answeredToGet) }
        guard let waiting else {
            // Nothing is left to do, so no POST is left that could fail again.
            self.failure = nil
            self.memory.forgetFailures()
            self.memory.loners.canWrite = false
            return self.take(.answeredDone)
        }
        self.failure = waiting
        self.wait = nil
        self.memory.attempts = max(0, (self.postponed.values.max() ?? 1) - 1)
        return self.take(.postponed)
    }
}

// MARK: - What waits for the next sync

extension ExchangeMachine {
    /// The server refused a change, and a policy wants it sent again.
    package mutating func postpone(_ name: Name, attempt: Int) {
        self.postponed[name] = attempt
    }

    /// A change came back although nothing clashed. It goes out again at once, but not without end: after so many tries
    /// it waits for the next sync, longer each time. It is never held for it (SPEC §3.3).
    package mutating func noteContention(_ name: Name, _ limits: ExchangeLimits) {
        let (count, limit) = (self.contended[name, default: 0] + 1, max(1, limits.rounds))
        self.contended[name] = count
        if count.isMultiple(of: limit) { self.postponed[name] = count / limit }
    }

    /// The server took a change.
    package mutating func noteTaken(_ name: Name) {
        self.contended[name] = nil
    }

    /// Whether all that waits for the next sync does so since others were faster.
    package var isContention: Bool { self.postponed.keys.allSatisfy { self.contended[$0] != nil } }
}
