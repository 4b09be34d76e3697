package import TidemarkCore

/// The time limits of a run of checks: of each answer, of hints (``ConformanceLimits``), and of the whole run. A wait is ended
/// by cancelling its task; a remote whose task is cancelled fails at once.
package struct ConformanceTime: Sendable {
    private let source: any TimeSource
    private let limit: Duration
    private let end: Duration

    /// Starts the time of a run.
    ///
    /// - Parameters:
    ///   - source: The clock; nil for the real one.
    ///   - limit: The time limit of the run.
    package init(_ source: (any TimeSource)? = nil, within limit: Duration) {
        self.source = source ?? SteadyTime()
        self.limit = limit
        self.end = self.source.now + limit
    }

    /// The time for deleting the checks' records: the rest of the run, but at least a short time.
    var forTidying: ConformanceTime {
        ConformanceTime(self.source, within: max(self.end - self.source.now, ConformanceLimits.tidying))
    }

    /// The current time, for ``lateness(of:since:atMost:)``.
    var now: Duration { self.source.now }

    /// Carries out an exchange, and ends it if it takes too long.
    ///
    /// - Throws: The error of the remote; ``ConformanceFailure`` if the answer took too long; ``ConformanceTimeUp`` if the time
    ///   of the run is over.
    package func answer(to request: ExchangeRequest, of remote: any Remote) async throws -> ExchangeAnswer {
        try await self.within("the answer to \(ConformanceRecorder.question(request))".cutForEvidence) {
            () async throws(RemoteFailure) in try await remote.exchange(request)
        }
    }

    /// Carries out a request, and ends it if its answer takes too long; throws as ``answer(to:of:)``.
    func within<Value: Sendable>(
        _ what: String, _ operation: @escaping @Sendable () async throws(RemoteFailure) -> Value
    ) async throws -> Value {
        let start = self.now
        guard start < self.end else { throw ConformanceTimeUp(limit: self.limit, what: what, waited: nil) }
        typealias Answer = Result<Value, any Error>
        let answer = await withTaskGroup(of: Answer?.self, returning: Answer?.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                do throws(RemoteFailure) {
                    return .success(try await operation())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                await self.lateness(of: what, since: start, atMost: ConformanceLimits.answer).map { .failure($0) }
            }
            for await result in group {
                // Nil comes from the clock if the check was cancelled; then the remote throws the error.
                if let result { return result }
            }
            return nil
        }
        guard let answer else { throw CancellationError() }
        return try answer.get()
    }

    /// Waits until a time limit is reached, and returns its error; nil if the task is cancelled before the limit.
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

/// The error of a check if the time of the run is over. It means nothing about the server.
struct ConformanceTimeUp: Error, CustomStringConvertible {
    /// The time limit of the run.
    let limit: Duration

    /// The event that the check waited for, or the request that it was about to send.
    let what: String

    /// How long it had waited; nil if it had not sent a request.
    let waited: Duration?

    var description: String {
        let place = self.waited.map { "while the check waited for \(self.what), for \($0.inSeconds) so far" }
        return """
            The time of \(self.limit.inSeconds) was over \(place ?? "before the check asked for \(self.what)"). Allow \
            more time, or find out at the server what takes so long.
            """
    }
}

/// The real clock, counted from its creation. It is monotonic, unlike a wall clock.
private struct SteadyTime: TimeSource {
    private let start = ContinuousClock.now

    var now: Duration { self.start.duration(to: .now) }

    func sleep(until time: Duration) async throws {
        try await Task.sleep(until: self.start + time, clock: .continuous)
    }
}

extension Duration {
    /// In seconds, with one decimal: `30 s`, `0.5 s`.
    fileprivate var inSeconds: String {
        let tenths = Int64((self / .milliseconds(100)).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}
