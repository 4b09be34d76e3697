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
    func run(_ round: () async throws -> SyncReport) async throws -> SyncReport {
        var whole = SyncReport()
        while true {
            let report = try await round()
            whole.add(report)
            guard self.waits, let next = report.collections.compactMap(\.nextTry).min() else { return whole }
            for failure in report.failures { self.say(failure) }
            self.say("Trying again in \(max(next - self.now(), .zero).inWords).")
            try await self.waitUntil(next)
        }
    }
}
