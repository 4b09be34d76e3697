// What an input that is no failure amounts to.

extension ExchangeMachine {
    /// What is due when someone asks, or after an answer.
    ///
    /// - Parameter isChosen: Whether edits were chosen for a POST.
    func due(by input: Input, isChosen: Bool) -> ExchangeEvent {
        switch input {
        case .requested(let outlook):
            switch self.standing {
            case .getting, .posting: return .joined
            case .paused(_, let mayTry): return mayTry ? .dueToTryAccess : .dueToGet
            case .idle, .waiting: break
            }
            guard outlook.rest == nil else { return .dueTooEarly }
            return self.isPostDue(outlook, isChosen) ? .dueToPost : .dueToGet
        case .next(let outlook):
            if outlook.rest != nil, outlook.hasEdits || !outlook.isAtEnd { return .dueTooEarly }
            guard !outlook.hasEdits, outlook.isAtEnd else {
                return self.isPostDue(outlook, isChosen) ? .dueToPost : .dueToGet
            }
            return outlook.waiting == nil ? .done : .postponed
        case .answered, .failed, .renewed, .storeFailed: preconditionFailure("Nothing is due after \(input).")
        }
    }

    /// Something to send goes first, since its answer brings the newer rows as well (SPEC §3.1). The feed is read before, where the
    /// last POST failed as a whole: who can't write can still read. Or where credentials were renewed: the queue belongs to the
    /// account that made it, and only an answer shows whose account this is.
    private func isPostDue(_ outlook: Outlook, _ isChosen: Bool) -> Bool {
        outlook.hasEdits && isChosen && !self.memory.readsFirst && !self.memory.isAccountInDoubt
    }
}

// MARK: - What a POST carries

extension ExchangeMachine {
    /// Which edits the next POST carries, if they fit.
    package enum Batch: Hashable, Sendable {
        /// These of the edits whose fate is unknown.
        case unconfirmed(Range<Int>)

        /// So many of those that were never sent.
        case idle(limit: Int)

        /// One that was never sent; where there is none, the first of those whose fate is unknown.
        case idleOrFirst
    }

    /// Chooses what the next POST carries: what is unconfirmed goes first and alone (R17).
    ///
    /// Where several failed alone and nothing went through, each try sends one, and each time the next one: that finds out whether
    /// the server takes anything again, and no record stands before the others for ever. Only then does what is idle have its turn
    /// while something is unconfirmed (SPEC §3.6: one bad record never blocks the others).
    ///
    /// - Parameters:
    ///   - names: The records whose edits are unconfirmed and may go out in this sync, in their order.
    ///   - isWaiting: Whether another one waits for the next sync. Then the others go out one by one: several are sent together
    ///     only where the fate of all before them is known (R17).
    package func batch(unconfirmed names: [Name], isWaiting: Bool, _ limits: ExchangeLimits) -> Batch {
        let size = self.batchSize(limits)
        guard !names.isEmpty else { return .idle(limit: isWaiting ? 1 : size) }
        guard let last = self.memory.loners.last, self.memory.loners.areSeveral else {
            return .unconfirmed(0..<min(size, names.count))
        }
        let next = names.firstIndex(of: last).map { $0 + 1 } ?? 0
        return next < names.count ? .unconfirmed(next..<next + 1) : .idleOrFirst
    }
}

extension ExchangeMachine.Step {
    /// How long ``ExchangeAction/backOff`` waits. A server may ask for more patience than ours, and not for less: nobody hammers
    /// because it was told to (I8).
    ///
    /// - Parameters:
    ///   - own: The back-off.
    ///   - asked: What the server asked for; nil where it asked for nothing.
    ///   - longest: As much of that as is granted.
    package func patience(own: Duration, asked: Duration?, longest: Duration) -> Duration {
        max(self.wait ?? max(own, min(asked ?? .zero, longest)), .zero)
    }
}

// MARK: - Pages

extension ExchangeMachine {
    /// What a page was, and how much of it was taken in.
    package struct Page: Hashable, Sendable {
        /// The cursor of the request; nil at the start of the feed.
        package var former: Name?

        /// Where it is read to with this page.
        package var watermark: Name

        /// Whether there are more rows after it.
        package var hasMore: Bool

        /// Whether the server begins a listing of everything with it by itself.
        package var startsOver: Bool

        /// Whether a full resync is running.
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
            former: Name?, watermark: Name, hasMore: Bool, startsOver: Bool = false, isListing: Bool, hasRows: Bool,
            isNews: Bool, knownRows: Int = 0, records: Int? = nil, isWhole: Bool
        ) {
            self.former = former
            self.watermark = watermark
            self.hasMore = hasMore
            self.startsOver = startsOver
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

        /// It begins to list everything again and again, and comes to no end.
        case beginnings

        /// So many pages in a row had no row.
        case emptyPages(Int)

        /// So many rows were known, and so many records are here.
        case knownRows(Int, records: Int)
    }

    /// Whether the records here have to be counted before a page is applied: with it, this sync is shown more known rows than the
    /// last count allows. Records are counted only then, since that takes the longer the more there are.
    ///
    /// - Parameter knownRows: How many of the page's rows are known.
    package func needsRecordCount(knownRows: Int, _ limits: ExchangeLimits) -> Bool {
        self.walk.knownRows + knownRows > self.walk.records + limits.knownRows
    }

    /// The one place that says whether a watermark moves on (I6).
    mutating func apply(_ page: Page, _ limits: ExchangeLimits) -> (event: ExchangeEvent, Standstill?) {
        let isPosting = self.standing == .posting
        self.count(page, isPosting: isPosting)
        let standstill = page.isWhole ? self.standstill(at: page, limits) : nil
        if standstill == nil {
            if isPosting || self.memory.postFailure == nil { self.grow(limits) }
            if !isPosting { self.noteThatGetWorked(isProgress: page.isNews || !page.hasMore) }
        }
        guard page.isWhole else { return (.appliedInPart, nil) }
        self.walk.pass(page.watermark)
        guard !page.hasMore else { return (.applied, standstill) }
        self.walk.knownRows = 0
        guard page.isListing else { return (.applied, nil) }
        self.beginnings = 0
        return (.resyncEnded, nil)
    }

    private func standstill(at page: Page, _ limits: ExchangeLimits) -> Standstill? {
        guard page.hasMore else { return nil }
        if page.watermark == page.former { return .sameWatermark }
        if self.beginnings > max(1, limits.listings) { return .beginnings }
        if self.walk.hasPassed(page.watermark) { return .circle }
        if self.walk.emptyPages >= limits.emptyPages { return .emptyPages(self.walk.emptyPages) }
        guard self.needsRecordCount(knownRows: 0, limits) else { return nil }
        return .knownRows(self.walk.knownRows, records: self.walk.records)
    }

    /// Counts what would end a feed without an end.
    private mutating func count(_ page: Page, isPosting: Bool) {
        if page.startsOver {
            self.beginnings += 1
            // From the start, every watermark comes again.
            self.walk = FeedWalk()
        }
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
    }

    /// What was made smaller grows again.
    private mutating func grow(_ limits: ExchangeLimits) {
        func doubled(_ size: Int?, _ limit: Int) -> Int? { size.flatMap { $0 * 2 < limit ? $0 * 2 : nil } }
        if self.standing == .posting { self.memory.batchSize = doubled(self.memory.batchSize, limits.batchSize) }
        self.memory.pageSize = doubled(self.memory.pageSize, limits.pageSize)
    }
}

/// What the server refused, or what other devices were faster with, and what is to be sent again.
///
/// A change that comes back since other fields of its record had changed goes out again at once, but not without end: after so many
/// tries it waits for the next sync, longer each time. It is never held for it (SPEC §3.3).
package struct Postponed<Name: Hashable & Sendable>: Hashable, Sendable {
    /// Which records wait for the next sync, with how often they did so far.
    package private(set) var tries: [Name: Int] = [:]

    /// How often a change came back since other fields of its record had changed meanwhile, until the server takes it.
    private(set) var contended: [Name: Int] = [:]

    /// The server refused a change, and a policy wants it sent again.
    package mutating func noteRefusal(of name: Name, attempt: Int) { self.tries[name] = attempt }

    /// A change came back although nothing clashed.
    package mutating func noteContention(for name: Name, _ limits: ExchangeLimits) {
        let (count, limit) = (self.contended[name, default: 0] + 1, max(1, limits.rounds))
        self.contended[name] = count
        if count.isMultiple(of: limit) { self.tries[name] = count / limit }
    }

    /// The server took a change.
    package mutating func noteTaken(_ name: Name) { self.contended[name] = nil }

    /// Whether all that waits does so since others were faster.
    package var isContention: Bool { self.tries.keys.allSatisfy { self.contended[$0] != nil } }

    /// How many tries were made before the last one, of what was tried most often.
    var triesBefore: Int { max(0, (self.tries.values.max() ?? 1) - 1) }

    /// What waited for the next sync waits no more.
    mutating func endSync() { self.tries = [:] }
}
