import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkServer
import TidemarkTesting
import Testing

/// Contract §10: a running client, and a server that sends hints.
@Suite(.timeLimit(.minutes(10))) struct HintRunTests {
    private let server: InProcessServer
    private let network: PausedNetwork
    private let phone: RunStage
    /// Receives only the hints that the test lets through.
    private let tablet: RunStage

    init() throws {
        self.server = try InProcessServer()
        self.network = PausedNetwork(InProcessRemote(self.server), holdsHints: true)
        self.phone = try RunStage(self.server, hints: InProcessRemote(self.server))
        self.tablet = try RunStage(self.server, seed: 2, hints: self.network)
    }

    /// A plan in which no connection counts as silent, so that a test may move the clock as far as it likes.
    private static var patient: RunPlan {
        var plan = RunPlan()
        (plan.hintTimeout, plan.maxHintConnection) = (.seconds(1_000_000), .seconds(1_000_000))
        return plan
    }

    /// Performs a closure while both devices run, in sync and with a hint received.
    private func bothRunning(_ plan: RunPlan = Self.patient, _ body: () async throws -> Void) async throws {
        try await self.phone.running(Self.patient) {
            try await self.tablet.running(plan) {
                try await self.network.nextHint().deliver()
                for device in [self.phone, self.tablet] {
                    try await device.until(.listening)
                    #expect(try await device.client.status.run?.hints == .heard)
                }
                try await body()
            }
        }
    }

    @Test func `a hint brings an edit to the other device at once, and no idle sync (Contract §10)`() async throws {
        try await self.bothRunning {
            let before = (self.phone.remote.count, self.tablet.remote.count)
            for n in 1...5 {
                let edited = self.server.clock.now
                try await self.phone.sends("\(n)")
                try await self.network.nextHint().deliver()
                try await self.tablet.sees("\(n)")
                try await self.tablet.until(.listening)
                #expect(self.server.clock.now == edited + .milliseconds(500))
            }
            try await self.phone.until(.listening)
            self.server.clock.advance(by: .seconds(1_200))
            for device in [self.phone, self.tablet] { try await device.until(.listening) }
            #expect(self.phone.remote.count == before.0 + 5, "its own hints start nothing")
            #expect(self.tablet.remote.count == before.1 + 5)
        }
    }

    @Test func `a repeated hint starts no sync, and reordered hints do no harm (Contract §10)`() async throws {
        try await self.bothRunning {
            try await self.phone.sends("1")
            let first = try await self.network.nextHint()
            try await self.phone.sends("2")
            let second = try await self.network.nextHint()
            let before = self.tablet.remote.count
            second.deliver()
            try await self.tablet.sees("2")
            try await self.tablet.sees("1")
            try await self.tablet.until(.listening)
            for _ in 1...5 { second.deliver() }
            try await self.tablet.until { $0.summary == .inSync }
            #expect(self.tablet.remote.count == before + 1)
            first.deliver()
            // Syncs that hints cause keep a minimum interval.
            self.server.clock.advance(by: .seconds(2))
            try await self.tablet.until { $0.summary == .inSync }
            #expect(self.tablet.remote.count <= before + 2, "a late hint may cost one request")
        }
    }

    @Test func `the status is offline when the connection for notifications can't be made (Contract §10)`() async throws
    {
        var plan = Self.patient
        plan.maxHintConnection = .seconds(60)
        try await self.phone.running(plan) {
            try await self.phone.until { $0.run?.hints == .heard && $0.summary == .inSync }
            self.phone.remote.fail(.noCable)
            self.server.clock.advance(by: .seconds(60))
            try await self.phone.until { $0.summary == .offline }
            #expect(try await self.phone.client.status.lastReports.allSatisfy { $0.failure == nil })
            self.phone.remote.fail(nil)
            try await self.phone.wait()
            try await self.phone.until { $0.summary == .inSync }
        }
    }

    @Test func `the next connection delivers a lost hint (Contract §10)`() async throws {
        var plan = Self.patient
        plan.maxHintConnection = .seconds(60)
        try await self.bothRunning(plan) {
            try await self.phone.sends("1")
            _ = try await self.network.nextHint()
            self.server.clock.advance(by: .seconds(40))
            #expect(try await self.tablet.client["notes"]["1"].get() == nil)
            self.server.clock.advance(by: .seconds(20))
            try await self.network.nextHint().deliver()
            try await self.tablet.sees("1")
        }
    }

    // MARK: Many hints

    /// A plan of sixty requests an hour.
    private static var thrifty: RunPlan {
        var plan = Self.patient
        plan.requestsPerHour = 60
        return plan
    }

    /// Makes an edit on the phone, and delivers its hint to the tablet.
    private func hint(_ pk: String) async throws {
        try await self.phone.sends(pk)
        try await self.network.nextHint().deliver()
    }

    /// Syncs by the app until a number of requests is spent.
    private func spend(_ requests: Int) async throws {
        while let spent = try await self.tablet.client.status.run?.requests, spent < requests {
            _ = try await self.tablet.client.sync()
            try await self.tablet.until { $0.run?.requests ?? 0 > spent }
        }
    }

    @Test func `syncs for hints keep a minimum interval, and the status is checking until then`() async throws {
        try await self.bothRunning(Self.thrifty) {
            try await self.hint("1")
            try await self.tablet.sees("1")
            try await self.tablet.until(.listening)
            try await self.hint("2")
            try await self.tablet.until(.due)
            let status = try await self.tablet.client.status
            let next = try #require(status.run?.collections.first?.next)
            #expect(next - self.server.clock.now > .seconds(10))
            #expect(status.summary == .checking)
            try await self.hint("3")
            #expect(try await self.tablet.client.status.run?.collections.first?.next == next)
            let before = self.tablet.remote.count
            self.server.clock.set(to: next)
            try await self.tablet.sees("3")
            try await self.tablet.until { $0.summary == .inSync }
            #expect(self.tablet.remote.count == before + 1, "one request for all hints")
        }
    }

    @Test func `own edits are sent at once while a hint waits`() async throws {
        try await self.bothRunning(Self.thrifty) {
            try await self.hint("1")
            try await self.tablet.sees("1")
            try await self.tablet.until(.listening)
            try await self.hint("2")
            try await self.tablet.until(.due)
            let edited = self.server.clock.now
            try await self.tablet.sends("own")
            #expect(self.server.clock.now == edited + .milliseconds(500))
            try await self.tablet.sees("2")
        }
    }

    @Test func `a hint waits until a spent budget is renewed, and own edits do not`() async throws {
        try await self.bothRunning(Self.thrifty) {
            try await self.spend(54)
            try await self.hint("1")
            try await self.tablet.until(.due)
            let renewal = try #require(try await self.tablet.client.status.run?.budgetRenewal)
            guard case .waiting(renewal, _) = try await self.tablet.client.status.summary else {
                Issue.record("the status does not say until when")
                return
            }
            try await self.hint("2")
            try await self.tablet.client["notes"].create(["n": 1], pk: "own")
            try await self.tablet.until { $0.run?.collections.first?.next != nil }
            self.server.clock.advance(by: .milliseconds(500))
            try await self.tablet.until { $0.unsentCount == 0 }
            try await self.tablet.sees("2")
        }
    }

    @Test func `a fully spent budget ends listening, and the status is not in sync`() async throws {
        try await self.bothRunning(Self.thrifty) {
            try await self.spend(60)
            try await self.tablet.until(.polling)
            let renewal = try #require(try await self.tablet.client.status.run?.budgetRenewal)
            guard case .waiting(renewal, _) = try await self.tablet.client.status.summary else {
                Issue.record("the status does not say until when")
                return
            }
        }
    }

    @Test func `a hint does not reset the timer for silence`() async throws {
        var plan = Self.patient
        plan.hintTimeout = .seconds(1_000)
        let began = self.server.clock.now
        try await self.bothRunning(plan) {
            try await self.hint("1")
            try await self.tablet.sees("1")
            try await self.tablet.until(.listening)
            #expect(self.server.clock.now > began)
            #expect(self.server.clock.sleepers.contains(began + .seconds(1_000)))
        }
    }

    @Test(arguments: [true, false])
    func `a server with too many events or bytes is disconnected, and tried again later`(isOfBytes: Bool) async throws {
        var plan = Self.patient
        plan.minReconnectWait = .seconds(1_000)
        if isOfBytes { plan.hintBytesPerMinute = 400 } else { plan.hintEventsPerMinute = 10 }
        try await self.bothRunning(plan) {
            for n in 1...10 { try await self.phone.sends("\(n)") }
            let hint = try await self.network.nextHint()
            for _ in 0..<11 { hint.deliver() }
            try await self.tablet.until { $0.run?.hints != .heard }
            guard case .none(let why?, let next?)? = try await self.tablet.client.status.run?.hints else {
                Issue.record("the status does not say why")
                return
            }
            #expect(why.code == .flooded)
            #expect(why.message.hasPrefix("The server sent more than"))
            try await self.tablet.until(.polling)
            self.server.clock.set(to: max(next, self.server.clock.now))
            await eventually("hints are listened to") { self.network.listenerCount > 0 }
        }
    }

    @Test func `the bytes of hints count in the budget`() async throws {
        try await self.bothRunning {
            let before = try await self.tablet.client.status.run?.bytes ?? 0
            try await self.phone.sends("1")
            let hint = try await self.network.nextHint()
            try await self.tablet.until { $0.run?.bytes ?? 0 > before }
            _ = hint
        }
    }

    @Test func `a broken hint connection is made again, and missed changes arrive (Contract §10)`() async throws {
        try await self.bothRunning {
            for n in 1...3 {
                self.network.breakHints()
                try await self.tablet.until(.polling)
                guard case .none(let why?, let next?)? = try await self.tablet.client.status.run?.hints else {
                    Issue.record("the status does not say why")
                    return
                }
                #expect(why == .init(.failure(.offline), "The test broke the connection."))
                #expect(next > self.server.clock.now)
                #expect(next - self.server.clock.now <= RunPlan().minReconnectWait * (1 << (n - 1)))
                try await self.phone.sends("\(n)")
                self.server.clock.set(to: max(next, self.server.clock.now))
                await eventually("hints are listened to") { self.network.listenerCount > 0 }
                try await self.network.nextHint().deliver()
                try await self.tablet.sees("\(n)")
                try await self.tablet.until(.listening)
            }
        }
    }

    @Test(arguments: [(300, 300), (1_000_000, 86_400)], [false, true])
    func `a server that asks for a wait is listened to after it, and after a day at most (Contract §10)`(
        seconds: (asked: Int, kept: Int), isTime: Bool
    ) async throws {
        try await self.bothRunning {
            let now = self.server.clock.now
            let asked = Duration.seconds(seconds.asked)
            self.network.breakHints(
                RemoteFailure(.busy, "There are too many.", retryAfter: isTime ? .time(now + asked) : .delay(asked)))
            try await self.tablet.until(.polling)
            guard case .none(let why?, let next?)? = try await self.tablet.client.status.run?.hints else {
                Issue.record("the status does not say when")
                return
            }
            #expect(why == .init(.failure(.busy), "There are too many."))
            #expect(next == now + .seconds(seconds.kept))
        }
    }

    @Test func `the client polls if a proxy stops all hints (Contract §10)`() async throws {
        self.network.isSilent = true
        try await self.phone.running {
            try await self.tablet.running {
                try await self.tablet.until(.polling)
                try await self.phone.until(.listening)
                try await self.phone.sends("1")
                self.server.clock.advance(by: .seconds(20))
                try await self.tablet.sees("1")
                self.server.clock.advance(by: .seconds(40))
                try await self.tablet.until { status in
                    if case .none(let why?, _)? = status.run?.hints {
                        why.code == .silent && why.message.hasPrefix("The server sent no event")
                    } else {
                        false
                    }
                }
                try await self.tablet.until { $0.summary == .inSync }
            }
        }
    }

    @Test(arguments: [RemoteHint.End.ended, .unavailable(why: "There are none at this path.")])
    func `the status has a code for the end of the hints (Contract §10)`(end: RemoteHint.End) async throws {
        let device = try RunStage(self.server, hints: EndingRemote(end: end))
        try await device.running {
            try await device.until { status in
                guard case .none(let why?, _)? = status.run?.hints else { return false }
                return why.code == (end == .ended ? .ended : .unavailable)
            }
        }
    }

    @Test func `a hint connection that falls silent counts as lost (Contract §10)`() async throws {
        try await self.bothRunning(RunPlan()) {
            self.network.isSilent = true
            self.server.clock.advance(by: .seconds(40))
            try await self.tablet.until(.listening)
            self.server.clock.advance(by: .seconds(10))
            try await self.tablet.until { $0.run?.hints != .heard }
            #expect(try await self.tablet.client.status.run?.collections.first?.phase != .listening)
        }
    }

    @Test func `a revoked token pauses, and hints are received again after resume (Contract §3.5)`() async throws {
        try await self.bothRunning {
            let revoked = RemoteFailure(.auth, "The token is old.")
            self.tablet.remote.fail(revoked)
            self.network.breakHints(revoked)
            try await self.tablet.until(.polling)
            self.server.clock.advance(by: .seconds(20))
            try await self.tablet.until { $0.summary == .paused(why: .init(.failure(.auth), "The token is old.")) }
            try await self.phone.sends("1")
            self.tablet.remote.fail(nil)
            try await self.tablet.client.resume()
            try await self.tablet.sees("1")
            try await self.network.nextHint().deliver()
            try await self.tablet.until(.listening)
        }
    }

    @Test func `a plan with hints tries a server without hints again after an hour (Contract §10)`() async throws {
        var plan = RunPlan()
        plan.usesHints = false
        try await self.phone.running(plan) {
            try await self.phone.until(.polling)
            #expect(try await self.phone.client.status.run?.hints == SyncStatus.Run.Hints.none(why: nil, next: nil))
            #expect(self.server.core.openWatches == 0)
        }
        self.tablet.remote.fail(RemoteFailure(.invalidAnswer, "There is nothing at this path."))
        try await self.tablet.running {
            try await self.tablet.until { status in
                if case .none(.some, let next?)? = status.run?.hints {
                    next - self.server.clock.now >= .seconds(3_600)
                } else {
                    false
                }
            }
        }
    }

    @Test func `a collection created while the client runs gets hints, too`() async throws {
        try await self.phone.running {
            try await self.phone.until(.listening)
            try await self.phone.client["tags"].create(["n": 1], pk: "1")
            try await self.phone.until { $0.run?.collections.count == 2 }
            self.phone.clock.advance(by: .milliseconds(500))
            try await self.phone.until { status in
                status.run?.collections.allSatisfy { $0.phase == .listening } == true
            }
            #expect(self.server.core.openWatches == 1)
        }
        #expect(self.server.core.openWatches == 0)
        #expect(self.server.clock.sleepers == [])
    }
}

/// A remote whose hints end at once.
private struct EndingRemote: Remote {
    let capabilities = RemoteCapabilities.native
    let end: RemoteHint.End

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        throw RemoteFailure(.offline, "It is for hints only.")
    }

    func hints(
        for collections: [String], onHint: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> RemoteHint.End {
        self.end
    }
}
