import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct JoinedSyncTests {
    @Test func `a sync that ends with a full disk throws in joined callers, too`() async throws {
        let store = MemoryStore()
        // Each sync begins with a transaction whose only write is its commit; the third write is the answer's first.
        store.failNextWrite(after: 2, with: TidemarkError(.storeFull, "The disk is full."))
        let held = try HeldClient(store: store)
        let (network, client) = (held.network, held.client)
        async let first = Result { try await client.sync(["notes"]) }
        let request = try await network.next()
        async let second = Result { try await client.sync(["notes"]) }
        await eventually("the second sync has joined") { await client.isJoined(in: "notes") }
        await request.deliver()
        for result in [await first, await second] {
            let error = #expect(throws: TidemarkError.self) { try result.get() }
            #expect(error?.code == .storeFull)
        }
        async let third = client.sync(["notes"])
        try await network.next().deliver()
        #expect(try await third.outcome == .inSync)
    }
}

extension Result where Failure == any Error {
    /// The result of an asynchronous closure.
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
