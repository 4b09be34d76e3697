import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Contract §10: the status of a client in one value.
@Suite(.timeLimit(.minutes(10))) struct SummaryTests: HeldClientSuite {
    let held: HeldClient

    init() throws {
        var configuration = SyncConfiguration()
        configuration.limits.pageSize = 2
        self.held = try HeldClient(configuration)
    }

    private func sync(_ names: String..., handling body: (HeldRequest) async throws -> Void) async throws {
        async let report = self.client.sync(names)
        for _ in names { try await body(try await self.network.next()) }
        _ = try await report
    }

    @Test func `the summary is pending while edits are unsent, and then in sync`() async throws {
        guard case .paused(let why) = try await self.client.status.summary else {
            Issue.record("A client that knows no collection is not paused.")
            return
        }
        #expect(why.message.contains("No collection is known"))
        #expect(try await self.client.status.lastInSync == nil)
        try await self.client["notes"].create(["n": 1], pk: "1")
        #expect(try await self.client.status.summary == .pending)
        try await self.sync("notes", handling: { await $0.deliver() })
        let status = try await self.client.status
        #expect(status.summary == .inSync)
        #expect(status.summary(of: "notes") == .inSync)
        #expect(status.summary(of: "other") == nil)
        #expect(status.lastInSync == self.server.clock.now)
    }

    @Test func `the summary during a sync has the rows done and the total`() async throws {
        let other = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(self.server), configuration: SyncConfiguration(),
            time: self.server.clock, seed: 2)
        for n in 1...5 { try await other["notes"].create(["n": JSON(n)], pk: "\(n)") }
        _ = try await other.sync()
        async let report = self.client.sync(["notes"])
        var seen: [SyncStatus.Summary] = []
        for _ in 1...3 {
            let request = try await self.network.next()
            seen.append(try await self.client.status.summary)
            await request.deliver()
        }
        #expect(try await report.outcome == .inSync)
        #expect(seen.dropFirst() == [.syncing(done: 2, of: 5), .syncing(done: 4, of: 5)])
    }

    @Test func `the summary after a failure has the time and the reason of the wait`() async throws {
        try await self.sync(
            "notes", handling: { $0.fail(RemoteFailure(.busy, "Closed.", retryAfter: .delay(.seconds(60)))) })
        #expect(
            try await self.client.status.summary
                == .waiting(until: self.server.clock.now + .seconds(60), why: .init(.failure(.busy), "Closed.")))
    }

    @Test func `a pause takes precedence over a wait, and a sync that moved nothing shows neither`() async throws {
        try await self.sync("notes", "tags") { request in
            request.fail(
                request.request.collection == "notes"
                    ? RemoteFailure(.busy, "Closed.", retryAfter: .delay(.seconds(60)))
                    : RemoteFailure(.auth, "The token is old."))
        }
        let status = try await self.client.status
        #expect(status.summary == .paused(why: .init(.failure(.auth), "The token is old.")))
        #expect(
            status.summary(of: "notes")
                == .waiting(until: self.server.clock.now + .seconds(60), why: .init(.failure(.busy), "Closed.")))
        async let report = self.client.sync(["tags"])
        let request = try await self.network.next()
        #expect(try await self.client.status.summary == .paused(why: .init(.failure(.auth), "The token is old.")))
        await request.deliver()
        _ = try await report
    }

    @Test func `the summary has the earlier of two waits`() async throws {
        try await self.sync("notes", "tags") { request in
            let seconds = request.request.collection == "notes" ? 60 : 30
            request.fail(RemoteFailure(.busy, "Closed.", retryAfter: .delay(.seconds(seconds))))
        }
        #expect(
            try await self.client.status.summary
                == .waiting(until: self.server.clock.now + .seconds(30), why: .init(.failure(.busy), "Closed.")))
    }

    /// The status of one collection that is in sync, in a phase of the run loop.
    private func status(
        _ phase: RunPhase, moved: Int? = nil, report: CollectionReport? = nil, isReachable: Bool = true
    ) -> SyncStatus.Summary {
        let parts = moved.map {
            [SyncStatus.CollectionProgress(collection: "notes", received: $0, sent: 0, isOver: false)]
        }
        return SyncStatus(
            collections: [SyncStatus.Collection(collection: "notes")],
            progress: SyncStatus.Progress(collections: parts ?? []), lastReports: report.map { [$0] } ?? [],
            run: SyncStatus.Run(
                isReachable: isReachable, collections: [SyncStatus.Run.CollectionRun(collection: "notes", phase: phase)]
            )
        ).summary
    }

    @Test func `a sync shows from its first record on, and the first one checks before that (Contract §10)`() {
        let report = CollectionReport(collection: "notes")
        #expect(self.status(.due) == .checking)
        #expect(self.status(.syncing) == .checking)
        #expect(self.status(.syncing, moved: 0) == .checking)
        #expect(self.status(.syncing, moved: 1) == .syncing(done: 1, of: nil))
        #expect(self.status(.syncing, moved: 0, report: report) == .inSync)
        #expect(self.status(.syncing, moved: 2, report: report) == .syncing(done: 2, of: nil))
        #expect(self.status(.due, report: report) == .checking, "the server has something new")
        #expect(self.status(.polling) == .checking, "it was never in sync")
        #expect(self.status(.polling, report: report) == .inSync)
        #expect(self.status(.polling, report: report, isReachable: false) == .offline)
        #expect(self.status(.syncing, moved: 1, report: report, isReachable: false) == .syncing(done: 1, of: nil))
    }

    @Test func `a status made for a preview has the given values`() {
        let status = SyncStatus(
            collections: [SyncStatus.Collection(collection: "notes", lastInSync: .seconds(7))],
            run: SyncStatus.Run(isConnected: false))
        #expect(status.summary == .offline)
        #expect(status.lastInSync(of: "notes") == .seconds(7))
    }
}
