import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A network that loses and doubles messages` {
    private let server: InProcessServer
    private let network: PausedNetwork

    init() throws {
        self.server = try InProcessServer()
        self.network = PausedNetwork(InProcessRemote(self.server))
    }

    private func client(_ seed: UInt64, collections: [String]? = nil) throws -> SyncClient {
        var configuration = SyncConfiguration()
        configuration["notes"].fields = try FieldRules([("/count", .sum)])
        configuration.limits.pageSize = 3
        return try SyncClient(
            store: MemoryStore(), remote: self.network, configuration: configuration, time: self.server.clock,
            seed: seed)
    }

    /// The counts of the records on the server.
    private var counts: [Int] {
        get throws {
            let request = ExchangeRequest(collection: "notes", cursor: nil, limit: 100)
            let page = try InProcessRemote(self.server).exchangeNow(request).page
            return try page.rows.compactMap { try JSON(parsing: try #require(page.version(of: $0).data)).count?.int }
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `two clients settle with the same records, and each addition counts once`(seed: UInt64) async throws {
        async let _ = self.network.deliverAll(losing: 0.25, doubling: 0.25, seed: seed)
        let clients = [try self.client(1), try self.client(2)]
        for number in 0..<5 { try await clients[0]["notes"].create(["count": 1], pk: "\(number)") }
        try await clients[0].settled(advancing: self.server.clock)
        try await clients[1]["notes"].create(["count": 1], pk: "5")
        try await clients[1].settled(advancing: self.server.clock)
        for client in clients {
            for number in 0..<6 where try await client["notes"]["\(number)"].get() != nil {
                try await client["notes"]["\(number)"].edit { $0.count = JSON(($0.count?.int ?? 0) + 1) }
            }
        }
        for client in clients + clients { try await client.settled(advancing: self.server.clock) }
        let (first, second) = (try await clients[0]["notes"].list(), try await clients[1]["notes"].list())
        #expect(try first.map { try $0.content } == second.map { try $0.content })
        #expect(first.map(\.phase) == Array(repeating: .synced, count: 6))
        // The first client did not know the sixth record yet.
        #expect(try self.counts.sorted() == [2, 3, 3, 3, 3, 3])
    }

    @Test func `the same seed loses the same messages, and another seed others`() async throws {
        var times: [UInt64: Set<Duration>] = [:]
        for seed in [1, 2, 3] as [UInt64] {
            for _ in 0..<2 {
                let server = try InProcessServer()
                let network = PausedNetwork(InProcessRemote(server))
                let client = try SyncClient(
                    store: MemoryStore(), remote: network, configuration: SyncConfiguration(), time: server.clock,
                    seed: 1)
                async let _ = network.deliverAll(losing: 0.5, doubling: 0.25, seed: seed)
                for number in 0..<5 {
                    try await client["notes"].create(["n": 1], pk: "\(number)")
                    try await client.settled(advancing: server.clock)
                }
                times[seed, default: []].insert(server.clock.now)
            }
        }
        #expect(times.values.allSatisfy { $0.count == 1 }, "\(times)")
        #expect(Set(times.values).count > 1, "\(times)")
    }

    @Test func `a doubled request reaches the server twice, and counts once`() async throws {
        async let _ = self.network.deliverAll(losing: 0, doubling: 1, seed: 1)
        let client = try self.client(1)
        try await client["notes"].create(["count": 1], pk: "1")
        _ = try await client.sync()
        try await client["notes"]["1"].edit { $0.count = 3 }
        #expect(try await client.sync().outcome == .inSync)
        #expect(try self.counts == [3])
    }

    @Test func `settled throws after its syncs if all messages are lost, and names the record`() async throws {
        async let _ = self.network.deliverAll(losing: 1, doubling: 0, seed: 1)
        let client = try self.client(1)
        try await client["notes"].create(["count": 1], pk: "42")
        let start = self.server.clock.now
        let error = await #expect(throws: TestDeadlineError.self) {
            try await client.settled(advancing: self.server.clock, syncs: 5)
        }
        let text = try #require(error?.description)
        let expected = "The client was not settled after 5 syncs. Failures of the last sync: “notes”: "
        #expect(text.hasPrefix(expected), "\(text)")
        #expect(text.hasSuffix("Unsettled: “42” in notes is CREATED.unconfirmed."), "\(text)")
        #expect(self.server.clock.now - start > .seconds(3), "the clock moved to each next try")
    }

    @Test func `a request beyond the limit of the network fails with the limit`() async throws {
        async let _ = self.network.deliverAll(losing: 0, doubling: 0, seed: 1, requests: 1)
        let client = try self.client(1)
        #expect(try await client.sync(["notes"]).outcome == .inSync)
        let report = try await client.sync(["notes"])
        #expect(report.outcome == .unreachable)
        let message = try #require(report.collections.first?.failure?.message)
        #expect(message.contains("has carried 1 requests, its limit"), "\(message)")
    }

    @Test func `settled refuses a clock that is not the client's`() async throws {
        let error = await #expect(throws: TestDeadlineError.self) {
            try await self.client(1).settled(advancing: ManualClock())
        }
        #expect(error?.description.contains("another clock") == true)
    }

    @Test func `settled moves the clock for a client that runs, and a closed client is settled`() async throws {
        async let _ = self.network.deliverAll(losing: 0.25, doubling: 0.25, seed: 7)
        let client = try self.client(1)
        let running = Task { try await client.run(RunPlan(), connectivity: AsyncStream { _ in }) }
        try await client["notes"].create(["count": 1], pk: "42")
        try await client.settled(advancing: self.server.clock)
        #expect(try await client["notes"]["42"].snapshot()?.phase == .synced)
        running.cancel()
        try await running.value
        await client.close()
        try await client.settled(advancing: self.server.clock)
    }

    @Test func `shares of messages that are more than 1 together trap`() async {
        await #expect(processExitsWith: .failure) {
            let network = PausedNetwork(InProcessRemote(try InProcessServer()))
            await network.deliverAll(losing: 0.75, doubling: 0.5, seed: 1)
        }
    }
}
