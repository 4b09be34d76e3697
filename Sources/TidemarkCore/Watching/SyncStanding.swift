import TidemarkJSON
import TidemarkMachine

/// How a client, or one of its collections, stands: what a status line says in a few words.
///
/// ```swift
/// for try await status in client.statuses {
///     label.text =
///         switch status.standing {
///         case .inStep: "Up to date"
///         case .pending: "\(status.unsentCount) not sent, \(status.conflictCount) to decide"
///         case .syncing(let done, let all): all.map { "\(done) of \($0)" } ?? "\(done)"
///         case .waiting(_, let why), .paused(let why): why
///         case .offline: "Offline"
///         }
/// }
/// ```
public enum SyncStanding: Hashable, Sendable {
    /// Nothing is left to send, to decide or to release.
    case inStep

    /// Something is: it will be sent, or waits for a person; the counts of ``ClientStatus`` say what. Or the server is to be asked
    /// for something new, and a sync has not begun.
    case pending

    /// A sync goes on.
    ///
    /// - Parameters:
    ///   - done: How many records were sent and received.
    ///   - all: How many there will have been at its end, as far as it is known now; nil where the server does not say how many
    ///     are left.
    case syncing(done: Int, of: Int?)

    /// The last sync failed, or the budget of ``RunPlan`` is spent; the next try is at this time, from 1970-01-01T00:00:00Z.
    case waiting(until: Duration, why: String)

    /// Nothing is tried before someone acts; bad credentials are probed by the run loop now and then.
    case paused(why: String)

    /// There is no network, as far as the app says. Only a client that runs knows; see ``SyncClient/run(_:connectivity:)``.
    case offline
}

extension SyncStanding {
    /// Nothing is synced.
    fileprivate static let noCollections = SyncStanding.paused(
        why: "No collection is known, so nothing is synced. Read one, or name all when the client is made.")

    /// What a person should know first. What goes on hides what waits, and a pause hides a wait.
    fileprivate var rank: Int {
        switch self {
        case .syncing: 0
        case .offline: 1
        case .paused: 2
        case .waiting: 3
        case .pending: 4
        case .inStep: 5
        }
    }

    /// One for all: how far all syncs are together, the earliest try, or else what a person should know first.
    fileprivate static func sum(_ standings: [SyncStanding]) -> SyncStanding {
        guard let first = standings.min(by: { $0.rank < $1.rank }) else { return .inStep }
        return standings.filter { $0.rank == first.rank }.dropFirst().reduce(first) { sum, next in
            switch (sum, next) {
            case (.syncing(let done, let all), .syncing(let more, let rest)):
                .syncing(done: done + more, of: all.flatMap { all in rest.map { all + $0 } })
            case (.waiting(let until, _), .waiting(let other, _)) where other < until: next
            default: sum
            }
        }
    }
}

extension ClientStatus {
    /// How the client stands, over all collections.
    public var standing: SyncStanding {
        // A collection that was asked for and never answered is not in the store.
        let names =
            self.collections.map(\.collection) + self.progress.collections.map(\.collection)
            + self.lastReports.map(\.collection)
        let standings = Set(names.map { CodePointString($0) }).sorted().compactMap { self.standing(of: $0.value) }
        guard !standings.isEmpty || self.run?.isConnected == false else { return .noCollections }
        return .sum(self.run?.isConnected == false ? standings + [.offline] : standings)
    }

    /// How one collection stands; nil for one that it does not know.
    public func standing(of collection: String) -> SyncStanding? {
        let status = self.collections.first { $0.collection.hasSameCodePoints(as: collection) }
        let part = self.progress.collections.first { $0.collection.hasSameCodePoints(as: collection) }
        let report = self.lastReports.first { $0.collection.hasSameCodePoints(as: collection) }
        guard status != nil || part != nil || report != nil else { return nil }
        if let part, !part.isOver { return .syncing(part, status) }
        let run = self.run?.collections.first { $0.collection.hasSameCodePoints(as: collection) }
        return self.standing(run, report, isInStep: status?.isInStep ?? true)
    }

    /// When all collections were in step with the server last, from 1970-01-01T00:00:00Z; nil where one never was.
    public var lastInStep: Duration? {
        let times = self.collections.map(\.lastInStep)
        return times.contains(nil) ? nil : times.compactMap(\.self).min()
    }

    /// When a collection was in step with the server last, from 1970-01-01T00:00:00Z; nil where it never was.
    public func lastInStep(of collection: String) -> Duration? {
        self.collections.first { $0.collection.hasSameCodePoints(as: collection) }?.lastInStep
    }

    private func standing(
        _ run: RunStatus.CollectionRun?, _ report: CollectionReport?, isInStep: Bool
    ) -> SyncStanding {
        if run?.phase == .syncing { return .syncing(done: 0, of: nil) }
        if self.run?.isConnected == false { return .offline }
        if let budget = self.run?.budgetRenewal, run?.waitsForBudget == true {
            return .waiting(until: budget, why: "What may be sent and received within an hour is used up.")
        }
        if let failure = report?.failure, failure.failureClass != .cancelled {
            // The loop waits where the sync does not say until when: for a store that failed.
            if let next = report?.nextTry { return .waiting(until: next, why: failure.message) }
            return .paused(why: failure.message)
        }
        if run?.phase == .waiting, let next = run?.next ?? self.run?.budgetRenewal {
            return .waiting(until: next, why: "The last sync broke off.")
        }
        return isInStep && run?.phase != .due ? .inStep : .pending
    }
}

extension RunStatus.CollectionRun {
    /// Whether a sync would start if the budget allowed it. A server that is not listened to may have something new.
    fileprivate var waitsForBudget: Bool {
        switch self.phase {
        case .due, .unwatched: self.next == nil
        case .resting, .syncing, .waiting, .paused: false
        }
    }
}

extension SyncStanding {
    fileprivate static func syncing(_ part: CollectionProgress, _ status: CollectionStatus?) -> SyncStanding {
        let done = part.sent + part.received
        let changed = status?.counts.reduce(0) { $0 + ($1.key == .synced ? 0 : $1.value) } ?? 0
        let toSend = max(changed - (status?.conflicts.count ?? 0) - (status?.held.count ?? 0), 0)
        return .syncing(done: done, of: part.left.map { done + $0 + toSend })
    }
}
