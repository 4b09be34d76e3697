import Synchronization
import TidemarkCore
import TidemarkJSON
import TidemarkMachine

extension RemoteConformance {
    static let hintChecks: [Check] = [
        Check("hints, where the server has some, say how a collection stands and then that it has moved") { probe in
            let first = try await probe.listing().watermark
            try await probe.whileHearing { marks in
                var marks = marks.makeAsyncIterator()
                guard let standing = try await marks.next() else { return }
                if let standing { try expect("the watermark of the first hint", standing, is: first) }
                for number in 1...2 {
                    _ = try await probe.accepted(RemoteProbe.create("h\(number)", "{}", id: "h\(number)"))
                    let watermark = try await probe.listing(from: first).watermark
                    // Hints may be late, repeated and left out, so what counts is that one comes that says how it stands now.
                    while let mark = try await marks.next(), mark != nil, mark != watermark {}
                }
            }
        }
    ]
}

extension RemoteProbe {
    /// Listens to hints about the collection while something is done with their watermarks.
    ///
    /// - Throws: ``ConformanceSkip`` where nobody hints, and a ``ConformanceFailure`` where that takes too long.
    fileprivate func whileHearing(
        _ body: @escaping @Sendable (AsyncThrowingStream<String?, any Error>) async throws -> Void
    ) async throws {
        // Hints may be left out, so the oldest make room where the check is slow.
        let (marks, signal) = AsyncThrowingStream.makeStream(
            of: String?.self, bufferingPolicy: .bufferingNewest(ConformanceLimits.hints))
        let counter = HintCounter()
        let collection = self.collection
        let (remote, time) = (self.remote, self.time)
        let start = time.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do throws(RemoteFailure) {
                    let end = try await remote.hints(for: [collection]) { hint in
                        guard counter.takes() else { return signal.finish(throwing: Self.tooManyHints) }
                        guard case .moved(let name, let watermark) = hint, name.hasSameCodePoints(as: collection)
                        else { return }
                        signal.yield(watermark)
                    }
                    signal.finish(throwing: Self.reason(end))
                } catch {
                    signal.finish(throwing: error)
                }
            }
            group.addTask {
                // Nil when the check is over.
                let what = "a hint about the collection"
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
            "hints", expected: "at most \(ConformanceLimits.hints) while the check listens", found: "more")
    }

    private static func reason(_ end: HintsEnd) -> any Error {
        switch end {
        case .never: ConformanceSkip(why: "the remote has no hints, and need not have any")
        case .notHere(let why): ConformanceSkip(why: "\(why) It need not give any.")
        case .ended: ConformanceFailure("hints", expected: "to go on", found: "their end")
        }
    }
}

/// Counts what a check hears, up to the limit.
private final class HintCounter: Sendable {
    private let count = Mutex(0)

    /// Counts one more; false when it is beyond the limit.
    func takes() -> Bool {
        self.count.withLock { count in
            count += 1
            return count <= ConformanceLimits.hints
        }
    }
}
