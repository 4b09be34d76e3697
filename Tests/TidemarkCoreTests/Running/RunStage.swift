import TestSupport
import Testing
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

/// A server and a running client, under one manual clock.
struct RunStage: Sendable {
    let server: InProcessServer
    let remote: SwitchedRemote
    let client: SyncClient
    let paths: AsyncStream<Bool>
    let path: AsyncStream<Bool>.Continuation

    var clock: ManualClock { self.server.clock }

    /// - Parameter hints: The source of hints; nil for no hints.
    init(
        _ server: InProcessServer? = nil, store: sending MemoryStore = MemoryStore(), seed: UInt64 = 1,
        collections: [String] = ["notes"], hints: (any Remote)? = nil
    ) throws {
        let server = try server ?? InProcessServer()
        var configuration = SyncConfiguration()
        for name in collections { configuration[name] = CollectionRules() }
        (self.paths, self.path) = AsyncStream.makeStream(of: Bool.self)
        self.server = server
        self.remote = SwitchedRemote(server, hints: hints)
        self.client = try SyncClient(
            store: store, remote: self.remote, configuration: configuration, time: server.clock, seed: seed)
    }

    /// Performs a closure while the client runs, and then ends the run.
    func running(_ plan: RunPlan = RunPlan(), _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.client.run(plan, connectivity: self.paths) }
            defer { group.cancelAll() }
            try await body()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// Waits until the client's status meets a condition.
    func until(_ condition: (SyncStatus) -> Bool) async throws {
        try await eventually("the client has the expected status") {
            try await condition(self.client.status)
        } seeing: {
            "\(try await self.client.status); the clock is at \(self.clock.now), waited for are \(self.clock.sleepers)"
        }
    }

    /// Waits until a collection is in a phase of the run loop, and the clock has its alarm. A client that listens for hints may
    /// have an earlier alarm: the time when the server counts as silent, or when the client listens again.
    func until(_ phase: RunPhase, _ collection: String = "notes") async throws {
        try await self.until { status in
            let run = status.run?.collections.first { $0.collection == collection }
            let isSet = run?.next.map { next in
                self.clock.sleepers.contains { $0 == next || (self.remote.hasHints && $0 < next) }
            }
            return run?.phase == phase && isSet ?? true
        }
    }

    /// Waits until a record is here.
    func sees(_ pk: String) async throws {
        try await eventually("\(pk) is here") { try await self.client["notes"][pk].get() != nil }
    }

    /// Creates a record, and moves the clock so that it is sent.
    func sends(_ pk: String) async throws {
        try await self.client["notes"].create(["n": 1], pk: pk)
        try await self.until(.due)
        self.clock.advance(by: .milliseconds(500))
        try await self.until { $0.unsentCount == 0 }
    }

    /// Waits until the loop has no work left, and waits for an alarm.
    func settle() async throws {
        try await self.until { status in
            let next = status.run?.collections.compactMap(\.next).min()
            let isSyncing = status.run?.collections.contains { $0.phase == .syncing } ?? true
            return !isSyncing && next.map { self.clock.sleepers.contains($0) } ?? false
        }
    }

    /// Moves the clock to the next alarm.
    ///
    /// - Throws: If the test has exceeded its time limit: a loop that waits would not end.
    func wait() async throws {
        try Task.checkCancellation()
        await eventually("an alarm is set") { !self.clock.sleepers.isEmpty }
        if let next = self.clock.sleepers.first { self.clock.set(to: max(next, self.clock.now)) }
    }

    /// The server's content of a record.
    func served(_ pk: String, _ collection: String = "notes") async throws -> [UInt8]? {
        let reader = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(self.server), configuration: SyncConfiguration(),
            time: self.clock, seed: 9)
        _ = try await reader.sync([collection])
        return try await reader[collection][pk].snapshot()?.raw.content
    }
}
