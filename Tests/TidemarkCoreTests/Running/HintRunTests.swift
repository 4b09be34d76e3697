import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkServer
import TidemarkTesting
import Testing

/// SPEC §10: a client that runs, and a server that hints.
@Suite(.timeLimit(.minutes(2))) struct HintRunTests {
    private let server: InProcessServer
    private let network: HeldNetwork
    private let phone: RunStage
    /// Hears of hints what the test lets through.
    private let tablet: RunStage

    init() throws {
        self.server = try InProcessServer()
        self.network = HeldNetwork(InProcessRemote(self.server), holdsHints: true)
        self.phone = try RunStage(self.server, hints: InProcessRemote(self.server))
        self.tablet = try RunStage(self.server, seed: 2, hints: self.network)
    }

    /// Nothing counts as silent, so that a test may move the clock as far as it likes.
    private static var patient: RunPlan {
        var plan = RunPlan()
        (plan.hintSilence, plan.longestWatch) = (.seconds(1_000_000), .seconds(1_000_000))
        return plan
    }

    /// Both run, and both know how the server stands.
    private func bothRunning(_ plan: RunPlan = Self.patient, _ body: () async throws -> Void) async throws {
        try await self.phone.running(Self.patient) {
            try await self.tablet.running(plan) {
                try await self.network.nextHint().deliver()
                for device in [self.phone, self.tablet] {
                    try await device.until(.resting)
                    #expect(try await device.client.status.run?.hints == .heard)
                }
                try await body()
            }
        }
    }

    @Test func `SPEC 10 what is edited on one device is seen on the other at once, and no one asks in vain`()
        async throws
    {
        try await self.bothRunning {
            let before = (self.phone.remote.count, self.tablet.remote.count)
            for n in 1...5 {
                let edited = self.server.clock.now
                try await self.phone.sends("\(n)")
                try await self.network.nextHint().deliver()
                try await self.tablet.sees("\(n)")
                try await self.tablet.until(.resting)
                #expect(self.server.clock.now == edited + .milliseconds(500))
            }
            try await self.phone.until(.resting)
            self.server.clock.advance(by: .seconds(1_200))
            for device in [self.phone, self.tablet] { try await device.until(.resting) }
            #expect(self.phone.remote.count == before.0 + 5, "its own hints start nothing")
            #expect(self.tablet.remote.count == before.1 + 5)
        }
    }

    @Test func `SPEC 10 a repeated hint starts nothing, and hints in another order do no harm`() async throws {
        try await self.bothRunning {
            try await self.phone.sends("1")
            let first = try await self.network.nextHint()
            try await self.phone.sends("2")
            let second = try await self.network.nextHint()
            let before = self.tablet.remote.count
            second.deliver()
            try await self.tablet.sees("2")
            try await self.tablet.sees("1")
            try await self.tablet.until(.resting)
            for _ in 1...5 { second.deliver() }
            try await self.tablet.until { $0.standing == .inStep }
            #expect(self.tablet.remote.count == before + 1)
            first.deliver()
            // A sync that a hint leads to keeps a distance to the one before.
            self.server.clock.advance(by: .seconds(2))
            try await self.tablet.until { $0.standing == .inStep }
            #expect(self.tablet.remote.count <= before + 2, "one that is late may cost a question")
        }
    }

    @Test func `SPEC 10 a hint that is lost is made good when the connection is made anew`() async throws {
        var plan = Self.patient
        plan.longestWatch = .seconds(60)
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

    /// Sixty requests an hour.
    private static var thrifty: RunPlan {
        var plan = Self.patient
        plan.requestsPerHour = 60
        return plan
    }

    /// What others edit, and the tablet is told of.
    private func hint(_ pk: String) async throws {
        try await self.phone.sends(pk)
        try await self.network.nextHint().deliver()
    }

    /// Syncs of the app's, until so many requests are spent.
    private func spend(_ requests: Int) async throws {
        while let spent = try await self.tablet.client.status.run?.requests, spent < requests {
            _ = try await self.tablet.client.sync()
            try await self.tablet.until { $0.run?.requests ?? 0 > spent }
        }
    }

    @Test func `hints that follow each other keep a distance, and until then nothing says that all is in step`()
        async throws
    {
        try await self.bothRunning(Self.thrifty) {
            try await self.hint("1")
            try await self.tablet.sees("1")
            try await self.tablet.until(.resting)
            try await self.hint("2")
            try await self.tablet.until(.due)
            let status = try await self.tablet.client.status
            let next = try #require(status.run?.collections.first?.next)
            #expect(next - self.server.clock.now > .seconds(10))
            #expect(status.standing == .pending)
            try await self.hint("3")
            #expect(try await self.tablet.client.status.run?.collections.first?.next == next)
            let before = self.tablet.remote.count
            self.server.clock.set(to: next)
            try await self.tablet.sees("3")
            try await self.tablet.until { $0.standing == .inStep }
            #expect(self.tablet.remote.count == before + 1, "one request for all that was hinted")
        }
    }

    @Test func `while a hint waits own edits go out at once`() async throws {
        try await self.bothRunning(Self.thrifty) {
            try await self.hint("1")
            try await self.tablet.sees("1")
            try await self.tablet.until(.resting)
            try await self.hint("2")
            try await self.tablet.until(.due)
            let edited = self.server.clock.now
            try await self.tablet.sends("own")
            #expect(self.server.clock.now == edited + .milliseconds(500))
            try await self.tablet.sees("2")
        }
    }

    @Test func `with the budget spent a hint waits for it, own edits do not, and the status says until when`()
        async throws
    {
        try await self.bothRunning(Self.thrifty) {
            try await self.spend(54)
            try await self.hint("1")
            try await self.tablet.until(.due)
            let renewal = try #require(try await self.tablet.client.status.run?.budgetRenewal)
            guard case .waiting(renewal, _) = try await self.tablet.client.status.standing else {
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

    @Test func `with all of the budget spent nobody is listened to, and the status does not say in step`()
        async throws
    {
        try await self.bothRunning(Self.thrifty) {
            try await self.spend(60)
            try await self.tablet.until(.unwatched)
            let renewal = try #require(try await self.tablet.client.status.run?.budgetRenewal)
            guard case .waiting(renewal, _) = try await self.tablet.client.status.standing else {
                Issue.record("the status does not say until when")
                return
            }
        }
    }

    @Test func `what is heard sets no alarm anew`() async throws {
        var plan = Self.patient
        plan.hintSilence = .seconds(1_000)
        let began = self.server.clock.now
        try await self.bothRunning(plan) {
            try await self.hint("1")
            try await self.tablet.sees("1")
            try await self.tablet.until(.resting)
            #expect(self.server.clock.now > began)
            #expect(self.server.clock.sleepers.contains(began + .seconds(1_000)))
        }
    }

    @Test(arguments: [true, false])
    func `a server that sends too many events or bytes is hung up on, and listened to again later`(isOfBytes: Bool)
        async throws
    {
        var plan = Self.patient
        plan.shortestHintWait = .seconds(1_000)
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
            #expect(why.hasPrefix("The server sent more than"))
            try await self.tablet.until(.unwatched)
            self.server.clock.set(to: max(next, self.server.clock.now))
            await eventually("hints are listened to") { self.network.listenerCount > 0 }
        }
    }

    @Test func `what hints bring counts in the budget of bytes`() async throws {
        try await self.bothRunning {
            let before = try await self.tablet.client.status.run?.bytes ?? 0
            try await self.phone.sends("1")
            let hint = try await self.network.nextHint()
            try await self.tablet.until { $0.run?.bytes ?? 0 > before }
            _ = hint
        }
    }

    @Test func `SPEC 10 a connection that breaks is made again, and what happened meanwhile is there`() async throws {
        try await self.bothRunning {
            for n in 1...3 {
                self.network.breakHints()
                try await self.tablet.until(.unwatched)
                guard
                    case .none("The test broke the connection.", let next?)? = try await self.tablet.client.status
                        .run?.hints
                else {
                    Issue.record("the status does not say why")
                    return
                }
                #expect(next > self.server.clock.now)
                #expect(next - self.server.clock.now <= RunPlan().shortestHintWait * (1 << (n - 1)))
                try await self.phone.sends("\(n)")
                self.server.clock.set(to: max(next, self.server.clock.now))
                await eventually("hints are listened to") { self.network.listenerCount > 0 }
                try await self.network.nextHint().deliver()
                try await self.tablet.sees("\(n)")
                try await self.tablet.until(.resting)
            }
        }
    }

    @Test func `SPEC 10 behind a proxy that lets nothing through the server is asked from time to time`() async throws {
        self.network.isSilent = true
        try await self.phone.running {
            try await self.tablet.running {
                try await self.tablet.until(.unwatched)
                try await self.phone.until(.resting)
                try await self.phone.sends("1")
                self.server.clock.advance(by: .seconds(20))
                try await self.tablet.sees("1")
                self.server.clock.advance(by: .seconds(40))
                try await self.tablet.until { status in
                    if case .none(let why?, _)? = status.run?.hints {
                        why.hasPrefix("Nothing was heard")
                    } else {
                        false
                    }
                }
                try await self.tablet.until { $0.standing == .inStep }
            }
        }
    }

    @Test func `SPEC 10 who falls silent in the middle counts as gone`() async throws {
        try await self.bothRunning(RunPlan()) {
            self.network.isSilent = true
            self.server.clock.advance(by: .seconds(40))
            try await self.tablet.until(.resting)
            self.server.clock.advance(by: .seconds(10))
            try await self.tablet.until { $0.run?.hints != .heard }
            #expect(try await self.tablet.client.status.run?.collections.first?.phase != .resting)
        }
    }

    @Test func `SPEC 3.5 a token that is revoked in the middle pauses, and a new one hears hints again`() async throws {
        try await self.bothRunning {
            let revoked = RemoteFailure(.auth, "The token is old.")
            self.tablet.remote.fail(revoked)
            self.network.breakHints(revoked)
            try await self.tablet.until(.unwatched)
            self.server.clock.advance(by: .seconds(20))
            try await self.tablet.until { $0.standing == .paused(why: "The token is old.") }
            try await self.phone.sends("1")
            self.tablet.remote.fail(nil)
            try await self.tablet.client.resume()
            try await self.tablet.sees("1")
            try await self.network.nextHint().deliver()
            try await self.tablet.until(.resting)
        }
    }

    @Test
    func `SPEC 10 a server that has no hints is asked again about them after an hour, and a remote without never`()
        async throws
    {
        var plan = RunPlan()
        plan.listens = false
        try await self.phone.running(plan) {
            try await self.phone.until(.unwatched)
            #expect(try await self.phone.client.status.run?.hints == RunStatus.Hints.none(why: nil, next: nil))
            #expect(self.server.core.openWatches == 0)
        }
        self.tablet.remote.fail(RemoteFailure(.protocol, "There is nothing at this path."))
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

    @Test func `a collection that is made while the client runs is listened to as well`() async throws {
        try await self.phone.running {
            try await self.phone.until(.resting)
            try await self.phone.client["tags"].create(["n": 1], pk: "1")
            try await self.phone.until { $0.run?.collections.count == 2 }
            self.phone.clock.advance(by: .milliseconds(500))
            try await self.phone.until { status in
                status.run?.collections.allSatisfy { $0.phase == .resting } == true
            }
            #expect(self.server.core.openWatches == 1)
        }
        #expect(self.server.core.openWatches == 0)
        #expect(self.server.clock.sleepers == [])
    }
}
