import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct ClosingTests: HeldClientSuite {
    let held: HeldClient

    init() throws { self.held = try HeldClient() }

    private func code(_ body: () async throws -> Void) async -> TidemarkError.Code? {
        await #expect(throws: TidemarkError.self) { try await body() }?.code
    }

    private func sync() async throws {
        async let report = self.client.sync(["notes"])
        try await self.network.next().deliver()
        _ = try await report
    }

    @Test func `a closed client throws clientClosed from every call`() async throws {
        try await self.notes.create(["n": 1], pk: "42")
        await self.client.close()
        await self.client.close()
        #expect(await self.client.isClosed)
        #expect(await self.code { try await self.notes.create([:], pk: "1") } == .clientClosed)
        #expect(await self.code { try await self.notes["42"].edit { $0.n = 2 } } == .clientClosed)
        #expect(await self.code { _ = try await self.notes["42"].get() } == .clientClosed)
        #expect(await self.code { _ = try await self.notes.conflicts } == .clientClosed)
        #expect(await self.code { _ = try await self.notes["42"].outcome() } == .clientClosed)
        #expect(await self.code { _ = try await self.client.sync() } == .clientClosed)
        #expect(await self.code { _ = try await self.client.syncWaiting(["notes"]) } == .clientClosed)
        #expect(await self.code { try await self.client.resume() } == .clientClosed)
        #expect(await self.code { try await self.client.renew(remote: self.network) } == .clientClosed)
        #expect(await self.code { _ = try await self.client.account } == .clientClosed)
        #expect(await self.code { _ = try await self.client.unsent } == .clientClosed)
        #expect(await self.code { try await self.client.erase() } == .clientClosed)
    }

    @Test func `a closed client ends its streams, and returns empty ones later`() async throws {
        let changes = self.notes.changes
        try await self.notes.create(["n": 1], pk: "42")
        await self.client.close()
        var seen: [String] = []
        for await change in changes { seen.append(try #require(change.change?.pk)) }
        #expect(seen == ["42"])
        for await _ in self.notes.changes { Issue.record("a closed client reports no change") }
    }

    @Test func `a deinitialized client ends its streams`() async throws {
        var client: SyncClient? = try SyncClient(
            store: MemoryStore(), remote: self.network, configuration: SyncConfiguration(), time: self.server.clock,
            seed: 2)
        let changes = try #require(client?["notes"].changes)
        client = nil
        for await _ in changes { Issue.record("nothing was changed") }
        #expect(client == nil)
    }

    @Test func `a closed client ends waits for outcomes, joined syncs and running syncs`() async throws {
        try await self.notes.create(["n": 1], pk: "42")
        async let outcome = self.notes["42"].outcome()
        await eventually("the outcome is waited for") { await self.client.openWriteCount > 0 }
        async let first = self.client.sync(["notes"])
        let request = try await self.network.next()
        async let second = self.client.sync(["notes"])
        await eventually("the second sync has joined") { await self.client.isJoined(in: "notes") }
        await self.client.close()
        do {
            _ = try await outcome
            Issue.record("the wait for the outcome did not end")
        } catch {
            #expect((error as? TidemarkError)?.code == .clientClosed)
        }
        do {
            _ = try await second
            Issue.record("the joined sync did not end")
        } catch {
            #expect((error as? TidemarkError)?.code == .clientClosed)
        }
        await request.deliver()
        do {
            _ = try await first
            Issue.record("the sync did not end")
        } catch {
            #expect((error as? TidemarkError)?.code == .clientClosed)
        }
    }
}
