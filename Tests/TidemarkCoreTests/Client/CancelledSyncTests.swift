import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// SPEC §3.5: who cancels gets the error `cancelled`, whose cause is `CancellationError`, and nobody else does.
@Suite(.timeLimit(.minutes(2))) struct CancelledSyncTests: HeldClientSuite {
    let held: HeldClient

    init() throws { self.held = try HeldClient() }

    private func sync() -> Task<SyncReport, any Error> {
        Task { [client = self.client] in try await client.sync(["notes"]) }
    }

    private func expectCancelled(_ task: Task<SyncReport, any Error>) async {
        let error = await #expect(throws: TidemarkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(error?.cause is CancellationError)
    }

    private func joined(_ count: Int) async {
        await eventually("\(count) have joined") { await self.client.joinedCount(in: "notes") >= count }
    }

    @Test func `cancelled-sync: who cancels is told so, no failure is counted, and the same bytes go again`()
        async throws
    {
        try await self.client["notes"].create(["title": "Milk"], pk: "42")
        let first = self.sync()
        let sent = try await self.network.next()
        first.cancel()
        await self.expectCancelled(first)
        let explanation = try await self.client["notes"]["42"].explain()
        #expect(explanation.phase == .created(.unconfirmed), "whether it arrived is unknown")
        #expect(explanation.nextTry == nil, "no back-off")
        let second = self.sync()
        let again = try await self.network.next()
        #expect(again.request.frozen == sent.request.frozen)
        await again.deliver()
        #expect(try await second.value.outcome == .inStep)
    }

    @Test func `cancelled-sync: a task that is cancelled before it begins sends nothing`() async throws {
        let task = Task { [client = self.client] in
            for await _ in AsyncStream(Void.self, { _ in }) {}
            return try await client.sync(["notes"])
        }
        task.cancel()
        await self.expectCancelled(task)
        #expect(self.network.waitingCount == 0)
    }

    @Test func `cancelled-sync: whoever joined can leave, and the sync goes on`() async throws {
        let first = self.sync()
        let request = try await self.network.next()
        let second = self.sync()
        await self.joined(1)
        second.cancel()
        await self.expectCancelled(second)
        await request.deliver()
        #expect(try await first.value.outcome == .inStep)
        #expect(await !self.client.isJoined(in: "notes"))
    }

    @Test func `cancelled-sync: those who joined carry it on when the first is cancelled`() async throws {
        try await self.client["notes"].create(["title": "Milk"], pk: "42")
        let first = self.sync()
        let request = try await self.network.next()
        let second = self.sync()
        await self.joined(1)
        let third = self.sync()
        await self.joined(2)
        first.cancel()
        await self.expectCancelled(first)
        let again = try await self.network.next()
        #expect(again.request.frozen == request.request.frozen)
        await again.deliver()
        for task in [second, third] { #expect(try await task.value.outcome == .inStep) }
        #expect(self.network.waitingCount == 0)
    }

    @Test func `cancelled-sync: all that joined but one are cancelled with the first, and that one is served`()
        async throws
    {
        let first = self.sync()
        _ = try await self.network.next()
        let second = self.sync()
        await self.joined(1)
        let third = self.sync()
        await self.joined(2)
        first.cancel()
        second.cancel()
        for task in [first, second] { await self.expectCancelled(task) }
        // The second may have taken over before its own cancellation reached it; what it sent stays in the network.
        var request = try await self.network.next()
        while !request.isOpen { request = try await self.network.next() }
        await request.deliver()
        #expect(try await third.value.outcome == .inStep)
    }

    @Test func `cancelled-sync: a remote that calls it offline, as one of the app's own may, is understood`()
        async throws
    {
        struct Deaf: Remote {
            let network: HeldNetwork

            func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
                do throws(RemoteFailure) {
                    return try await self.network.exchange(request)
                } catch {
                    throw RemoteFailure(.offline, error.message)
                }
            }
        }
        let client = try SyncClient(
            store: MemoryStore(), remote: Deaf(network: self.network), configuration: SyncConfiguration(),
            time: self.server.clock, seed: 1)
        let task = Task { try await client.sync(["notes"]) }
        _ = try await self.network.next()
        task.cancel()
        await self.expectCancelled(task)
    }
}

/// SPEC §3.5: the class `cancelled`, on the engine.
@Suite(.timeLimit(.minutes(2))) struct CancelledExchangeTests {
    @Test func `cancelled-sync: the fate of a POST is unknown, and the next sync sends it first`() throws {
        let meeting = try Meeting(devices: ["phone"])
        try meeting.phone.create(["n": 1], pk: "42")
        try meeting.phone.sync(Meeting.collection)
        let edits = try #require(meeting.phone.outbox.first).request.frozen
        try meeting.phone.failNext(RemoteFailure(.cancelled, "cancelled"))
        #expect(try meeting.phone.phase("42") == .created(.unconfirmed))
        #expect(meeting.phone.reports.last?.failure?.failureClass == .cancelled)
        #expect(meeting.phone.reports.last?.outcome == .unreachable)
        #expect(meeting.phone.reports.last?.nextTry == nil)
        #expect(meeting.phone.wakes.isEmpty)
        try meeting.phone.sync(Meeting.collection)
        #expect(meeting.phone.outbox.first?.request.frozen == edits)
        try meeting.carry(meeting.phone)
        #expect(meeting.phone.reports.last?.outcome == .inStep)
        #expect(meeting.phone.reports.last?.failure == nil)
    }

    @Test func `cancelled-sync: it is no try that failed, so the first wait after it is the first`() throws {
        let meeting = try Meeting(devices: ["phone"])
        for _ in 1...10 {
            try meeting.phone.sync(Meeting.collection)
            try meeting.phone.failNext(RemoteFailure(.cancelled, "cancelled"))
        }
        let now = meeting.server.clock.now
        try meeting.phone.sync(Meeting.collection)
        try meeting.phone.failNext(RemoteFailure(.offline, "no network"))
        #expect(try #require(meeting.phone.reports.last?.nextTry) <= now + .seconds(1))
    }
}
