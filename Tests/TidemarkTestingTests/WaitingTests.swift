import TestSupport
import Testing
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

@Suite(.timeLimit(.minutes(10))) struct `Waiting in a test` {
    let server: InProcessServer
    let network: PausedNetwork
    let client: SyncClient
    var notes: SyncCollection<JSON> { self.client["notes"] }

    init() throws {
        self.server = try InProcessServer()
        self.network = PausedNetwork(InProcessRemote(self.server), holdsHints: true)
        self.client = try SyncClient(
            store: MemoryStore(), remote: self.network, configuration: SyncConfiguration(), time: self.server.clock,
            seed: 1)
    }

    /// A time limit that is over at once: the awaited event does not happen.
    private static let noTime = Duration.nanoseconds(1)

    @Test func `next throws after its limit, and lists the requests without an answer`() async throws {
        try await self.notes.create(["n": 1], pk: "42")
        let syncing = Task { try await self.client.sync() }
        let taken = try await self.network.next()
        let error = await #expect(throws: TestDeadlineError.self) {
            _ = try await self.network.next(within: Self.noTime)
        }
        let text = try #require(error?.description)
        #expect(text.hasPrefix("No client sent a request within "), "\(text)")
        #expect(text.contains("Requests so far: 1; without an answer: a POST of 42 in notes."), "\(text)")
        await taken.deliver()
        _ = try await syncing.value
    }

    @Test func `a request that comes after a deadline goes to the next call`() async throws {
        await #expect(throws: TestDeadlineError.self) { _ = try await self.network.next(within: Self.noTime) }
        let syncing = Task { try await self.client.sync(["notes"]) }
        try await self.network.next().deliver()
        #expect(try await syncing.value.outcome == .inSync)
    }

    @Test(arguments: [true, false])
    func `a cancelled task waits for neither a request nor a hint`(isHint: Bool) async throws {
        let waiting = Task {
            if isHint { _ = try await self.network.nextHint() } else { _ = try await self.network.next() }
        }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func `nextHint throws after its limit, and gives the number of listeners`() async throws {
        let error = await #expect(throws: TestDeadlineError.self) {
            _ = try await self.network.nextHint(within: Self.noTime)
        }
        #expect(error?.description.hasSuffix("0 clients listen.") == true)
    }

    @Test func `deliverAll delivers every request until its task is cancelled`() async throws {
        let delivering = Task { await self.network.deliverAll() }
        try await self.notes.create(["n": 1], pk: "42")
        #expect(try await self.client.sync().outcome == .inSync)
        try await self.notes["42"].edit { $0.n = 2 }
        #expect(try await self.client.sync().outcome == .inSync)
        delivering.cancel()
        await delivering.value

        let syncing = Task { try await self.client.sync() }
        try await self.network.next().drop()
        #expect(try await syncing.value.outcome == .unreachable)
    }

    @Test func `settled returns at once if no record has to be sent`() async throws {
        try await self.client.settled()
        await self.client.close()
        try await self.client.settled()
    }

    @Test func `settled waits for a sync in progress, but not for a decision of the user`() async throws {
        try await self.notes.create(["n": 1], pk: "42")
        try await self.notes["42"].edit { $0.n = 2 }
        async let _ = self.network.deliverAll()
        let syncing = Task { try await self.client.sync() }
        try await self.client.settled()
        #expect(try await self.notes["42"].snapshot()?.phase == .synced)
        #expect(try await syncing.value.outcome == .inSync)
    }

    @Test func `settled throws after its limit, and names the unsent record`() async throws {
        try await self.notes.create(["n": 1], pk: "42")
        let error = await #expect(throws: TestDeadlineError.self) { try await self.client.settled(within: Self.noTime) }
        let text = try #require(error?.description)
        #expect(text.hasPrefix("The client was not settled within "), "\(text)")
        #expect(text.hasSuffix("Unsettled: “42” in notes is CREATED.idle."), "\(text)")
    }

    @Test func `settled waits for the run loop`() async throws {
        async let _ = self.network.deliverAll()
        try await self.notes.create(["n": 1], pk: "42")
        let running = Task { try await self.client.run(RunPlan(), connectivity: AsyncStream { _ in }) }
        let settling = Task { try await self.client.settled() }
        try await eventually("42 is sent") {
            if let next = self.server.clock.sleepers.first { self.server.clock.set(to: next) }
            return try await self.notes["42"].snapshot()?.phase == .synced
        }
        try await settling.value
        running.cancel()
        try await running.value
    }
}
