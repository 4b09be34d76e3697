import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct FailurePolicyTests {
    private func meeting(_ change: (inout FailurePolicies) -> Void) throws -> Meeting {
        var configuration = SyncConfiguration()
        change(&configuration.policies)
        let meeting = try Meeting(devices: ["phone"], configuration: configuration)
        try meeting.phone.create(["n": 1], pk: "42")
        try meeting.sync(meeting.phone)
        return meeting
    }

    /// Begins a sync, and fails its request.
    private func fail(_ meeting: Meeting, _ failure: RemoteFailure) throws {
        try meeting.phone.sync(Meeting.collection)
        let sent = try #require(meeting.phone.outbox.first)
        meeting.phone.outbox.removeFirst()
        try meeting.phone.fail(failure, for: sent.token)
    }

    private func renew(_ meeting: Meeting) throws {
        try meeting.phone.run { (engine) throws(TidemarkError) in try engine.renew(Meeting.collection) }
    }

    @Test(arguments: [FailureClass.offline, .busy, .portal, .protocol, .historyLost])
    func `pause: nothing is sent until the app says so, nothing is dropped, and it is no question of access`(
        failure: FailureClass
    ) throws {
        let meeting = try self.meeting { policies in
            policies.offline = .pause
            policies.busy = .pause
            policies.portal = .pause
            policies.protocol = .pause
            policies.historyLost = .pause
        }
        try meeting.phone.edit("42") { $0.n = 2 }
        try self.fail(meeting, RemoteFailure(failure, "something"))
        #expect(meeting.phone.reports.last?.outcome == .unreachable)
        #expect(meeting.phone.reports.last?.nextTry == nil)
        #expect(try meeting.phone.phase("42") == .edited(.unconfirmed))
        try meeting.phone.sync(Meeting.collection)
        #expect(meeting.phone.outbox.isEmpty)
        let explanation = try meeting.phone.engine.explain("42", in: Meeting.collection)
        #expect(explanation.next.contains("once the app lets the paused sync go on"))
        try self.renew(meeting)
        try meeting.sync(meeting.phone)
        #expect(try meeting.onServer("42") == ["n": 2])
        #expect(meeting.phone.reports.last?.outcome == .inStep)
    }

    @Test(arguments: [FailureClass.auth, .identityChanged])
    func `retry: what pauses by default is waited out`(failure: FailureClass) throws {
        let meeting = try self.meeting { policies in
            policies.auth = .retry
            policies.identityChanged = .retry
        }
        try meeting.phone.edit("42") { $0.n = 2 }
        try self.fail(meeting, RemoteFailure(failure, "something"))
        #expect(meeting.phone.reports.last?.outcome == .unreachable)
        #expect(meeting.phone.reports.last?.nextTry != nil)
        try meeting.sync(meeting.phone)
        #expect(try meeting.onServer("42") == ["n": 2])
    }

    @Test func `retry: another account is still never mixed in`() throws {
        let meeting = try self.meeting { $0.identityChanged = .retry }
        try meeting.phone.sync(Meeting.collection)
        let sent = meeting.phone.outbox.removeFirst()
        var answer = try meeting.remote.exchangeNow(sent.request)
        answer.account = "someone-else"
        answer.page = .empty
        try meeting.phone.receive(answer, for: sent.token)
        #expect(meeting.phone.reports.last?.failure?.failureClass == .identityChanged)
        #expect(meeting.phone.reports.last?.nextTry != nil)
        try meeting.sync(meeting.phone)
        #expect(meeting.phone.reports.last?.outcome == .inStep)
    }

    @Test func `retryThenPause: the third failure in a row pauses, and the app's word begins the count anew`() throws {
        let meeting = try self.meeting { $0.offline = .retryThenPause(tries: 3) }
        let failure = RemoteFailure(.offline, "no network")
        for _ in 1...2 {
            try self.fail(meeting, failure)
            #expect(meeting.phone.reports.last?.nextTry != nil)
        }
        try self.fail(meeting, failure)
        #expect(meeting.phone.reports.last?.nextTry == nil)
        try self.renew(meeting)
        try self.fail(meeting, failure)
        #expect(meeting.phone.reports.last?.nextTry != nil)
    }

    @Test func `a policy of the app's own sets the wait, whatever the server asked for`() throws {
        struct Patient: FailurePolicy {
            func decide(_ failure: FailedExchange) -> FailureVerdict {
                failure.cause.message.contains("maintenance") ? .retry(after: .seconds(600)) : .retry()
            }
        }
        let meeting = try self.meeting { $0.busy = Patient() }
        let now = meeting.server.clock.now
        try self.fail(meeting, RemoteFailure(.busy, "maintenance", retryAfter: .delay(.seconds(1))))
        #expect(meeting.phone.reports.last?.nextTry == now + .seconds(600))
        try self.fail(meeting, RemoteFailure(.busy, "not now", retryAfter: .delay(.seconds(9))))
        #expect(meeting.phone.reports.last?.nextTry == now + .seconds(9))
    }

    @Test func `a wait below nothing, from a policy of the app's own, is none`() throws {
        struct Hasty: FailurePolicy {
            func decide(_ failure: FailedExchange) -> FailureVerdict { .retry(after: .seconds(-5)) }
        }
        let meeting = try self.meeting { $0.busy = Hasty() }
        try self.fail(meeting, RemoteFailure(.busy, "not now"))
        #expect(meeting.phone.reports.last?.nextTry == meeting.server.clock.now)
    }

    @Test func `pause: another epoch is found again after the app goes on, until its policy allows the resync`() throws
    {
        let meeting = try self.meeting { $0.historyLost = .retryThenPause(tries: 1) }
        for _ in 1...2 {
            try meeting.phone.sync(Meeting.collection)
            let sent = meeting.phone.outbox.removeFirst()
            var answer = try meeting.remote.exchangeNow(sent.request)
            answer.epoch = "another"
            try meeting.phone.receive(answer, for: sent.token)
            #expect(meeting.phone.outbox.isEmpty)
            #expect(meeting.phone.reports.last?.failure?.failureClass == .historyLost)
            try self.renew(meeting)
        }
    }

    @Test func `I8 a server that knows no history at all is waited for, not asked for ever`() throws {
        let meeting = try self.meeting { _ in }
        try meeting.phone.sync(Meeting.collection)
        var requests = 0
        while !meeting.phone.outbox.isEmpty {
            requests += 1
            try #require(requests < 5)
            let sent = meeting.phone.outbox.removeFirst()
            try meeting.phone.fail(RemoteFailure(.historyLost, "410"), for: sent.token)
        }
        #expect(requests == 3, "with the watermark, from the start with the newest token, and without any")
        #expect(meeting.phone.reports.last?.nextTry != nil)
        try meeting.sync(meeting.phone)
        #expect(meeting.phone.reports.last?.outcome == .inStep)
    }

    @Test func `a client resumes what a policy paused`() async throws {
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
        // The feed, and then what was lost.
        try await network.next().deliver()
        try await network.next().deliver()
        #expect(try await second.outcome == .inStep)
    }
}
