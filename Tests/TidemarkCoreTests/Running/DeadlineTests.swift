import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Contract §10: a sync within the time that the system gives an app in the background.
@Suite(.timeLimit(.minutes(10))) struct DeadlineTests {
    @Test func `a sync waits out a back-off that ends before its deadline`() async throws {
        let stage = try RunStage()
        stage.remote.fail(.noCable)
        async let report = stage.client.sync(within: .seconds(25))
        await eventually("the deadline and the next try are waited for") { stage.clock.sleepers.count == 2 }
        stage.remote.fail(nil)
        stage.clock.advance(by: .seconds(1))
        #expect(try await report.outcome == .inSync)
        #expect(stage.clock.sleepers == [])
    }

    @Test func `a sync ends at its deadline, reports cancelled parts, and keeps finished ones`() async throws {
        let held = try HeldClient()
        let (network, client) = (held.network, held.client)
        for name in ["notes", "tags"] { try await client[name].create(["n": 1], pk: "1") }
        async let report = client.sync(within: .seconds(25))
        for _ in 1...2 {
            let request = try await network.next()
            if request.request.collection == "notes" { await request.deliver() }
        }
        try await eventually("notes are in sync") { try await client["notes"].status.isInSync }
        await eventually("the deadline is waited for") { !held.server.clock.sleepers.isEmpty }
        held.server.clock.advance(by: .seconds(25))
        let collections = try await report.collections
        #expect(collections.map(\.outcome) == [.inSync, .unreachable])
        #expect(collections.last?.failure?.failureClass == .cancelled)
        #expect(network.openCount == 0)
    }

    @Test func `a back-off beyond the deadline is not waited for`() async throws {
        let stage = try RunStage()
        stage.remote.fail(RemoteFailure(.busy, "Busy.", retryAfter: .delay(.seconds(60))))
        let report = try await stage.client.sync(within: .seconds(25))
        #expect(report.outcome == .unreachable)
        #expect(report.collections.first?.nextTry == stage.clock.now + .seconds(60))
        #expect(stage.clock.sleepers == [])
    }

    @Test func `a sync with a deadline throws cancelled when its task is cancelled`() async throws {
        let held = try HeldClient()
        let (network, client) = (held.network, held.client)
        let sync = Task { try await client.sync(["notes"], within: .seconds(25)) }
        _ = try await network.next()
        sync.cancel()
        let error = await #expect(throws: TidemarkError.self) { _ = try await sync.value }
        #expect(error?.code == .cancelled)
    }
}
