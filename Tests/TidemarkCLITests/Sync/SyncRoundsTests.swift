import CannedHTTP
import Synchronization
import Testing
import Tidemark

@testable import TidemarkCLI

/// A clock that a wait advances, and the messages printed meanwhile.
private final class WaitersTime: Sendable {
    private let state: Mutex<(now: Duration, waits: [Duration], told: [String], asked: [[String]])>

    init(now: Duration) {
        self.state = Mutex((now, [], [], []))
    }

    var now: Duration { self.state.withLock { $0.now } }

    var waits: [Duration] { self.state.withLock { $0.waits } }

    var told: [String] { self.state.withLock { $0.told } }

    /// The collections that were synced in each round.
    var asked: [[String]] { self.state.withLock { $0.asked } }

    func ask(_ names: [String]) { self.state.withLock { $0.asked.append(names) } }

    func hear(_ line: String) { self.state.withLock { $0.told.append(line) } }

    func wait(until time: Duration) {
        self.state.withLock { state in
            state.waits.append(time)
            state.now = max(state.now, time)
        }
    }
}

@Suite struct `Rounds of a sync` {
    private func report(
        _ collection: String, pushed: [String] = [], merged: [String] = [], pulled: Int = 0, requests: Int = 1,
        next: Duration? = nil
    ) -> CollectionReport {
        var report = CollectionReport(collection: collection)
        report.pushed = pushed
        report.merged = merged
        report.pulled = pulled
        report.requests = requests
        report.nextTry = next
        report.outcome = next == nil ? .inSync : .unreachable
        report.cursor = "\(requests)"
        if next != nil { report.failure = RemoteFailure(.busy, "The server is busy.") }
        return report
    }

    /// The reports of each collection's syncs, in order.
    private func reports() -> [String: [CollectionReport]] {
        [
            "notes": [
                self.report("notes", pushed: ["1"], merged: ["1"], pulled: 3, requests: 2, next: .seconds(130)),
                self.report("notes", pushed: ["1", "2"], pulled: 4, requests: 3, next: .seconds(400)),
                self.report("notes", merged: ["3"], pulled: 5, requests: 4),
            ],
            "tags": [
                self.report("tags", pulled: 1, next: .seconds(110)), self.report("tags", pushed: ["9"], requests: 5),
            ],
            "lists": [self.report("lists")],
        ]
    }

    private func run(waits: Bool, _ time: WaitersTime) async throws -> SyncReport {
        var rest = self.reports().mapValues { $0[...] }
        let rounds = SyncRounds(
            waits: waits, now: { time.now }, waitUntil: { time.wait(until: $0) }, say: { time.hear($0) })
        return try await rounds.run(["notes", "tags", "lists"]) { names in
            time.ask(names)
            var reports: [CollectionReport] = []
            for name in names {
                let report = rest[name]?.popFirst()
                reports.append(try #require(report, "\(name) is synced once too often"))
            }
            return SyncReport(collections: reports)
        }
    }

    @Test func `Each wait lasts until the next attempt is due (wait-hammers)`()
        async throws
    {
        let time = WaitersTime(now: .seconds(100))
        _ = try await self.run(waits: true, time)
        #expect(time.waits == [.seconds(110), .seconds(130), .seconds(400)])
        #expect(time.asked == [["notes", "tags", "lists"], ["tags"], ["notes"], ["notes"]])
        #expect(
            time.told == [
                "The server is busy.", "Retrying in 10 seconds.", "Retrying in 20 seconds.",
                "The server is busy.", "Retrying in 5 minutes.",
            ])
    }

    @Test func `The report is the sum of all rounds with the last status (sums-of-rounds)`() async throws {
        let report = try await self.run(waits: true, WaitersTime(now: .zero))
        let notes = try #require(report.collections.first { $0.collection == "notes" })
        #expect(notes.pushed == ["1", "2"] && notes.merged == ["1", "3"])
        #expect(notes.pulled == 12 && notes.requests == 9)
        #expect(notes.outcome == .inSync && notes.failure == nil && notes.nextTry == nil && notes.cursor == "4")
        let tags = try #require(report.collections.first { $0.collection == "tags" })
        #expect(tags.pushed == ["9"] && tags.pulled == 1 && tags.requests == 6)
        #expect(report.collections.map(\.collection) == ["notes", "tags", "lists"])
    }

    @Test func `Without --wait only one round runs`() async throws {
        let time = WaitersTime(now: .zero)
        let report = try await self.run(waits: false, time)
        #expect(time.waits == [])
        #expect(report.outcome == .unreachable && report.collections.first?.pulled == 3)
    }

    @Test func `--wait retries a busy server as often as it allows (wait-hammers)`() throws {
        let shop = try Workshop()
        let busy = CannedServer.Reply.http("503 Busy", ["Retry-After: 1"])
        let server = try CannedServer(busy, busy, .emptyPage)
        try shop.write(#"{"collections":{"notes":{}}}"#, to: "rules.json")
        try shop.done("init", "--store", "a.db", "--remote", server.url, "--rules", "rules.json")
        let run = try shop.run("sync", "--store", "a.db", "--wait", "--json")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains(#""requests":3,"#), "\(run.output)")
        #expect(run.errors.split(separator: "\n").count { $0.hasPrefix("Retrying in ") } == 2, "\(run.errors)")
    }
}

@Suite struct `The exit status of a sync` {
    /// From the worst to the best (Contract §8).
    static let order: [(SyncReport.Outcome, Int32)] = [
        (.unauthorized, 5), (.unreachable, 4), (.conflicts, 2), (.held, 3), (.inSync, 0),
    ]

    @Test(arguments: 0..<5, 0..<5)
    func `The worse of two collections sets the exit status (exit-status-of-two)`(
        _ first: Int, _ second: Int
    ) {
        let report = SyncReport(
            collections: [first, second].map { place in
                var report = CollectionReport(collection: "\(place)")
                report.outcome = Self.order[place].0
                return report
            })
        #expect(ExitStatus(report.outcome).code == Self.order[min(first, second)].1)
    }
}
