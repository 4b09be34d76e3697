import Synchronization
import Testing
import TidemarkCore
import TidemarkMachine
import TidemarkTesting

/// A server that makes a check wait, by a clock that moves only then.
private final class SlowRemote: Remote {
    let capabilities = RemoteCapabilities.native

    enum Pace {
        /// Sends answers without their last byte.
        case drips

        /// Only the answer to an invalid cursor does not end.
        case dripsForWrongCursor

        /// Always new pages, each 5 s after its request.
        case pages

        /// Only heartbeats.
        case hints
    }

    /// The number of bytes or pages of a remote that is not ended.
    private static let most = 1_000_000

    let clock = ManualClock()
    private let pace: Pace
    private let count = Mutex(0)

    init(_ pace: Pace) {
        self.pace = pace
    }

    /// Whether a check waited longer than that.
    var hadEnough: Bool { self.count.withLock { $0 >= Self.most } }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        switch self.pace {
        case .drips: try await self.drip()
        case .pages: self.clock.advance(by: .seconds(5))
        case .dripsForWrongCursor where request.cursor == "never handed out":
            try await self.drip()
        case .dripsForWrongCursor, .hints: break
        }
        let number = self.count.withLock { count in
            count += 1
            return count
        }
        let isEndless = self.pace == .pages
        return ExchangeAnswer(
            results: request.uploads.map(Self.accepted), page: isEndless ? Self.page(number) : .empty,
            cursor: isEndless ? "w\(number)" : "w", hasMore: isEndless, epoch: "e", account: "a")
    }

    func hints(
        for collections: [String], onHint: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> RemoteHint.End {
        guard self.pace == .hints else { return .never }
        onHint(.alive)
        try await self.drip()
        return .ended
    }

    /// Lets time pass until the caller has waited long enough, and the task is cancelled.
    private func drip() async throws(RemoteFailure) {
        while !self.hadEnough {
            guard !Task.isCancelled else { throw RemoteFailure(.cancelled, "The task was cancelled.") }
            if let end = self.clock.sleepers.first { self.clock.set(to: end) }
            self.count.withLock { $0 += 1 }
            await Task.yield()
        }
        throw RemoteFailure(.offline, "The test has seen enough.")
    }

    private static func accepted(_ upload: UploadRequest) -> UploadResult {
        UploadResult(
            requestID: upload.requestID, outcome: .accepted(StoredVersion(version: "1", data: Array("{}".utf8))))
    }

    private static func page(_ number: Int) -> FeedPage {
        let pk = Array("\"p\(number)\"".utf8)
        let row = FeedPage.Row(
            pk: 0..<pk.count, version: pk.count..<(pk.count + 1), data: (pk.count + 1)..<(pk.count + 3))
        return FeedPage(bytes: pk + Array("1{}".utf8), rows: [row])
    }
}

@Suite struct `The time of a conformance run` {
    /// The result of a run.
    private struct Run {
        var reports: [ConformanceReport] = []
        var trouble: String?
        var time = Duration.zero
        var hadEnough = false

        init(over remote: SlowRemote, within limit: Duration = RemoteConformance.usualLimit) async throws {
            let start = remote.clock.now
            self.trouble = try await RemoteConformance.examine(
                remote, prefix: "x", within: limit, time: remote.clock, told: { self.reports.append($0) })
            self.time = remote.clock.now - start
            self.hadEnough = remote.hadEnough
        }

        var broken: [String] {
            self.reports.compactMap { if case .broken(let why) = $0.outcome { why } else { nil } }
        }

        var unchecked: [String] {
            self.reports.compactMap { if case .unchecked(let why) = $0.outcome { why } else { nil } }
        }
    }

    @Test func `a check ends after 30 s without a whole answer`() async throws {
        let run = try await Run(over: SlowRemote(.drips), within: .seconds(75))
        let first = try #require(run.reports.first)
        #expect(
            first.outcome
                == .broken(
                    """
                    the answer to GET from the start, at most 100: expected within 30 s, found nothing complete after \
                    30 s. Find out at the server what takes so long, and check again.
                    """))
        #expect(first.evidence.last?.contains("cancelled") == true, "\(first.evidence)")
        #expect(run.broken.count == 2)
        #expect(!run.hadEnough)
    }

    @Test func `a check that expects a failure ends after 30 s, too`() async throws {
        let run = try await Run(over: SlowRemote(.dripsForWrongCursor))
        let late = run.broken.filter { $0.contains("after “never handed out”") && $0.contains("within 30 s") }
        #expect(late.count == 2, "\(run.broken)")
        #expect(!run.hadEnough)
    }

    @Test func `a run ends if its checks wait, each within its limit`() async throws {
        let run = try await Run(over: SlowRemote(.drips), within: .seconds(75))
        #expect(run.reports.count == RemoteConformance.checks.count)
        #expect(run.unchecked.count == run.reports.count - 2)
        #expect(
            run.unchecked.first?.contains("The time of 75 s was over while the check waited for the answer to") == true,
            "\(run.unchecked)")
        #expect(run.unchecked.first?.contains("for 15 s so far. Allow more time") == true, "\(run.unchecked)")
        #expect(run.unchecked.last?.contains("was over before the check asked for") == true, "\(run.unchecked)")
        #expect(!run.hadEnough)
    }

    @Test func `a run ends if the pages do not end`() async throws {
        let run = try await Run(over: SlowRemote(.pages), within: .seconds(60))
        #expect(run.unchecked.count > 20, "\(run.unchecked)")
        #expect(run.unchecked.allSatisfy { $0.contains("The time of 60 s was over") }, "\(run.unchecked)")
        #expect(run.time <= .seconds(60 + 30 + 10))
    }

    @Test func `the clean-up ends 30 s after the run`() async throws {
        let run = try await Run(over: SlowRemote(.drips), within: .seconds(75))
        #expect(run.time == .seconds(75 + 30))
        #expect(run.trouble?.contains("within 30 s") == true, "\(run.trouble ?? "")")
    }

    @Test func `a check ends after 20 s without a hint`() async throws {
        let run = try await Run(over: SlowRemote(.hints))
        let late = run.broken.filter { $0.contains("a change notification of the collection: expected within 20 s") }
        #expect(late.count == 1, "\(run.broken)")
        #expect(run.time == .seconds(20))
        #expect(!run.hadEnough)
    }
}
