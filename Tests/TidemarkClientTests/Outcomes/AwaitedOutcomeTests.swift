import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct AwaitedOutcomeTests: HeldClientSuite {
    let held: HeldClient

    init() throws { self.held = try HeldClient() }

    private func waiting(_ count: Int) async {
        await eventually("\(count) outcomes are waited for") { await self.client.openWriteCount == count }
    }

    @Test func `several callers can await one outcome while syncs run`() async throws {
        try await self.notes.create(["n": 1], pk: "42")
        async let first = self.notes["42"].outcome()
        async let second = self.notes["42"].outcome()
        await self.waiting(2)
        async let report = self.client.sync(["notes"])
        let request = try await self.network.next()
        async let joined = self.client.sync(["notes"])
        await eventually("the second sync has joined") { await self.client.isJoined(in: "notes") }
        await request.deliver()
        #expect(try await first == .accepted)
        #expect(try await second == .accepted)
        #expect(try await report.outcome == .inSync)
        #expect(try await joined.outcome == .inSync)
        #expect(try await self.notes["42"].outcome() == nil, "nothing is pending any more")
    }

    @Test func `an outcome is returned once its write is settled, before the sync ends`() async throws {
        try await self.notes.create(["n": 1], pk: "42")
        async let outcome = self.notes["42"].outcome()
        await self.waiting(1)
        async let report = self.client.sync(["notes"])
        let first = try await self.network.next()
        try await self.notes["42"].edit { $0.n = 2 }
        await first.deliver()
        #expect(try await outcome == .accepted)
        let second = try await self.network.next()
        await second.deliver()
        #expect(try await report.outcome == .inSync)
    }

    @Test func `a network failure settles no write, and the next sync does`() async throws {
        try await self.notes.create(["n": 1], pk: "42")
        async let outcome = self.notes["42"].outcome()
        await self.waiting(1)
        async let failed = self.client.sync(["notes"])
        try await self.network.next().drop()
        #expect(try await failed.outcome == .unreachable)
        #expect(await self.client.openWriteCount == 1)
        async let report = self.client.sync(["notes"])
        // The GET, and then the lost POST (Contract §3.1).
        try await self.network.next().deliver()
        try await self.network.next().deliver()
        #expect(try await outcome == .accepted)
        #expect(try await report.outcome == .inSync)
    }

    @Test func `a later local change settles a write without a sync`() async throws {
        try await self.notes.create(["n": 1], pk: "42")
        async let outcome = self.notes["42"].outcome()
        await self.waiting(1)
        try await self.notes["42"].delete()
        #expect(try await outcome == .superseded)
    }

    @Test(arguments: [false, true])
    func `a cancelled wait throws, leaves no waiter, and does not change the write`(
        isCancelledFirst: Bool
    ) async throws {
        try await self.notes.create(["n": 1], pk: "42")
        let record = self.notes["42"]
        await withTaskGroup(of: Bool.self) { group in
            if isCancelledFirst { group.cancelAll() }
            group.addTask {
                do {
                    _ = try await record.outcome()
                    return false
                } catch {
                    return (error as? TidemarkError)?.code == .cancelled
                }
            }
            if !isCancelledFirst {
                await self.waiting(1)
                group.cancelAll()
            }
            #expect(await group.next() == true)
        }
        #expect(await self.client.openWriteCount == 0)
        async let report = self.client.sync(["notes"])
        try await self.network.next().deliver()
        #expect(try await report.outcome == .inSync)
    }
}
