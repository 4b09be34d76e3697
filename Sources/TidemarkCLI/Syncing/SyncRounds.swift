import Tidemark

/// One sync, or syncs until the server has answered.
struct SyncRounds {
    /// Whether to wait after a failure and retry.
    let waits: Bool

    /// The time, from 1970-01-01T00:00:00Z.
    let now: @Sendable () -> Duration

    /// Returns at that time.
    let waitUntil: @Sendable (Duration) async throws -> Void

    /// Prints a message for the user about a wait.
    let say: @Sendable (String) -> Void

    /// Syncs once; with ``waits``, until no collection has to wait for a retry. The report is the sum of all rounds.
    ///
    /// - Parameter round: Syncs these collections.
    func run(_ names: [String], _ round: ([String]) async throws -> SyncReport) async throws -> SyncReport {
        var whole = SyncReport()
        var due = names
        while true {
            let report = try await round(due)
            whole.add(report)
            guard self.waits, let next = whole.collections.compactMap(\.nextTry).min() else { return whole }
            for failure in report.failures { self.say(failure) }
            self.say("Retrying in \(max(next - self.now(), .zero).inWords).")
            try await self.waitUntil(next)
            // A collection whose next attempt is later is not synced in this round, nor is one that is in sync.
            due = whole.collections.filter { $0.nextTry.map { $0 <= next } ?? false }.map(\.collection)
        }
    }
}
