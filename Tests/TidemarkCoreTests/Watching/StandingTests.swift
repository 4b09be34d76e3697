import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// SPEC §10: how a client stands, in one value.
@Suite(.timeLimit(.minutes(2))) struct StandingTests: HeldClientSuite {
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

    @Test func `it is pending while something is unsent, and in step when it was sent`() async throws {
        guard case .paused(let why) = try await self.client.status.standing else {
            Issue.record("A client that knows no collection is not paused.")
            return
        }
        #expect(why.contains("No collection is known"))
        #expect(try await self.client.status.lastInStep == nil)
        try await self.client["notes"].create(["n": 1], pk: "1")
        #expect(try await self.client.status.standing == .pending)
        try await self.sync("notes", handling: { await $0.deliver() })
        let status = try await self.client.status
        #expect(status.standing == .inStep)
        #expect(status.standing(of: "notes") == .inStep)
        #expect(status.standing(of: "other") == nil)
        #expect(status.lastInStep == self.server.clock.now)
    }

    @Test func `while a sync goes on it says how many of how many`() async throws {
        let other = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(self.server), configuration: SyncConfiguration(),
            time: self.server.clock, seed: 2)
        for n in 1...5 { try await other["notes"].create(["n": JSON(n)], pk: "\(n)") }
        _ = try await other.sync()
        async let report = self.client.sync(["notes"])
        var seen: [SyncStanding] = []
        for _ in 1...3 {
            let request = try await self.network.next()
            seen.append(try await self.client.status.standing)
            await request.deliver()
        }
        #expect(try await report.outcome == .inStep)
        #expect(seen.dropFirst() == [.syncing(done: 2, of: 5), .syncing(done: 4, of: 5)])
    }

    @Test func `after a failure it waits, and says until when and why`() async throws {
        try await self.sync(
            "notes", handling: { $0.fail(RemoteFailure(.busy, "Closed.", retryAfter: .delay(.seconds(60)))) })
        #expect(
            try await self.client.status.standing
                == .waiting(until: self.server.clock.now + .seconds(60), why: "Closed."))
    }

    @Test func `a pause hides the wait of another collection, and a sync hides both`() async throws {
        try await self.sync("notes", "tags") { request in
            request.fail(
                request.request.collection == "notes"
                    ? RemoteFailure(.busy, "Closed.", retryAfter: .delay(.seconds(60)))
                    : RemoteFailure(.auth, "The token is old."))
        }
        let status = try await self.client.status
        #expect(status.standing == .paused(why: "The token is old."))
        #expect(status.standing(of: "notes") == .waiting(until: self.server.clock.now + .seconds(60), why: "Closed."))
        async let report = self.client.sync(["tags"])
        let request = try await self.network.next()
        #expect(try await self.client.status.standing == .syncing(done: 0, of: nil))
        await request.deliver()
        _ = try await report
    }

    @Test func `of two waits the earlier one counts`() async throws {
        try await self.sync("notes", "tags") { request in
            let seconds = request.request.collection == "notes" ? 60 : 30
            request.fail(RemoteFailure(.busy, "Closed.", retryAfter: .delay(.seconds(seconds))))
        }
        #expect(
            try await self.client.status.standing
                == .waiting(until: self.server.clock.now + .seconds(30), why: "Closed."))
    }

    @Test func `a value made for a preview says what it is given`() {
        let status = ClientStatus(
            collections: [CollectionStatus(collection: "notes", lastInStep: .seconds(7))],
            run: RunStatus(isConnected: false))
        #expect(status.standing == .offline)
        #expect(status.lastInStep(of: "notes") == .seconds(7))
    }
}
