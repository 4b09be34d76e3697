import Foundation
import TestSupport
import Testing
import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

// A store that is handed over, while both clients are awake.

extension `Clients that use one store in turns` {
    @Test func `a client that waits for the store gets it, and the list of the other one shows its edit`() async throws
    {
        let app = try await self.client()
        try await app["notes"].create(["n": 1], pk: "1")
        var lists = app["notes"].observe().makeAsyncIterator()
        #expect(try await lists.next()?.records.count == 1)
        let widget = try await self.client()
        #expect(try await widget["notes"]["1"].get() == ["n": 1])
        try await widget["notes"].create(["n": 2], pk: "2")
        await widget.close()
        #expect(try await lists.next()?.records.map(\.pk) == ["1", "2"])
    }

    @Test func `a reader of changes that subscribes while the store is handed over is told what happens then`()
        async throws
    {
        let app = try await self.client()
        let widget = try await self.client()
        await eventually("the app has handed its store over") { await app.turnPhase == .away }
        let change = Task { await app["notes"].changes.first { _ in true } }
        await eventually("it has subscribed") { await app.watcherCount == 1 }
        try await widget["notes"].create(["n": 1], pk: "1")
        await widget.close()
        #expect(await change.value == .all)
    }

    @Test func `a call of a client that has handed its store over waits, and asks for it`() async throws {
        let app = try await self.client()
        let widget = try await self.client()
        for number in 0..<20 {
            try await app["notes"].create(["n": .number(.init(number))], pk: "app-\(number)")
            try await widget["notes"].create(["n": .number(.init(number))], pk: "widget-\(number)")
        }
        #expect(try await app["notes"].count(RecordQuery()) == 40)
        #expect(try await widget["notes"].count(RecordQuery()) == 40)
    }

    @Test func `a client that does not take turns is not closed by another one that waits`() async throws {
        let app = try await self.client(takesTurns: false)
        try await app["notes"].create(["n": 1], pk: "1")
        let error = await #expect(throws: TidemarkError.self) { _ = try await self.client(waiting: .milliseconds(100)) }
        #expect(error?.code == .storeBusy)
        #expect(try await app["notes"].count(RecordQuery()) == 1)
    }

    @Test func `a sync continues over a change of hands, and its report has all of it`() async throws {
        let network = PausedNetwork(InProcessRemote(self.server))
        let app = try await self.client(over: network, batchSize: 1)
        for number in 0..<3 { try await app["notes"].create(["n": .number(.init(number))], pk: "\(number)") }
        let sync = Task { try await app.sync() }
        let first = try await network.next()
        let opened = Task { try await self.client() }
        await eventually("the widget asks") { await app.turnPhase == .asked }
        await first.deliver()
        let widget = try await opened.value
        #expect(try await widget["notes"].count(RecordQuery()) == 3)
        try await widget["notes"].create(["n": 9], pk: "9")
        await widget.close()
        let rest = Task { await network.deliverAll() }
        let report = try await sync.value.collections.first
        rest.cancel()
        #expect(report?.outcome == .inSync)
        #expect(report?.pushed.sorted() == ["0", "1", "2", "9"])
    }

    @Test func `a request that takes too long ends at a change of hands, and is sent again in the same bytes`()
        async throws
    {
        let network = PausedNetwork(InProcessRemote(self.server))
        let app = try await self.client(over: network)
        try await app["notes"].create(["n": 1], pk: "1")
        let sync = Task { try await app.sync() }
        let first = try await network.next()
        let widget = try await self.client()
        #expect(try await widget["notes"].count(RecordQuery()) == 1)
        await widget.close()
        let second = try await network.next()
        #expect(second.request.uploads.map(\.encodedEdit) == first.request.uploads.map(\.encodedEdit))
        await second.deliver()
        let rest = Task { await network.deliverAll() }
        #expect(try await sync.value.collections.first?.outcome == .inSync)
        rest.cancel()
    }

    @Test func `a client that is asked for its store begins no request`() async throws {
        let network = PausedNetwork(InProcessRemote(self.server))
        let app = try await self.client(over: network, batchSize: 1)
        for number in 0..<2 { try await app["notes"].create(["n": .number(.init(number))], pk: "\(number)") }
        let sync = Task { try await app.sync() }
        let first = try await network.next()
        DatabaseTurns.ask(for: self.path)
        await eventually("the client is asked") { await app.turnPhase == .asked }
        await first.deliver()
        let second = try await network.next()
        #expect(await app.turnPhase == .holding, "the client has handed its store over, and has it again")
        await second.deliver()
        let rest = Task { await network.deliverAll() }
        #expect(try await sync.value.collections.first?.outcome == .inSync)
        rest.cancel()
    }

    @Test func `a client that has handed its store over does not open it at once`() async throws {
        let app = try await self.client()
        let began = ContinuousClock.now
        try await app["notes"].create(["n": 1], pk: "1")
        // After the shortest turn the store is handed over as soon as another client asks.
        await eventually("the shortest turn is over") { ContinuousClock.now - began > TurnMachine.shortestTurn }
        let asked = ContinuousClock.now
        DatabaseTurns.ask(for: self.path)
        await eventually("the store is handed over") { await app.turnPhase == .away }
        #expect(try await app["notes"]["1"].get() == ["n": 1])
        #expect(ContinuousClock.now - asked >= TurnMachine.pause)
    }

    @Test func `an answer to a request of a former engine is dropped`() async throws {
        let store = MemoryStore()
        let former = try SyncEngine(store: store, configuration: SyncConfiguration(), seed: 1)
        _ = try former.create(["n": 1], pk: "42", in: "notes")
        let (request, token) = try Self.sent(try former.sync("notes", now: .zero))
        let engine = try SyncEngine(
            store: store, configuration: SyncConfiguration(), seed: 1, idSeed: 2, after: former.former)
        let (again, next) = try Self.sent(try engine.sync("notes", now: .zero))
        #expect(again.uploads.map(\.requestID) == request.uploads.map(\.requestID))
        #expect(next.number == token.number, "only the number of the engine distinguishes them")
        let answer = try await InProcessRemote(self.server).exchange(request)
        #expect(try engine.receive(answer, for: token, now: .zero).isEmpty)
        #expect(try engine.snapshot(of: "42", in: "notes")?.phase == .created(.uploading))
        _ = try engine.receive(answer, for: next, now: .zero)
        #expect(try engine.snapshot(of: "42", in: "notes")?.phase == .synced)
    }

    private static func sent(_ effects: [SyncEffect]) throws -> (request: ExchangeRequest, token: ExchangeToken) {
        let sent = effects.lazy.compactMap { effect in
            if case .send(let request, let token) = effect { (request, token) } else { nil }
        }
        return try #require(sent.first)
    }

    @Test func `holders names the client that has the store`() async throws {
        let app = try await self.client()
        let own = try #require(await app.holders.first)
        #expect(own.process == ProcessInfo.processInfo.processIdentifier)
        #expect(own.program?.isEmpty == false)
        #expect(own.since ?? .zero > .seconds(1_700_000_000))
        try await app.suspend()
        #expect(await app.holders.isEmpty)
    }
}
