import Testing
import TidemarkCore
import TidemarkHTTP
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting

/// The final state does not depend on whether an answer arrived, over real connections (I9).
@Suite struct LostAnswerTests {
    private let server: LiveServer
    private let loser: AnswerLoser
    private let phone: SyncClient
    private let tablet: SyncClient

    init() throws {
        self.server = try LiveServer()
        self.loser = AnswerLoser(try HTTPRemote(url: self.server.url))
        self.phone = try Self.client(self.loser, seed: 1)
        self.tablet = try Self.client(try HTTPRemote(url: self.server.url), seed: 2)
    }

    private static func client(_ remote: some Remote, seed: UInt64) throws -> SyncClient {
        try SyncClient(
            store: MemoryStore(), remote: remote, configuration: SyncConfiguration(), collections: ["notes"],
            time: ManualClock(), seed: seed)
    }

    @Test(arguments: [100, 1_000, 3_000, 20_000, 200_000], [0, 1, 2])
    func `large-record-answer-lost: a deleted record stays deleted, over HTTP (I9)`(
        size: Int, losses: Int
    ) async throws {
        let pad = JSON.string(JSONString(String(repeating: "x", count: size - 40)))
        _ = try await self.phone["notes"].create(["title": "Milk", "pad": pad], pk: "42")
        #expect(try await self.phone.sync().outcome == .inSync)
        #expect(try await self.tablet.sync().outcome == .inSync)

        _ = try await self.phone["notes"]["42"].edit { $0.title = "Oat milk" }
        self.loser.lose(losses)
        for _ in 0..<losses { #expect(try await self.phone.sync().outcome == .unreachable) }
        if losses == 0 { #expect(try await self.phone.sync().outcome == .inSync) }

        #expect(try await self.tablet.sync().outcome == .inSync)
        #expect(try await self.tablet["notes"]["42"].get()?.title == "Oat milk")
        _ = try await self.tablet["notes"]["42"].delete()
        #expect(try await self.tablet.sync().outcome == .inSync)

        #expect(try await self.phone.sync().outcome == .inSync)
        #expect(try await self.tablet.sync().outcome == .inSync)
        let left = [try await self.phone["notes"]["42"].get(), try await self.tablet["notes"]["42"].get()]
        #expect(left == [nil, nil])
    }
}
