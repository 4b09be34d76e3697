// The due event after a request for a sync and after an answer: the next request with its edits, a wait, or the end of the sync.

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

    /// The next event, for ``receive(_:posting:_:)``.
    package struct Due: Hashable, Sendable {
        fileprivate let event: ExchangeEvent
        fileprivate let failure: Failure?

        /// Whether it is a POST: then its edits have to be chosen first.
        package var isPost: Bool { self.event == .dueToPost }
    }

    /// Returns the due event when a sync is requested, or a wait ended.
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

    /// Returns the due event after an answer was applied.
    package func dueAfterAnswer(_ outlook: Outlook) -> Due {
        let isAtEnd = outlook.isAtEnd && !outlook.hasEdits
        if let throttling = outlook.throttling, !isAtEnd { return Due(event: .throttled, failure: throttling) }
        guard isAtEnd else { return self.nextRequest(outlook) }
        guard let waiting = outlook.waiting else { return Due(event: .done, failure: self.failure) }
        return Due(event: .postponed, failure: waiting)
    }

    /// A POST comes before a GET, since its answer includes the newer rows (Contract §3.1). The feed is read first in two cases:
    /// the last POST failed as a whole, and a GET may still work; or the credentials were renewed, and only an answer names their
    /// account, which has to be the one that made the edits.
    private func nextRequest(_ outlook: Outlook) -> Due {
        let isPost = outlook.hasEdits && !self.memory.readsFirst && !self.memory.isAccountUnconfirmed
        return Due(event: isPost ? .dueToPost : .dueToGet, failure: self.failure)
    }

    /// Handles a due event.
    ///
    /// - Parameter chosen: The edits of a POST. If none of them can be sent, the feed is read.
    package mutating func receive(_ due: Due, posting chosen: [Posted] = [], _ limits: ExchangeLimits) -> Step {
        let event = due.isPost && chosen.isEmpty ? .dueToGet : due.event
        if event == .postponed { self.memory.attempts = self.postponed.triesBefore }
        return self.move(on: event, Facts(failure: due.failure, chosen: chosen), limits)
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
    /// If several records failed alone and no POST succeeded, each try sends the next one of them. That shows when the server
    /// accepts edits again, and no record blocks the others. After a full round, one edit that was never sent is tried (Contract
    /// §3.6).
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

    /// A change waits for another record, which is not sent yet (R26, R27).
    case waiting

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
        ///   - hasWaiting: Whether a change waits for another record.
        package func end(hasConflicts: Bool, hasHeld: Bool, hasWaiting: Bool = false) -> SyncEnd {
            guard let failureClass = self.failure?.failureClass else {
                return hasConflicts ? .conflicts : hasHeld ? .held : hasWaiting ? .waiting : .inSync
            }
            // Only another URL helps, whatever the policy decides.
            if failureClass == .notFound { return .notFound }
            return self.target == .paused && failureClass.isOfAccess ? .unauthorized : .unreachable
        }
    }
}
