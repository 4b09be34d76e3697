import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkServer
import TidemarkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Forgetting a collection` {
    let server: InProcessServer
    let store = MemoryStore()

    init() throws {
        self.server = try InProcessServer()
    }

    private func client() throws -> SyncClient {
        try SyncClient(
            store: MemoryStore(snapshot: self.store.snapshot), remote: InProcessRemote(self.server),
            configuration: SyncConfiguration(), time: self.server.clock, seed: 1)
    }

    @Test func `a forgotten collection leaves the store, and the server keeps its rows`() async throws {
        let client = try self.client()
        try await client["notes"].create(["n": 1], pk: "1")
        try await client["tags"].create(["n": 2], pk: "2")
        _ = try await client.sync()
        try await client["notes"].forget()
        #expect(try await client.collectionNames == ["tags"])
        #expect(try await client["notes"]["1"].snapshot() == nil)
        #expect(try await client["tags"]["2"].get() == ["n": 2])
        let report = try await client.sync(["notes"])
        #expect(report.collections.first?.pulled == 1)
        #expect(try await client["notes"]["1"].get() == ["n": 1])
    }

    @Test(arguments: ["create", "edit", "delete"])
    func `a collection with unsent changes can't be forgotten, which the error names`(change: String) async throws {
        let client = try self.client()
        let notes = client["notes"]
        try await notes.create(["n": 1], pk: "first")
        _ = try await client.sync()
        switch change {
        case "create": try await notes.create(["n": 2], pk: "second")
        case "edit": try await notes["first"].edit { $0.n = 2 }
        default: try await notes["first"].delete()
        }
        let error = await #expect(throws: TidemarkError.self) { try await notes.forget() }
        #expect(error?.code == .unsentChanges)
        let name = change == "create" ? "second is CREATED.idle" : "first is \(change.uppercased())"
        #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
        #expect(try await client.collectionNames == ["notes"])
        _ = try await client.sync()
        try await notes.forget()
        #expect(try await client.collectionNames == [])
    }

    @Test func `a collection can't be forgotten during its sync`() async throws {
        let held = try HeldClient()
        let (network, client) = (held.network, held.client)
        async let report = client.sync(["notes"])
        let request = try await network.next()
        let error = await #expect(throws: TidemarkError.self) { try await client["notes"].forget() }
        #expect(error?.code == .collectionInUse)
        await request.deliver()
        #expect(try await report.outcome == .inSync)
    }
}
