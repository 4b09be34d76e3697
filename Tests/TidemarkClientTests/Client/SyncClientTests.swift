import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct SyncClientTests: HeldClientSuite {
    let held: HeldClient

    struct Note: Codable, Equatable {
        var title: String
        var tags: [String]?
    }

    init() throws { self.held = try HeldClient() }

    private func another(tactic: some Tactic = .autoMerge) throws -> SyncClient {
        try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(self.server),
            configuration: SyncConfiguration(rules: .init(tactic: tactic)), time: self.server.clock, seed: 2)
    }

    /// Syncs in one exchange, over a network that works.
    private func sync() async throws -> SyncReport {
        async let report = self.client.sync(["notes"])
        try await self.network.next().deliver()
        return try await report
    }

    @Test func `an edit succeeds offline`() async throws {
        try await self.notes.create(["title": "Milk", "tags": ["home"]], pk: "42")
        try await self.notes["42"].edit { $0.title = "Oat milk" }
        #expect(try await self.notes["42"].get() == ["title": "Oat milk", "tags": ["home"]])
        #expect(try await self.notes["42"].snapshot()?.phase == .created(.idle))
    }

    @Test func `a sync sends a new record, and a second device gets it`() async throws {
        try await self.notes.create(["title": "Milk"], pk: "42")
        let report = try await self.sync()
        #expect(report.outcome == .inSync)
        #expect(report.collections.first?.pushed == ["42"])
        let tablet = try self.another()
        let pulled = try await tablet.sync(["notes"])
        #expect(pulled.collections.first?.pulled == 1)
        #expect(try await tablet["notes"]["42"].get() == ["title": "Milk"])
    }

    @Test func `an edit during a POST returns at once and is sent next`() async throws {
        try await self.notes.create(["title": "Milk"], pk: "42")
        async let report = self.client.sync(["notes"])
        let first = try await self.network.next()
        try await self.notes["42"].edit { $0.title = "Oat milk" }
        await first.deliver()
        let second = try await self.network.next()
        #expect(second.request.uploads.count == 1)
        await second.deliver()
        #expect(try await report.outcome == .inSync)
        let tablet = try self.another()
        _ = try await tablet.sync(["notes"])
        #expect(try await tablet["notes"]["42"].get() == ["title": "Oat milk"])
    }

    @Test func `a second sync joins the first, and both use the same exchange`() async throws {
        async let first = self.client.sync(["notes"])
        let request = try await self.network.next()
        async let second = self.client.sync(["notes"])
        await eventually("the second sync has joined") { await self.client.isJoined(in: "notes") }
        await request.deliver()
        let (one, other) = (try await first, try await second)
        #expect(one.outcome == .inSync)
        #expect(other.collections.first?.requests == 1)
    }

    @Test func `an edit through an app's type leaves other members unchanged`() async throws {
        let text = #"{"title":"Milk","price":1.10,"tags":["home"]}"#
        try await self.notes.create(try JSON(parsing: text), pk: "42")
        try await self.notes["42"].of(Note.self).edit { $0.title = "Oats" }
        #expect(try await self.notes["42"].of(Note.self).get() == Note(title: "Oats", tags: ["home"]))
        let view = try #require(try await self.notes["42"].snapshot()?.raw.content)
        #expect(String(decoding: view, as: UTF8.self) == #"{"title":"Oats","price":1.10,"tags":["home"]}"#)
    }

    @Test func `a member that an app's type sets to nil is removed`() async throws {
        try await self.notes.of(Note.self).create(Note(title: "Milk", tags: ["home"]), pk: "42")
        try await self.notes["42"].of(Note.self).edit { $0.tags = nil }
        #expect(try await self.notes["42"].get() == ["title": "Milk"])
    }

    @Test func `changes name their origin: the app, an upload, the server or a merge`() async throws {
        var changes = self.notes.changes.makeAsyncIterator()
        try await self.notes.create(["title": "Milk", "n": 1], pk: "42")
        #expect(try await changes.next()?.change?.origin == .app)
        _ = try await self.sync()
        #expect(try await changes.next()?.change?.origin == .upload)
        #expect(try await changes.next()?.change?.origin == .server)
        let tablet = try self.another()
        _ = try await tablet.sync(["notes"])
        try await tablet["notes"]["42"].edit { $0.n = 2 }
        _ = try await tablet.sync(["notes"])
        try await self.notes["42"].edit { $0.title = "Oat milk" }
        #expect(try await changes.next()?.change?.phase == .edited(.idle))
        async let report = self.client.sync(["notes"])
        try await self.network.next().deliver()
        #expect(try await changes.next()?.change?.origin == .upload)
        #expect(try await changes.next()?.change?.origin == .merge)
        try await self.network.next().deliver()
        #expect(try await report.outcome == .inSync)
    }

    @Test func `an open conflict is resolved through its handle, once`() async throws {
        try await self.notes.create(["title": "Milk"], pk: "42")
        _ = try await self.sync()
        let tablet = try self.another(tactic: .askUser)
        _ = try await tablet.sync(["notes"])
        try await self.notes["42"].edit { $0.title = "Oat milk" }
        _ = try await self.sync()
        try await tablet["notes"]["42"].edit { $0.title = "Soy milk" }
        #expect(try await tablet.sync(["notes"]).outcome == .conflicts)
        let conflict = try #require(try await tablet["notes"].conflicts.first)
        #expect(conflict.conflict.clashes.count == 1)
        try await conflict.resolve(.takeServer)
        #expect(try await tablet["notes"]["42"].get() == ["title": "Oat milk"])
        let error = await #expect(throws: TidemarkError.self) { try await conflict.resolve(.takeClient) }
        #expect(error?.code == .nothingToDecide)
        #expect(try await tablet["notes"].journal.count == 1)
    }

    @Test func `a caller's mistake is thrown with its error code`() async throws {
        func code(_ body: () async throws -> Void) async -> TidemarkError.Code? {
            await #expect(throws: TidemarkError.self) { try await body() }?.code
        }
        #expect(await code { try await self.notes["no"].edit { $0.a = 1 } } == .noSuchRecord)
        #expect(await code { try await self.notes["no"].delete() } == .noSuchRecord)
        #expect(await code { try await self.notes["no"].retry() } == .nothingToDecide)
        #expect(await code { try await self.notes.create([1, 2]) } == .invalidContent)
        #expect(await code { try await self.notes.create([:], pk: "") } == .invalidName)
        try await self.notes.create([:], pk: "42")
        #expect(await code { try await self.notes.create([:], pk: "42") } == .recordExists)
        #expect(await code { try await self.notes["42"].edit { $0 = .null } } == .invalidContent)
        let patch = try JSONPatch(parsing: #"[{"op":"remove","path":"/nothing"}]"#)
        #expect(await code { try await self.notes["42"].edit(patch) } == .patchFailed)
        #expect(await code { try await self.notes.restore(9) } == .noSuchEntry)
    }

    @Test func `explain() gives the reason and the next step in words`() async throws {
        #expect(try await self.notes["42"].explain().why == "There is no such record here.")
        try await self.notes.create(["title": "Milk"], pk: "42")
        let created = try await self.notes["42"].explain()
        #expect(created.phase == .created(.idle))
        #expect(created.why == "It was made here and not sent yet.")
        async let report = self.client.sync(["notes"])
        try await self.network.next().dropAnswer()
        _ = try await report
        let unknown = try await self.notes["42"].explain()
        #expect(unknown.phase == .created(.unconfirmed))
        #expect(unknown.next.hasPrefix("The same bytes are sent again"))
    }

    @Test func `a store failure during a sync is thrown, and the next sync succeeds`() async throws {
        let store = MemoryStore()
        try store.transaction { () throws(TidemarkError) in try store.set("n", to: "1") }
        store.failNextWrite(after: 3, with: TidemarkError(.storeFull, "The disk is full."))
        let client = try SyncClient(
            store: store, remote: InProcessRemote(self.server), configuration: SyncConfiguration(),
            time: self.server.clock, seed: 3)
        try await client["notes"].create(["title": "Milk"], pk: "42")
        let error = await #expect(throws: TidemarkError.self) { _ = try await client.sync(["notes"]) }
        #expect(error?.code == .storeFull)
        #expect(try await client.sync(["notes"]).outcome == .inSync)
    }

    @Test func `syncWaiting waits out a back-off on the clock that it was given`() async throws {
        async let report = self.client.syncWaiting(["notes"])
        try await self.network.next().fail(RemoteFailure(.busy, "not now", retryAfter: .delay(.seconds(30))))
        await eventually("the next try is waited for") { !self.server.clock.sleepers.isEmpty }
        self.server.clock.advance(by: .seconds(31))
        try await self.network.next().deliver()
        #expect(try await report.outcome == .inSync)
    }

    @Test func `syncWaiting waits for the later of two collections' next tries (C53)`() async throws {
        let start = self.server.clock.now
        async let report = self.client.syncWaiting(["notes", "tags"])
        for seconds in [30, 90] {
            let failure = RemoteFailure(.busy, "not now", retryAfter: .delay(.seconds(seconds)))
            try await self.network.next().fail(failure)
        }
        await eventually("the next try is waited for") { !self.server.clock.sleepers.isEmpty }
        #expect(self.server.clock.sleepers == [start + .seconds(90)])
        self.server.clock.advance(by: .seconds(91))
        for _ in 1...2 { try await self.network.next().deliver() }
        #expect(try await report.outcome == .inSync)
    }

    @Test func `syncWaiting waits as long as the server's answer asks, and then continues`() async throws {
        async let report = self.client.syncWaiting(["notes"])
        let first = try await self.network.next()
        var answer = try await first.reachServer().get()
        answer.hasMore = true
        answer.wait = .seconds(30)
        first.answer(with: .success(answer))
        await eventually("the next try is waited for") { !self.server.clock.sleepers.isEmpty }
        #expect(self.network.waitingCount == 0, "no request is sent before")
        self.server.clock.advance(by: .seconds(31))
        try await self.network.next().deliver()
        #expect(try await report.outcome == .inSync)
    }
}
