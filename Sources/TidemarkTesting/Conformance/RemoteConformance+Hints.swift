import Synchronization
import TidemarkCore
import TidemarkJSON
import TidemarkMachine

extension RemoteConformance {
    static let hintChecks: [Check] = [
        Check("change notifications, if any, report the state of a collection and then its changes") { probe in
            let first = try await probe.listing().cursor
            try await probe.whileHearing { marks in
                var marks = marks.makeAsyncIterator()
                guard let summary = try await marks.next() else { return }
                if let summary { try expect("the cursor of the first change notification", summary, is: first) }
                for number in 1...2 {
                    _ = try await probe.accepted(RemoteProbe.create("h\(number)", "{}", id: "h\(number)"))
                    let cursor = try await probe.listing(from: first).cursor
                    // Hints may be late, repeated or missing, so the check only requires one with the current state.
                    while let mark = try await marks.next(), mark != nil, mark != cursor {}
                }
            }
        }
    ]
}

extension RemoteProbe {
    /// Listens to hints of the collection while `body` reads their cursors.
    ///
    /// - Throws: ``ConformanceSkip`` if the server has no hints, and a ``ConformanceFailure`` if a hint takes too long.
    fileprivate func whileHearing(
        _ body: @escaping @Sendable (AsyncThrowingStream<String?, any Error>) async throws -> Void
    ) async throws {
        // Hints may be dropped, so the oldest are discarded if the check is slow.
        let (marks, signal) = AsyncThrowingStream.makeStream(
            of: String?.self, bufferingPolicy: .bufferingNewest(ConformanceLimits.hints))
        let counter = HintCounter()
        let collection = self.collection
        let (remote, time) = (self.remote, self.time)
        let isWire = self.subject.http != nil
        let isRequired = isWire && self.subject.level == .full
        let start = time.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do throws(RemoteFailure) {
                    let end = try await remote.hints(for: [collection]) { hint in
                        guard counter.takes() else { return signal.finish(throwing: Self.tooManyHints) }
                        guard case .moved(let name, let cursor) = hint else { return }
                        if name.hasSameCodePoints(as: collection) {
                            signal.yield(cursor)
                        } else if isWire {
                            signal.finish(throwing: Self.unwatched(name, not: collection))
                        }
                    }
                    signal.finish(throwing: Self.reason(end, isRequired: isRequired))
                } catch {
                    signal.finish(throwing: error)
                }
            }
            group.addTask {
                // Nil if the check is over.
                let what = "a change notification of the collection"
                if let late = await time.lateness(of: what, since: start, atMost: ConformanceLimits.hint) {
                    signal.finish(throwing: late)
                }
            }
            defer { group.cancelAll() }
            try await body(marks)
        }
    }

    private static var tooManyHints: ConformanceFailure {
        ConformanceFailure(
            "change notifications", expected: "at most \(ConformanceLimits.hints) while the check listens",
            found: "more")
    }

    private static func unwatched(_ name: String, not collection: String) -> ConformanceFailure {
        ConformanceFailure(
            "the change notifications", expected: "only those of “\(collection)”, which “watch” names",
            found: "one of “\(name)”")
    }

    private static func reason(_ end: RemoteHint.End, isRequired: Bool) -> any Error {
        switch end {
        case .never: ConformanceSkip(why: "the remote has no change notifications, and need not have any")
        case .unavailable(let why) where isRequired:
            ConformanceFailure("change notifications", expected: "a stream of events at the full level", found: why)
        case .unavailable(let why): ConformanceSkip(why: "\(why) It need not give any.")
        case .ended: ConformanceFailure("change notifications", expected: "to continue", found: "their end")
        }
    }
}

/// Counts the hints of a check, up to the limit.
private final class HintCounter: Sendable {
    private let count = Mutex(0)

    /// Counts one more; false if it exceeds the limit.
    func takes() -> Bool {
        self.count.withLock { count in
            count += 1
            return count <= ConformanceLimits.hints
        }
    }
}
