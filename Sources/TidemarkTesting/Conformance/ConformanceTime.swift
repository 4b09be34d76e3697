package import TidemarkCore

/// How long a run of checks waits for a server: for each answer, for hints (``ConformanceLimits``), and in all. It ends a
/// wait by cancelling its task, and a remote whose task is cancelled fails at once.
package struct ConformanceTime: Sendable {
    private let source: any TimeSource
    private let limit: Duration
    private let end: Duration

    /// Starts the time of a run.
    ///
    /// - Parameters:
    ///   - source: The clock; the real one when it is nil.
    ///   - limit: How long the run may take.
    package init(_ source: (any TimeSource)? = nil, within limit: Duration) {
        self.source = source ?? SteadyTime()
        self.limit = limit
        self.end = self.source.now + limit
    }

    /// The time for deleting what the checks made: the rest of the run, or a short time where less is left.
    var forTidying: ConformanceTime {
        ConformanceTime(self.source, within: max(self.end - self.source.now, ConformanceLimits.tidying))
    }

    /// What the clock shows, for ``lateness(of:since:atMost:)``.
    var now: Duration { self.source.now }

    /// Carries out an exchange, and ends it when it takes too long.
    ///
    /// - Throws: What the remote threw; ``ConformanceFailure`` when the answer took too long; ``ConformanceTimeUp``
    ///   when the time of the run is over.
    package func answer(to request: ExchangeRequest, of remote: any Remote) async throws -> ExchangeAnswer {
        let what = "the answer to \(ConformanceRecorder.question(request))".cutForEvidence
        let start = self.now
        guard start < self.end else { throw ConformanceTimeUp(limit: self.limit, what: what, waited: nil) }
        typealias Answer = Result<ExchangeAnswer, any Error>
        let answer = await withTaskGroup(of: Answer?.self, returning: Answer?.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                do throws(RemoteFailure) {
                    return .success(try await remote.exchange(request))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                await self.lateness(of: what, since: start, atMost: ConformanceLimits.answer).map { .failure($0) }
            }
            for await result in group {
                // Nil is from the clock of a check that was cancelled, and then the remote says so.
                if let result { return result }
            }
            return nil
        }
        guard let answer else { throw CancellationError() }
        return try answer.get()
    }

    /// Waits until something is too late, and returns the error that says so; nil when the task is cancelled before.
    func lateness(of what: String, since start: Duration, atMost limit: Duration) async -> (any Error)? {
        let isOfRun = start + limit > self.end
        let latest = min(start + limit, self.end)
        do {
            try await self.source.sleep(until: latest)
        } catch {
            return nil
        }
        let waited = self.now - start
        guard !isOfRun else { return ConformanceTimeUp(limit: self.limit, what: what, waited: waited) }
        return ConformanceFailure(
            what, expected: "within \(limit.inSeconds)",
            found: """
                nothing complete after \(waited.inSeconds). Find out at the server what takes so long, and check again.
                """)
    }
}

/// What a check throws when the time of the run is over. It says nothing about the server's rules.
struct ConformanceTimeUp: Error, CustomStringConvertible {
    /// How long the run was allowed to take.
    let limit: Duration

    /// What the check waited for, or was about to ask for.
    let what: String

    /// How long it had waited; nil when it had not asked.
    let waited: Duration?

    var description: String {
        let place = self.waited.map { "while the check waited for \(self.what), for \($0.inSeconds) so far" }
        return """
            The time of \(self.limit.inSeconds) was over \(place ?? "before the check asked for \(self.what)"). Allow \
            more time, or find out at the server what takes so long.
            """
    }
}

/// The real clock, counted from when it was made. It is not set back or forward, as a clock on the wall is.
private struct SteadyTime: TimeSource {
    private let start = ContinuousClock.now

    var now: Duration { self.start.duration(to: .now) }

    func sleep(until time: Duration) async throws {
        try await Task.sleep(until: self.start + time, clock: .continuous)
    }
}

extension Duration {
    /// In seconds, to a tenth: `30 s`, `0.5 s`.
    fileprivate var inSeconds: String {
        let tenths = Int64((self / .milliseconds(100)).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}
