import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Contract §3.5: only the caller that cancels gets the error `cancelled`, whose cause is `CancellationError`.
@Suite(.timeLimit(.minutes(10))) struct CancelledSyncTests: HeldClientSuite {
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

    @Test func `cancelled-sync: a cancelled sync throws, has no back-off, and resends its bytes`() async throws {
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
        #expect(again.request.encodedEdit == sent.request.encodedEdit)
        await again.deliver()
        #expect(try await second.value.outcome == .inSync)
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

    @Test func `cancelled-sync: a joined caller can cancel, and the sync continues`() async throws {
        let first = self.sync()
        let request = try await self.network.next()
        let second = self.sync()
        await self.joined(1)
        second.cancel()
        await self.expectCancelled(second)
        await request.deliver()
        #expect(try await first.value.outcome == .inSync)
        #expect(await !self.client.isJoined(in: "notes"))
    }

    @Test func `cancelled-sync: joined callers continue the sync when the first one cancels`() async throws {
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
        #expect(again.request.encodedEdit == request.request.encodedEdit)
        await again.deliver()
        for task in [second, third] { #expect(try await task.value.outcome == .inSync) }
        #expect(self.network.waitingCount == 0)
    }

    @Test func `cancelled-sync: the last joined caller is served when all others cancel`() async throws {
        let first = self.sync()
        _ = try await self.network.next()
        let second = self.sync()
        await self.joined(1)
        let third = self.sync()
        await self.joined(2)
        first.cancel()
        second.cancel()
        for task in [first, second] { await self.expectCancelled(task) }
        // The second caller may have continued the sync before its own cancellation; its request then stays in the network.
        var request = try await self.network.next()
        while !request.isOpen { request = try await self.network.next() }
        await request.deliver()
        #expect(try await third.value.outcome == .inSync)
    }

    @Test func `cancelled-sync: the error is cancelled, even if the remote reports offline`() async throws {
        struct Deaf: Remote {
            let capabilities = RemoteCapabilities.native

            let network: PausedNetwork

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

/// Contract §3.5: the class `cancelled`, on the engine.
@Suite(.timeLimit(.minutes(10))) struct CancelledExchangeTests {
    @Test func `cancelled-sync: the POST of a cancelled sync is unconfirmed, and is sent first`() throws {
        let scenario = try SyncScenario(devices: ["phone"])
        try scenario.phone.create(["n": 1], pk: "42")
        try scenario.phone.sync(SyncScenario.collection)
        let edits = try #require(scenario.phone.outbox.first).request.encodedEdit
        try scenario.phone.failNext(RemoteFailure(.cancelled, "cancelled"))
        #expect(try scenario.phone.phase("42") == .created(.unconfirmed))
        #expect(scenario.phone.reports.last?.failure?.failureClass == .cancelled)
        #expect(scenario.phone.reports.last?.outcome == .unreachable)
        #expect(scenario.phone.reports.last?.nextTry == nil)
        #expect(scenario.phone.wakes.isEmpty)
        try scenario.phone.sync(SyncScenario.collection)
        #expect(scenario.phone.outbox.first?.request.encodedEdit == edits)
        try scenario.carry(scenario.phone)
        #expect(scenario.phone.reports.last?.outcome == .inSync)
        #expect(scenario.phone.reports.last?.failure == nil)
    }

    @Test func `cancelled-sync: cancelled syncs do not lengthen the next back-off`() throws {
        let scenario = try SyncScenario(devices: ["phone"])
        for _ in 1...10 {
            try scenario.phone.sync(SyncScenario.collection)
            try scenario.phone.failNext(RemoteFailure(.cancelled, "cancelled"))
        }
        let now = scenario.server.clock.now
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.phone.failNext(RemoteFailure(.offline, "no network"))
        #expect(try #require(scenario.phone.reports.last?.nextTry) <= now + .seconds(1))
    }
}
