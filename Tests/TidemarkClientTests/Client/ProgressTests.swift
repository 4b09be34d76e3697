import CoreSupport
import Synchronization
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct ProgressTests: HeldClientSuite {
    let held: HeldClient

    /// The values that a closure was called with.
    final class Seen: Sendable {
        private let list = Mutex<[SyncStatus.Progress]>([])

        func add(_ progress: SyncStatus.Progress) { self.list.withLock { $0.append(progress) } }

        var all: [SyncStatus.Progress] { self.list.withLock { $0 } }
    }

    init() async throws {
        var configuration = SyncConfiguration()
        configuration.limits.pageSize = 2
        self.held = try HeldClient(configuration)
        let other = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(self.server), configuration: SyncConfiguration(),
            time: self.server.clock, seed: 2)
        for number in 0..<3 { try await other["notes"].create(["n": 1], pk: "\(number)") }
        _ = try await other.sync(["notes"])
    }

    @Test func `a sync reports its counts with each request, and then its end`() async throws {
        try await self.notes.create(["n": 1], pk: "42")
        let seen = Seen()
        async let report = self.client.sync(["notes"]) { seen.add($0) }
        for _ in 0..<2 { try await self.network.next().deliver() }
        _ = try await report
        #expect(seen.all.map(\.received) == [0, 2, 4], "the sent record is received as a row, too")
        #expect(seen.all.map(\.sent) == [0, 1, 1])
        #expect(seen.all.map(\.isSyncing) == [true, true, false])
        #expect(seen.all.map(\.left) == [nil, 2, 0])
        #expect(seen.all.last?.collections.map(\.collection) == ["notes"])
    }

    @Test func `a joined caller gets the progress from its current value on`() async throws {
        async let first = self.client.sync(["notes"])
        try await self.network.next().deliver()
        let second = try await self.network.next()
        let seen = Seen()
        async let joined = self.client.sync(["notes"]) { seen.add($0) }
        await eventually("the second sync has joined") { await self.client.isJoined(in: "notes") }
        #expect(seen.all.map(\.received) == [2])
        await second.deliver()
        _ = try await (first, joined)
        #expect(seen.all.map(\.received) == [2, 3])
        #expect(seen.all.last?.isSyncing == false)
    }

    @Test func `a progress stream keeps only the newest value, which counts all collections`() async throws {
        let progress = self.client.progress
        try await self.client["tags"].create(["n": 1], pk: "home")
        async let report = self.client.sync(["notes", "tags"])
        // The first request asks for the account, before any edit is sent.
        for _ in 0..<4 { try await self.network.next().deliver() }
        _ = try await report
        await self.client.close()
        var seen: [SyncStatus.Progress] = []
        for await one in progress { seen.append(one) }
        #expect(seen.count == 1)
        #expect(seen.first?.collections.map(\.received).first == 3)
        #expect(seen.first?.sent == 1)
        #expect(seen.first?.collections.map(\.collection) == ["notes", "tags"])
        for await _ in self.client.progress { Issue.record("a closed client makes no progress") }
    }

    @Test func `a new sync of a collection starts its count at zero`() async throws {
        let seen = Seen()
        for _ in 0..<2 {
            async let report = self.client.sync(["notes"]) { seen.add($0) }
            try await self.network.next().deliver()
            if seen.all.count < 3 { try await self.network.next().deliver() }
            _ = try await report
        }
        #expect(seen.all.map(\.received) == [0, 2, 3, 0, 0])
    }

    @Test func `a progress listener gets its own collections only, until its sync ends`() async throws {
        let seen = Seen()
        async let tags = self.client.sync(["tags"]) { seen.add($0) }
        try await self.network.next().deliver()
        _ = try await tags
        async let notes = self.client.sync(["notes"])
        for _ in 0..<2 { try await self.network.next().deliver() }
        _ = try await notes
        #expect(Set(seen.all.flatMap { $0.collections.map(\.collection) }) == ["tags"])
    }

    @Test func `the app is notified when a record is uploading, and when it is unconfirmed`() async throws {
        var changes = self.client["tags"].changes.makeAsyncIterator()
        try await self.client["tags"].create(["n": 1], pk: "home")
        #expect(try await changes.next()?.change?.origin == .app)
        async let lost = self.client.sync(["tags"])
        let first = try await self.network.next()
        let up = try await changes.next()?.change
        #expect(up?.origin == .upload)
        #expect(up?.phase == .created(.uploading))
        await first.dropAnswer()
        _ = try await lost
        let unknown = try await changes.next()?.change
        #expect(unknown?.origin == .upload)
        #expect(unknown?.phase == .created(.unconfirmed))
    }
}
