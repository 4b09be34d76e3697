import Tidemark

/// One sync, or as many as it takes until the server has answered.
struct SyncRounds {
    /// Whether a failure is waited out.
    let waits: Bool

    /// What time it is, from 1970-01-01T00:00:00Z.
    let now: @Sendable () -> Duration

    /// Returns when it is that time.
    let waitUntil: @Sendable (Duration) async throws -> Void

    /// Tells a person what is waited for.
    let say: @Sendable (String) -> Void

    /// Syncs until nothing has to be waited out; what the rounds did is added up.
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
            self.say("Trying again in \(max(next - self.now(), .zero).inWords).")
            try await self.waitUntil(next)
            // One that is to be left alone for longer is no more asked than one that is in step.
            due = whole.collections.filter { $0.nextTry.map { $0 <= next } ?? false }.map(\.collection)
        }
    }
}
