import CoreSupport
import Synchronization
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct EventTests {
    /// The events that a handler was called with.
    private final class Seen: Sendable {
        private let list = Mutex<[SyncConfiguration.Event]>([])

        func add(_ event: SyncConfiguration.Event) { self.list.withLock { $0.append(event) } }

        var all: [SyncConfiguration.Event] { self.list.withLock { $0 } }

        var kinds: [SyncConfiguration.Event.Kind] { self.all.map(\.kind) }

        /// The events since the last call of it.
        func takeAll() -> [SyncConfiguration.Event] {
            self.list.withLock { list in
                defer { list = [] }
                return list
            }
        }
    }

    private let seen = Seen()
    private let server: InProcessServer
    private let phone: SyncClient
    private let tablet: SyncClient

    /// Pages are larger than the number of changes that the app is notified of one by one.
    private static let pageSize = 2 * CollectionChange.limit

    init() throws {
        var limits = ServerLimits()
        limits.page = Self.pageSize
        let server = try InProcessServer(tokens: ["secret"], limits: limits)
        self.server = server
        self.phone = try Self.client(InProcessRemote(server, token: "secret"), server, self.seen)
        self.tablet = try Self.client(InProcessRemote(server, token: "secret"), server, nil)
    }

    private static func client(
        _ remote: some Remote, _ server: InProcessServer, _ seen: Seen?
    ) throws -> SyncClient {
        var configuration = SyncConfiguration(rules: CollectionRules(tactic: .askUser))
        configuration.limits.pageSize = Self.pageSize
        if let seen { configuration.onEvent = { seen.add($0) } }
        return try SyncClient(
            store: MemoryStore(), remote: remote, configuration: configuration, time: server.clock,
            seed: seen == nil ? 2 : 1)
    }

    /// Gives both devices the record “42”.
    private func share() async throws {
        try await self.phone["notes"].create(["n": 1], pk: "42")
        for client in [self.phone, self.tablet, self.phone] { _ = try await client.sync(["notes"]) }
        _ = self.seen.takeAll()
    }

    /// Changes the same field on both devices; the tablet's change is sent.
    private func conflict() async throws {
        try await self.share()
        try await self.tablet["notes"]["42"].edit { $0.n = 2 }
        _ = try await self.tablet.sync(["notes"])
        try await self.phone["notes"]["42"].edit { $0.n = 3 }
    }

    @Test func `a sync begins and ends with an event, with its totals`() async throws {
        try await self.phone["notes"].create(["n": 1], pk: "42")
        #expect(self.seen.all.isEmpty)
        _ = try await self.phone.sync(["notes"])
        let events = self.seen.takeAll()
        #expect(events.map(\.kind) == [.syncStarted, .syncEnded])
        #expect(events.allSatisfy { $0.collection == "notes" && $0.time == self.server.clock.now })
        let totals = try #require(events.last?.totals)
        #expect(totals.outcome == .inSync)
        #expect(totals.sent == 1)
        #expect(totals.requests > 0)
        #expect(events.last?.failure == nil)
    }

    @Test func `a conflict is an event before the end of the sync, with its number`() async throws {
        try await self.conflict()
        _ = try await self.phone.sync(["notes"])
        let events = self.seen.takeAll()
        #expect(events.map(\.kind) == [.syncStarted, .conflict, .syncEnded])
        #expect(events.compactMap(\.number) == [1])
        #expect(events.last?.totals?.outcome == .conflicts)
        #expect(events.last?.totals?.conflicts == 1)
        #expect("\(events[1])" == "conflict of notes: 1")
    }

    @Test func `a conflict within a page of many changes is an event, too`() async throws {
        try await self.conflict()
        for number in 0...CollectionChange.limit { try await self.tablet["notes"].create(["n": 1], pk: "\(number)x") }
        _ = try await self.tablet.sync(["notes"])
        let changes = self.phone["notes"].changes
        _ = try await self.phone.sync(["notes"])
        await self.phone.close()
        var conflicts = 0
        for await change in changes where change.change?.origin == .conflict { conflicts += 1 }
        try #require(conflicts == 0, "the changes of the page are one change")
        #expect(self.seen.kinds == [.syncStarted, .conflict, .syncEnded])
    }

    @Test func `a refused record is a held event`() async throws {
        let network = PausedNetwork(InProcessRemote(self.server, token: "secret"))
        let client = try Self.client(network, self.server, self.seen)
        try await client["notes"].create(["n": 1], pk: "1")
        async let report = client.sync(["notes"])
        var post = try await network.next()
        while post.request.uploads.isEmpty {
            await post.deliver()
            post = try await network.next()
        }
        let upload = try #require(post.request.uploads.first)
        guard case .success(var answer) = await post.reachServer() else { throw Trouble("the server did not answer") }
        answer.results = [
            UploadResult(
                requestID: upload.requestID,
                outcome: .refused(ProblemDetails(status: 422, title: "The secret is 1234")))
        ]
        answer.page = .empty
        post.answer(with: .success(answer))
        _ = try await report
        let events = self.seen.takeAll()
        #expect(events.map(\.kind) == [.syncStarted, .held, .syncEnded])
        #expect(events[1].number == 1)
        #expect(!events.contains { "\($0)".contains("1234") }, "an event has no text of the server")
    }

    @Test func `rejected credentials pause once, and the next success resumes`() async throws {
        try await self.share()
        try await self.phone.renew(remote: InProcessRemote(self.server, token: "old"))
        _ = try await self.phone.sync(["notes"])
        let paused = self.seen.takeAll()
        #expect(paused.map(\.kind) == [.syncStarted, .paused, .syncEnded])
        #expect(paused.dropFirst().allSatisfy { $0.failure == .auth && $0.status == 401 })
        _ = try await self.phone.sync(["notes"])
        #expect(self.seen.takeAll().map(\.kind) == [.syncStarted, .syncEnded])
        try await self.phone.renew(remote: InProcessRemote(self.server, token: "secret"))
        _ = try await self.phone.sync(["notes"])
        #expect(self.seen.takeAll().map(\.kind) == [.syncStarted, .resumed, .syncEnded])
    }

    @Test func `a server that was rolled back is an event, with the number of lost values`() async throws {
        try await self.share()
        let backup = try self.server.backup()
        try await self.phone["notes"]["42"].edit { $0.n = 2 }
        _ = try await self.phone.sync(["notes"])
        _ = self.seen.takeAll()
        let restored = try InProcessServer(backup, clock: self.server.clock, tokens: ["secret"], run: "run-2")
        try await self.phone.renew(remote: InProcessRemote(restored, token: "secret"))
        _ = try await self.phone.sync(["notes"])
        let events = self.seen.takeAll()
        #expect(events.map(\.kind) == [.syncStarted, .rolledBack, .syncEnded])
        #expect(events[1].number == 1)
    }

    @Test func `a sync that ends without a report has an event with the code of the error`() async throws {
        let network = PausedNetwork(InProcessRemote(self.server, token: "secret"))
        let client = try Self.client(network, self.server, self.seen)
        async let report = client.sync(["notes"])
        let request = try await network.next()
        await client.close()
        await request.deliver()
        do {
            _ = try await report
            Issue.record("the sync did not end")
        } catch {
            #expect((error as? TidemarkError)?.code == .clientClosed)
        }
        #expect(self.seen.kinds == [.syncStarted, .syncEnded])
        #expect(self.seen.all.last?.error == .clientClosed)
        #expect(self.seen.all.last?.totals == nil)
    }

    @Test func `the run loop's begin and end are events`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.phone.run(RunPlan(), connectivity: AsyncStream { $0.yield(false) }) }
            await eventually("the loop has begun") { self.seen.kinds == [.runStarted] }
            group.cancelAll()
            try await group.waitForAll()
        }
        #expect(self.seen.kinds == [.runStarted, .runEnded])
        #expect(self.seen.all.allSatisfy { $0.collection == nil })
    }

    @Test func `an event prints its kind, its collection, its failure and its totals`() {
        var event = SyncConfiguration.Event(.syncEnded, of: "notes", time: .zero)
        event.totals = SyncConfiguration.Event.Totals(.unreachable)
        event.totals?.sent = 2
        event.failure = .busy
        event.status = 503
        #expect(
            "\(event)"
                == "syncEnded of notes: unreachable, busy (503); sent 2, received 0, merged 0, conflicts 0, held 0")
        #expect("\(SyncConfiguration.Event(.runEnded, time: .zero))" == "runEnded")
    }
}
