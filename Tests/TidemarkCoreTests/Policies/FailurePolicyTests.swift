import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct FailurePolicyTests {
    private func scenario(_ change: (inout FailurePolicies) -> Void) throws -> SyncScenario {
        var configuration = SyncConfiguration()
        change(&configuration.policies)
        let scenario = try SyncScenario(devices: ["phone"], configuration: configuration)
        try scenario.phone.create(["n": 1], pk: "42")
        try scenario.sync(scenario.phone)
        return scenario
    }

    /// Begins a sync, and fails its request.
    private func fail(_ scenario: SyncScenario, _ failure: RemoteFailure) throws {
        try scenario.phone.sync(SyncScenario.collection)
        let sent = try #require(scenario.phone.outbox.first)
        scenario.phone.outbox.removeFirst()
        try scenario.phone.fail(failure, for: sent.token)
    }

    private func renew(_ scenario: SyncScenario) throws {
        try scenario.phone.run { (engine) throws(TidemarkError) in try engine.renew(SyncScenario.collection) }
    }

    @Test(arguments: [FailureClass.offline, .busy, .portal, .invalidAnswer, .historyLost])
    func `pause: the client sends nothing until the app resumes it, and drops nothing`(failure: FailureClass) throws {
        let scenario = try self.scenario { policies in
            policies.offline = .pause
            policies.busy = .pause
            policies.portal = .pause
            policies.invalidAnswer = .pause
            policies.historyLost = .pause
        }
        try scenario.phone.edit("42") { $0.n = 2 }
        try self.fail(scenario, RemoteFailure(failure, "something"))
        #expect(scenario.phone.reports.last?.outcome == .unreachable)
        #expect(scenario.phone.reports.last?.nextTry == nil)
        #expect(try scenario.phone.phase("42") == .edited(.unconfirmed))
        try scenario.phone.sync(SyncScenario.collection)
        #expect(scenario.phone.outbox.isEmpty)
        let explanation = try scenario.phone.engine.explain("42", in: SyncScenario.collection)
        #expect(explanation.next.contains("when the app resumes the paused sync"))
        try self.renew(scenario)
        try scenario.sync(scenario.phone)
        #expect(try scenario.onServer("42") == ["n": 2])
        #expect(scenario.phone.reports.last?.outcome == .inSync)
    }

    @Test(arguments: [FailureClass.auth, .identityChanged])
    func `retry: failures that pause by default are retried after a back-off`(failure: FailureClass) throws {
        let scenario = try self.scenario { policies in
            policies.auth = .retry
            policies.identityChanged = .retry
        }
        try scenario.phone.edit("42") { $0.n = 2 }
        try self.fail(scenario, RemoteFailure(failure, "something"))
        #expect(scenario.phone.reports.last?.outcome == .unreachable)
        #expect(scenario.phone.reports.last?.nextTry != nil)
        try scenario.sync(scenario.phone)
        #expect(try scenario.onServer("42") == ["n": 2])
    }

    @Test func `retry: another account's answer is still not applied`() throws {
        let scenario = try self.scenario { $0.identityChanged = .retry }
        try scenario.phone.sync(SyncScenario.collection)
        let sent = scenario.phone.outbox.removeFirst()
        var answer = try scenario.remote.exchangeNow(sent.request)
        answer.account = "someone-else"
        answer.page = .empty
        try scenario.phone.receive(answer, for: sent.token)
        #expect(scenario.phone.reports.last?.failure?.failureClass == .identityChanged)
        #expect(scenario.phone.reports.last?.nextTry != nil)
        try scenario.sync(scenario.phone)
        #expect(scenario.phone.reports.last?.outcome == .inSync)
    }

    @Test func `retryThenPause: the third failure in a row pauses, and renew resets the count`() throws {
        let scenario = try self.scenario { $0.offline = .retryThenPause(tries: 3) }
        let failure = RemoteFailure(.offline, "no network")
        for _ in 1...2 {
            try self.fail(scenario, failure)
            #expect(scenario.phone.reports.last?.nextTry != nil)
        }
        try self.fail(scenario, failure)
        #expect(scenario.phone.reports.last?.nextTry == nil)
        try self.renew(scenario)
        try self.fail(scenario, failure)
        #expect(scenario.phone.reports.last?.nextTry != nil)
    }

    @Test func `an app's policy sets the wait despite the server's Retry-After`() throws {
        struct Patient: FailurePolicy {
            func decide(_ failure: FailedExchange) -> FailureVerdict {
                failure.cause.message.contains("maintenance") ? .retry(after: .seconds(600)) : .retry()
            }
        }
        let scenario = try self.scenario { $0.busy = Patient() }
        let now = scenario.server.clock.now
        try self.fail(scenario, RemoteFailure(.busy, "maintenance", retryAfter: .delay(.seconds(1))))
        #expect(scenario.phone.reports.last?.nextTry == now + .seconds(600))
        try self.fail(scenario, RemoteFailure(.busy, "not now", retryAfter: .delay(.seconds(9))))
        #expect(scenario.phone.reports.last?.nextTry == now + .seconds(9))
    }

    @Test func `a negative wait from an app's policy is zero`() throws {
        struct Hasty: FailurePolicy {
            func decide(_ failure: FailedExchange) -> FailureVerdict { .retry(after: .seconds(-5)) }
        }
        let scenario = try self.scenario { $0.busy = Hasty() }
        try self.fail(scenario, RemoteFailure(.busy, "not now"))
        #expect(scenario.phone.reports.last?.nextTry == scenario.server.clock.now)
    }

    @Test func `pause: another epoch pauses again until the policy allows the full resync`() throws {
        let scenario = try self.scenario { $0.historyLost = .retryThenPause(tries: 1) }
        for _ in 1...2 {
            try scenario.phone.sync(SyncScenario.collection)
            let sent = scenario.phone.outbox.removeFirst()
            var answer = try scenario.remote.exchangeNow(sent.request)
            answer.epoch = "another"
            try scenario.phone.receive(answer, for: sent.token)
            #expect(scenario.phone.outbox.isEmpty)
            #expect(scenario.phone.reports.last?.failure?.failureClass == .historyLost)
            try self.renew(scenario)
        }
    }

    @Test func `a server that refuses every history leads to a back-off (I8)`() throws {
        let scenario = try self.scenario { _ in }
        try scenario.phone.sync(SyncScenario.collection)
        var requests = 0
        while !scenario.phone.outbox.isEmpty {
            requests += 1
            try #require(requests < 5)
            let sent = scenario.phone.outbox.removeFirst()
            try scenario.phone.fail(RemoteFailure(.historyLost, "410"), for: sent.token)
        }
        #expect(requests == 3, "with the cursor, without it but with the newest cursor, and without both")
        #expect(scenario.phone.reports.last?.nextTry != nil)
        try scenario.sync(scenario.phone)
        #expect(scenario.phone.reports.last?.outcome == .inSync)
    }

    @Test func `resume continues a sync that a policy paused`() async throws {
        var configuration = SyncConfiguration()
        configuration.policies.offline = .pause
        let held = try HeldClient(configuration)
        let (network, client) = (held.network, held.client)
        try await client["notes"].create(["n": 1], pk: "42")
        async let first = client.sync(["notes"])
        try await network.next().drop()
        #expect(try await first.outcome == .unreachable)
        #expect(try await client.sync(["notes"]).outcome == .unreachable)
        #expect(network.waitingCount == 0)
        try await client.resume()
        async let second = client.sync(["notes"])
        // The GET, and then the lost POST.
        try await network.next().deliver()
        try await network.next().deliver()
        #expect(try await second.outcome == .inSync)
    }
}
