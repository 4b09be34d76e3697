import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Contract §8: the status of a client, over all collections.
@Suite(.timeLimit(.minutes(10))) struct ClientStatusTests: HeldClientSuite {
    let held: HeldClient

    init() throws { self.held = try HeldClient() }

    @Test func `statuses begin with the current one, and follow edits, syncs and failures`() async throws {
        var statuses = self.client.statuses.makeAsyncIterator()
        let empty = try #require(try await statuses.next())
        #expect(empty.isInSync)
        #expect(empty.outcome == nil)
        try await self.client["notes"].create(["n": 1], pk: "1")
        try await self.client["tags"].create(["n": 1], pk: "1")
        let edited = try #require(try await statuses.next())
        #expect(edited.collections.map(\.collection) == ["notes", "tags"])
        #expect(edited.unsentCount == 2)
        #expect(!edited.isInSync)

        async let report = self.client.sync(["notes"])
        let request = try await self.network.next()
        #expect(try await statuses.next()?.progress.isSyncing == true)
        request.drop()
        #expect(try await report.outcome == .unreachable)
        let failed = try #require(try await statuses.next())
        #expect(!failed.progress.isSyncing)
        #expect(failed.outcome == .unreachable)
        #expect(failed.failure?.failureClass == .offline)

        async let second = self.client.sync(["notes"])
        for _ in 1...2 { try await self.network.next().deliver() }
        #expect(try await second.outcome == .inSync)
        let last = try #require(try await statuses.next())
        #expect(last.unsentCount == 1)
        #expect(last.outcome == .inSync)
        #expect(last.failure == nil)
    }

    @Test func `a status counts the open conflicts and held records of all collections`() async throws {
        let configuration = SyncConfiguration(rules: .init(tactic: .askUser))
        let pair = try ClientPair(configuration)
        for name in ["notes", "tags"] { try await pair.phone[name].create(["n": 1], pk: "42") }
        for client in [pair.phone, pair.tablet] { _ = try await client.sync(["notes", "tags"]) }
        for name in ["notes", "tags"] {
            try await pair.phone[name]["42"].edit { $0.n = 2 }
            try await pair.tablet[name]["42"].edit { $0.n = 3 }
        }
        for client in [pair.phone, pair.tablet] { _ = try await client.sync(["notes", "tags"]) }
        var statuses = pair.tablet.statuses.makeAsyncIterator()
        let asked = try #require(try await statuses.next())
        #expect(asked.conflictCount == 2)
        #expect(asked.outcome == .conflicts)
        #expect(asked.heldCount == 0)
        try await pair.tablet["notes"].conflicts.first?.resolve(.takeServer)
        #expect(try await statuses.next()?.conflictCount == 1)
        #expect(try await pair.tablet.status.conflictCount == 1)
    }
}
