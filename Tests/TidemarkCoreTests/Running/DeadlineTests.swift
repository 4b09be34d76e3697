import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// SPEC §10: a sync in the time that a system gives an app in the background.
@Suite(.timeLimit(.minutes(2))) struct DeadlineTests {
    @Test func `a sync with a deadline waits out a back-off that ends before`() async throws {
        let stage = try RunStage()
        stage.remote.fail(.noCable)
        async let report = stage.client.sync(until: stage.clock.now + .seconds(25))
        await eventually("the deadline and the next try are waited for") { stage.clock.sleepers.count == 2 }
        stage.remote.fail(nil)
        stage.clock.advance(by: .seconds(1))
        #expect(try await report.outcome == .inStep)
        #expect(stage.clock.sleepers == [])
    }

    @Test func `at its deadline a sync ends, says what was cut off, and keeps what was done`() async throws {
        let held = try HeldClient()
        let (network, client) = (held.network, held.client)
        for name in ["notes", "tags"] { try await client[name].create(["n": 1], pk: "1") }
        async let report = client.sync(until: held.server.clock.now + .seconds(25))
        for _ in 1...2 {
            let request = try await network.next()
            if request.request.collection == "notes" { await request.deliver() }
        }
        try await eventually("notes are in step") { try await client["notes"].status.isInStep }
        await eventually("the deadline is waited for") { !held.server.clock.sleepers.isEmpty }
        held.server.clock.advance(by: .seconds(25))
        let collections = try await report.collections
        #expect(collections.map(\.outcome) == [.inStep, .unreachable])
        #expect(collections.last?.failure?.failureClass == .cancelled)
        #expect(network.openCount == 0)
    }

    @Test func `a back-off beyond the deadline is not waited for`() async throws {
        let stage = try RunStage()
        stage.remote.fail(RemoteFailure(.busy, "Busy.", retryAfter: .delay(.seconds(60))))
        let report = try await stage.client.sync(until: stage.clock.now + .seconds(25))
        #expect(report.outcome == .unreachable)
        #expect(report.collections.first?.nextTry == stage.clock.now + .seconds(60))
        #expect(stage.clock.sleepers == [])
    }

    @Test func `who cancels a sync with a deadline is told so`() async throws {
        let held = try HeldClient()
        let (network, client) = (held.network, held.client)
        let sync = Task { try await client.sync(["notes"], until: held.server.clock.now + .seconds(25)) }
        _ = try await network.next()
        sync.cancel()
        let error = await #expect(throws: TidemarkError.self) { _ = try await sync.value }
        #expect(error?.code == .cancelled)
    }
}
