// What is due: how a request for a sync, and the end of an answer, are classified as an event.

extension ExchangeMachine {
    /// The work that is left.
    package struct Outlook: Hashable, Sendable {
        /// Whether edits can be chosen for a POST (``batch(unconfirmed:isWaiting:_:)``).
        package var hasEdits: Bool

        /// Whether the feed was read to its end.
        package var isAtEnd: Bool

        /// Why all edits that are left are sent with the next sync; nil if none is left.
        package var waiting: Failure?

        /// The throttling of the server, as a failure; nil if the client is not throttled.
        package var throttling: Failure?

        /// Describes the work that is left.
        package init(
            hasEdits: Bool, isAtEnd: Bool = false, waiting: Failure? = nil, throttling: Failure? = nil
        ) {
            self.hasEdits = hasEdits
            self.isAtEnd = isAtEnd
            self.waiting = waiting
            self.throttling = throttling
        }
    }

    /// What comes next, for ``receive(_:posting:_:)``.
    package struct Due: Hashable, Sendable {
        fileprivate let event: ExchangeEvent
        fileprivate let failure: Failure?

        /// Whether it is a POST: then its edits have to be chosen first.
        package var isPost: Bool { self.event == .dueToPost }
    }

    /// Returns what is due when a sync is requested, or a wait ended.
    package func dueOnRequest(_ outlook: Outlook) -> Due {
        switch self.detailedPhase {
        case .getting, .posting: return Due(event: .joined, failure: self.failure)
        case .paused(let failure):
            let mayHaveEnded = failure?.failureClass.mayHaveEnded == true
            return Due(event: mayHaveEnded ? .retryAuth : .requestedWhilePaused, failure: failure)
        case .idle, .waiting: break
        }
        if let throttling = outlook.throttling { return Due(event: .throttled, failure: throttling) }
        return self.nextRequest(outlook)
    }

    /// Returns what is due after an answer was applied.
    package func dueAfterAnswer(_ outlook: Outlook) -> Due {
        let isAtEnd = outlook.isAtEnd && !outlook.hasEdits
        if let throttling = outlook.throttling, !isAtEnd { return Due(event: .throttled, failure: throttling) }
        guard isAtEnd else { return self.nextRequest(outlook) }
        guard let waiting = outlook.waiting else { return Due(event: .done, failure: self.failure) }
        return Due(event: .postponed, failure: waiting)
    }

    /// A POST comes before a GET, since its answer includes the newer rows (SPEC §3.1). The feed is read first in two cases: the last POST
    /// failed as a whole, and a GET may still work; or the credentials were renewed, and only an answer names their account, which has to be
    /// the one that made the edits.
    private func nextRequest(_ outlook: Outlook) -> Due {
        let isPost = outlook.hasEdits && !self.memory.readsFirst && !self.memory.isAccountUnconfirmed
        return Due(event: isPost ? .dueToPost : .dueToGet, failure: self.failure)
    }

    /// Does what is due.
    ///
    /// - Parameter chosen: The edits of a POST. If none of them can be sent, the feed is read.
    package mutating func receive(_ due: Due, posting chosen: [Posted] = [], _ limits: ExchangeLimits) -> Step {
        let event = due.isPost && chosen.isEmpty ? .dueToGet : due.event
        if event == .postponed { self.memory.attempts = self.postponed.triesBefore }
        return self.take(event, Facts(failure: due.failure, chosen: chosen), limits)
    }
}

// MARK: - The batch

extension ExchangeMachine {
    /// Which edits the next POST contains, as far as they fit.
    package enum Batch: Hashable, Sendable {
        /// A range of the unconfirmed edits.
        case unconfirmed(Range<Int>)

        /// Edits that were never sent, `limit` at most.
        case idle(limit: Int)

        /// One edit that was never sent, or else the first unconfirmed edit.
        case idleOrFirst
    }

    /// Chooses the edits of the next POST. Unconfirmed edits are sent first and without others (R17).
    ///
    /// If several records failed alone and no POST succeeded, each try sends the next one of them. That shows when the server accepts edits
    /// again, and no record blocks the others. After a full round, one edit that was never sent is tried (SPEC §3.6).
    ///
    /// - Parameters:
    ///   - names: The records whose edits are unconfirmed and may be sent in this sync, in their order.
    ///   - isWaiting: Whether another unconfirmed edit is postponed. Then the other unconfirmed edits are sent one by one:
    ///     several are sent together only if the outcome of all earlier ones is known (R17).
    package func batch(unconfirmed names: [Name], isWaiting: Bool, _ limits: ExchangeLimits) -> Batch {
        let size = self.batchSize(limits)
        guard !names.isEmpty else { return .idle(limit: isWaiting ? 1 : size) }
        guard let last = self.memory.poison.last, self.memory.poison.hasSeveral else {
            return .unconfirmed(0..<min(size, names.count))
        }
        let next = names.firstIndex(of: last).map { $0 + 1 } ?? 0
        return next < names.count ? .unconfirmed(next..<next + 1) : .idleOrFirst
    }
}

extension ExchangeMachine {
    /// A back-off.
    package struct BackOff: Hashable, Sendable {
        /// The number of consecutive failed tries, with this one.
        package let attempt: Int

        /// The failure of the last try.
        package let failure: Failure?

        /// The wait that a policy chose; nil for `Retry-After` or the back-off.
        let chosen: Duration?

        /// Returns the wait. A server may ask for a longer wait than the back-off, and not for a shorter one (I8).
        ///
        /// - Parameters:
        ///   - own: The back-off.
        ///   - asked: The wait that the server asked for; nil for none.
        ///   - longest: The maximum for a wait that the server asked for.
        package func wait(own: Duration, asked: Duration?, longest: Duration) -> Duration {
            max(self.chosen ?? max(own, min(asked ?? .zero, longest)), .zero)
        }
    }
}

// MARK: - The end of a sync

/// How a sync of one collection ended; the first that applies, from bad to good.
package enum SyncEnd: CaseIterable, Hashable, Sendable {
    /// The server rejected the credentials, or another account answered.
    case unauthorized

    /// There is no server at this URL.
    case notFound

    /// The server could not be reached, or its answer was malformed, or the sync was cancelled: its progress is unknown.
    case unreachable

    /// A conflict waits for the user.
    case conflicts

    /// A record is held.
    case held

    /// Client and server are in sync.
    case inSync
}

extension ExchangeMachine {
    /// The end of a sync.
    package struct Ending: Hashable, Sendable {
        /// Why it ended; nil if nothing was left to do.
        package let failure: Failure?

        let target: ExchangePhase

        /// Whether the next try is scheduled.
        package var isWaiting: Bool { self.target == .waiting }

        /// Returns how the sync ended.
        ///
        /// - Parameters:
        ///   - hasConflicts: Whether a conflict waits for the user.
        ///   - hasHeld: Whether a record is held.
        package func end(hasConflicts: Bool, hasHeld: Bool) -> SyncEnd {
            guard let failureClass = self.failure?.failureClass else {
                return hasConflicts ? .conflicts : hasHeld ? .held : .inSync
            }
            // Only another URL helps, whatever the policy decides.
            if failureClass == .notFound { return .notFound }
            return self.target == .paused && failureClass.isOfAccess ? .unauthorized : .unreachable
        }
    }
}

// MARK: - The account and the history

extension ExchangeMachine {
    /// The account and the history (epoch) that an answer or failure names, or that a store has; nil for none.
    package struct Identity: Hashable, Sendable {
        /// The account.
        package var account: Name?

        /// The epoch.
        package var epoch: Name?

        /// Names an account and a history.
        package init(account: Name? = nil, epoch: Name? = nil) {
            self.account = account
            self.epoch = epoch
        }

        /// Returns whose it is, for a store: a store never mixes two accounts, nor a cursor two histories (W8).
        package func origin(in store: Identity) -> Origin {
            if let named = self.account, let own = store.account, named != own { return .otherAccount }
            if let named = self.epoch, let own = store.epoch, named != own { return .otherHistory }
            return .ours
        }
    }

    /// Whose an answer or failure is.
    package enum Origin: Hashable, Sendable {
        /// It is of the store's account and history. A store that has none belongs to those of the answer from then on.
        case ours

        /// It is of another account: nothing of it is applied.
        case otherAccount

        /// It is of another history of the account: the server was rolled back.
        case otherHistory
    }

    /// Returns whether an answer to the request is the first page of a full resync that is requested. It may be of another history, if
    /// nothing pauses; any other page of another history is the failure *history lost* (SPEC §6).
    package func isFirstPage(startsOver: Bool) -> Bool { startsOver && self.request.cursors.cursor == nil }

}

// MARK: - Cursors

extension ExchangeMachine {
    /// The cursors in a request (W8).
    @usableFromInline package struct Cursors: Hashable, Sendable {
        /// The cursor from which the feed is read; nil for its start.
        @usableFromInline package var cursor: Name?

        /// The newest cursor; nil if ``cursor`` is the newest, and after a rollback.
        @usableFromInline package var seen: Name?

        /// Names cursors.
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
        /// A full resync can't distinguish rows that a rolled back server has lost from deleted rows. The server can, so the first request of
        /// a full resync names the newest cursor (I1, W8). After a rollback the server has lost that cursor.
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

        /// The number of its rows that changed nothing. Tombstones of records that are not in the store do not count, since a device can't know
        /// how many of those exist.
        package var knownRows: Int

        /// The number of records in the store; nil unless ``ExchangeMachine/needsRecordCount(knownRows:_:)``.
        package var records: Int?

        /// Whether every row in the results was applied. The feed need not return such a row again (W6), so the cursor must not pass a row that
        /// was not applied (I6).
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
        case beginnings

        /// This number of consecutive pages had no row.
        case emptyPages(Int)

        /// This number of rows was known, with `records` records in the store.
        case knownRows(Int, records: Int)
    }

    /// Returns whether the records in the store have to be counted before a page is applied, since the sync has read more known rows than the
    /// last count allows. The count takes time linear in the records, so it is taken only then.
    ///
    /// - Parameter knownRows: The number of known rows on the page.
    package func needsRecordCount(knownRows: Int, _ limits: ExchangeLimits) -> Bool {
        self.progress.knownRows + knownRows > self.progress.records + limits.knownRows
    }

    /// Decides whether the cursor moves (I6). No other function does.
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
        self.progress.knownRows = 0
        guard page.isResyncing else { return (.answerApplied, nil) }
        self.beginnings = 0
        return (.resyncEnded, nil)
    }

    private func stall(at page: Page, _ limits: ExchangeLimits) -> FeedStall? {
        guard page.hasMore else { return nil }
        if page.cursor == self.request.cursors.cursor { return .sameCursor }
        if self.beginnings > max(1, limits.fullResyncs) { return .beginnings }
        if self.progress.hasPassed(page.cursor) { return .circle }
        if self.progress.emptyPages >= limits.emptyPages { return .emptyPages(self.progress.emptyPages) }
        guard self.needsRecordCount(knownRows: 0, limits) else { return nil }
        return .knownRows(self.progress.knownRows, records: self.progress.records)
    }

    /// Counts what bounds a feed without an end.
    private mutating func count(_ page: Page, isPosting: Bool) {
        if page.startsOver {
            self.beginnings += 1
            // From the start of the feed, every cursor is returned again.
            self.progress = FeedProgress()
        }
        // The page of a POST may be empty, since rows in the results need not be returned again (W6).
        self.progress.emptyPages = page.hasMore && !page.hasRows && !isPosting ? self.progress.emptyPages + 1 : 0
        self.progress.knownRows += page.knownRows
        if let records = page.records { self.progress.records = records }
    }

    /// A GET is no evidence about the POST that failed before it (SPEC §3.1), or poison would never be bisected. Nor does a page
    /// that changes nothing and announces more rows end a back-off.
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

/// The edits that the server refused, or that other devices were faster with, and that are sent again.
///
/// An edit that conflicted although no field clashed is sent again at once. After some tries in a row it waits for the next sync, longer each
/// time. It is never held for that (SPEC §3.3).
package struct Postponed<Name: Hashable & Sendable>: Hashable, Sendable {
    /// The records that wait for the next sync, with the number of tries so far.
    package private(set) var tries: [Name: Int] = [:]

    /// How often an edit conflicted although no field clashed, until the server accepts one.
    private(set) var contended: [Name: Int] = [:]

    /// Notes a refused edit that a policy wants to retry.
    package mutating func noteRefusal(of name: Name, attempt: Int) { self.tries[name] = attempt }

    /// Notes an edit that conflicted although no field clashed.
    package mutating func noteContention(for name: Name, _ limits: ExchangeLimits) {
        let (count, limit) = (self.contended[name, default: 0] + 1, max(1, limits.rounds))
        self.contended[name] = count
        if count.isMultiple(of: limit) { self.tries[name] = count / limit }
    }

    /// Notes an accepted edit.
    package mutating func noteAccepted(_ name: Name) { self.contended[name] = nil }

    /// Whether contention is the reason for all of them.
    package var isContention: Bool { self.tries.keys.allSatisfy { self.contended[$0] != nil } }

    /// The largest number of tries before the last one.
    var triesBefore: Int { max(0, (self.tries.values.max() ?? 1) - 1) }

    /// Clears the records that waited for the next sync.
    mutating func endSync() { self.tries = [:] }
}
