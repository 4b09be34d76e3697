import TidemarkJSON
public import TidemarkMachine

extension SyncStatus {
    /// The status of a client, or of one of its collections, in a few words for a status line.
    ///
    /// ```swift
    /// for try await status in client.statuses {
    ///     label.text =
    ///         switch status.summary {
    ///         case .inSync: "Up to date"
    ///         case .checking: "Checking for changes"
    ///         case .pending: "\(status.unsentCount) not sent, \(status.conflictCount) to decide"
    ///         case .syncing(let done, let all): all.map { "\(done) of \($0)" } ?? "\(done)"
    ///         case .waiting(_, let why), .paused(let why): why.message
    ///         case .offline: "Offline"
    ///         }
    /// }
    /// ```
    public enum Summary: Hashable, Sendable {
        /// No change is left to send, to decide or to retry.
        case inSync

        /// No change is left here, but the server may have new rows: the first sync, of the store or since the
        /// client was opened, has not ended, or the run loop was notified of a change, and its sync has not begun.
        case checking

        /// A change is left: it will be sent, or waits for the user; the counts of ``SyncStatus`` show which.
        case pending

        /// A sync is running, and has sent or received records. A sync that has moved nothing yet keeps the former status, so
        /// that tries without a server, and polls that find nothing, do not show; ``SyncStatus/progress`` has them.
        ///
        /// - Parameters:
        ///   - done: The number of records that were sent and received.
        ///   - of: The expected number at its end, as far as it is known now; nil if the server does not report how many rows
        ///     are left.
        case syncing(done: Int, of: Int?)

        /// The last sync failed, or the budget of ``RunPlan`` is spent; the next try is at this time, since 1970-01-01T00:00:00Z.
        case waiting(until: Duration, why: Reason)

        /// No request is made until the app or the user acts; the run loop tries rejected credentials again from time to time.
        case paused(why: Reason)

        /// There is no network, as the app reports it, or the server could not be reached for change notifications and has not
        /// answered since. Known only while the run loop runs; see ``SyncClient/run(_:connectivity:)``.
        case offline
    }
}

extension SyncStatus {
    /// Why no request is made now: a code for the app, and a sentence in English.
    ///
    /// ```swift
    /// if case .paused(let why) = try await client.status.summary, why.code == .failure(.auth) {
    ///     print("Sign in again.")
    /// }
    /// ```
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// What prevents a request.
        public enum Code: Hashable, Sendable {
            /// The last exchange failed.
            case failure(FailureClass)

            /// The requests or bytes of ``RunPlan`` for an hour are used up.
            case budgetSpent

            /// The last sync ended before it had a result, for example because its task was cancelled.
            case interrupted

            /// The client knows no collection.
            case noCollections
        }

        /// What prevents a request.
        public let code: Code

        /// The reason in English; of a failure, the server's message.
        public let message: String

        /// Describes a reason.
        public init(_ code: Code, _ message: String) {
            self.code = code
            self.message = message
        }

        init(_ failure: RemoteFailure) {
            self.init(.failure(failure.failureClass), failure.message)
        }

        /// The message.
        public var description: String { self.message }

        static let budgetSpent = Reason(.budgetSpent, "The budget of requests and bytes for an hour is used up.")
        static let interrupted = Reason(.interrupted, "The last sync broke off.")
    }
}

extension SyncStatus.Summary {
    /// No collection is synced.
    fileprivate static let noCollections = SyncStatus.Summary.paused(
        why: SyncStatus.Reason(
            .noCollections,
            "No collection is known, so nothing is synced. Read a collection, or name all when the client is made."))

    /// The order of importance for the user. A running sync hides a wait, and a pause hides a wait.
    fileprivate var rank: Int {
        switch self {
        case .syncing: 0
        case .offline: 1
        case .paused: 2
        case .waiting: 3
        case .pending: 4
        case .checking: 5
        case .inSync: 6
        }
    }

    /// Combines the status of all collections: the total progress of all syncs, or the earliest retry, or else the most
    /// important one.
    fileprivate static func sum(_ summaries: [SyncStatus.Summary]) -> SyncStatus.Summary {
        guard let first = summaries.min(by: { $0.rank < $1.rank }) else { return .inSync }
        return summaries.filter { $0.rank == first.rank }.dropFirst().reduce(first) { sum, next in
            switch (sum, next) {
            case (.syncing(let done, let all), .syncing(let more, let rest)):
                .syncing(done: done + more, of: all.flatMap { all in rest.map { all + $0 } })
            case (.waiting(let until, _), .waiting(let other, _)) where other < until: next
            default: sum
            }
        }
    }
}

extension SyncStatus {
    /// The status of the client, over all collections.
    public var summary: SyncStatus.Summary {
        // A collection that was synced and never got an answer is not in the store.
        let names =
            self.collections.map(\.collection) + self.progress.collections.map(\.collection)
            + self.lastReports.map(\.collection)
        let summaries = Set(names.map { CodePointString($0) }).sorted().compactMap { self.summary(of: $0.value) }
        guard !summaries.isEmpty || self.run?.isConnected == false else { return .noCollections }
        return .sum(self.run?.isConnected == false ? summaries + [.offline] : summaries)
    }

    /// The status of one collection; nil for an unknown one.
    public func summary(of collection: String) -> SyncStatus.Summary? {
        let status = self.collections.first { $0.collection.hasSameCodePoints(as: collection) }
        let part = self.progress.collections.first { $0.collection.hasSameCodePoints(as: collection) }
        let report = self.lastReports.first { $0.collection.hasSameCodePoints(as: collection) }
        guard status != nil || part != nil || report != nil else { return nil }
        let isRunning = part.map { !$0.isOver } ?? false
        if let part, isRunning, part.sent + part.received > 0 { return .syncing(part, status) }
        let run = self.run?.collections.first { $0.collection.hasSameCodePoints(as: collection) }
        let isFirst = report == nil && (isRunning || run?.phase == .syncing || status?.lastInSync == nil)
        return self.summary(run, report, isInSync: status?.isInSync ?? true, isFirst: isFirst)
    }

    /// When all collections were last in sync with the server, since 1970-01-01T00:00:00Z; nil if one of them never was.
    public var lastInSync: Duration? {
        let times = self.collections.map(\.lastInSync)
        return times.contains(nil) ? nil : times.compactMap(\.self).min()
    }

    /// When a collection was last in sync with the server, since 1970-01-01T00:00:00Z; nil if it never was.
    public func lastInSync(of collection: String) -> Duration? {
        self.collections.first { $0.collection.hasSameCodePoints(as: collection) }?.lastInSync
    }

    private func summary(
        _ run: SyncStatus.Run.CollectionRun?, _ report: CollectionReport?, isInSync: Bool, isFirst: Bool
    ) -> SyncStatus.Summary {
        if self.run?.isConnected == false { return .offline }
        if let budget = self.run?.budgetRenewal, run?.waitsForBudget == true {
            return .waiting(until: budget, why: .budgetSpent)
        }
        if let failure = report?.failure, failure.failureClass != .cancelled {
            // If the sync reports no next try, because the store failed, the run loop has the time.
            if let next = report?.nextTry { return .waiting(until: next, why: SyncStatus.Reason(failure)) }
            return .paused(why: SyncStatus.Reason(failure))
        }
        if run?.phase == .waiting, let next = run?.next ?? self.run?.budgetRenewal {
            return .waiting(until: next, why: .interrupted)
        }
        if self.run?.isReachable == false { return .offline }
        guard isInSync else { return .pending }
        return isFirst || run?.phase == .due ? .checking : .inSync
    }
}

extension SyncStatus.Run.CollectionRun {
    /// Whether a sync would start if the budget allowed it. A server without change notifications may have new rows.
    fileprivate var waitsForBudget: Bool {
        switch self.phase {
        case .due, .polling: self.next == nil
        case .listening, .syncing, .waiting, .paused: false
        }
    }
}

extension SyncStatus.Summary {
    fileprivate static func syncing(_ part: SyncStatus.CollectionProgress, _ status: SyncStatus.Collection?)
        -> SyncStatus.Summary
    {
        let done = part.sent + part.received
        let changed = status?.counts.reduce(0) { $0 + ($1.key == .synced ? 0 : $1.value) } ?? 0
        let toSend = max(changed - (status?.conflicts.count ?? 0) - (status?.held.count ?? 0), 0)
        return .syncing(done: done, of: part.left.map { done + $0 + toSend })
    }
}
