import Synchronization
import TestSupport
import Testing
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

/// A server's remote whose exchanges are counted and may fail, and whose hints may come through a network in the test's hand.
final class HintedRemote: Remote {
    private let server: InProcessRemote
    private let network: HeldNetwork?
    private let state = Mutex((count: 0, failure: RemoteFailure?.none))

    init(_ server: InProcessServer, network: HeldNetwork? = nil) {
        self.server = InProcessRemote(server)
        self.network = network
    }

    var count: Int { self.state.withLock(\.count) }

    func fail(_ failure: RemoteFailure?) { self.state.withLock { $0.failure = failure } }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let failure = self.state.withLock { state in
            state.count += 1
            return state.failure
        }
        if let failure { throw failure }
        return try await self.server.exchange(request)
    }

    func hints(
        for collections: [String], hear: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> HintsEnd {
        if let failure = self.state.withLock(\.failure) { throw failure }
        guard let network else { return try await self.server.hints(for: collections, hear: hear) }
        return try await network.hints(for: collections, hear: hear)
    }
}

/// A device that runs and listens, under the server's clock.
struct HintStage: Sendable {
    let clock: ManualClock
    let remote: HintedRemote
    let client: SyncClient

    init(_ server: InProcessServer, network: HeldNetwork? = nil, seed: UInt64 = 1) throws {
        var configuration = SyncConfiguration()
        configuration["notes"] = CollectionRules()
        self.clock = server.clock
        self.remote = HintedRemote(server, network: network)
        self.client = try SyncClient(
            store: MemoryStore(), remote: self.remote, configuration: configuration, time: server.clock, seed: seed)
    }

    /// Does something while the client runs, and lets that end.
    func running(_ plan: RunPlan = RunPlan(), _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.client.run(plan, connectivity: AsyncStream<Bool> { _ in }) }
            defer { group.cancelAll() }
            try await body()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// Waits until the client stands like this.
    func until(_ condition: (ClientStatus) -> Bool) async throws {
        try await eventually("the client stands as it should") {
            try await condition(self.client.status)
        } seeing: {
            "\(try await self.client.status)"
        }
    }

    func until(_ phase: RunPhase) async throws {
        try await self.until { $0.run?.collections.first { $0.collection == "notes" }?.phase == phase }
    }

    /// Waits until a record is here.
    func sees(_ pk: String) async throws {
        try await eventually("\(pk) is here") { try await self.client["notes"][pk].get() != nil }
    }

    /// An edit, sent when its time has come.
    func sends(_ pk: String) async throws {
        try await self.client["notes"].create(["n": 1], pk: pk)
        try await self.until(.due)
        self.clock.advance(by: .milliseconds(500))
        try await self.until { $0.unsentCount == 0 }
    }
}
