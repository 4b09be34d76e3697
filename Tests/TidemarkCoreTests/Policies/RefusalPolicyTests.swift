import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkTesting
import Testing

@Suite struct RefusalPolicyTests {
    private static let large = JSON.string(JSONString(String(repeating: "x", count: 500)))

    /// A device with one record, over a server that refuses records of more than 200 bytes.
    private func meeting(_ policy: any RefusalPolicy, waits: any RetryPolicy = Backoff()) throws -> Meeting {
        var configuration = SyncConfiguration(retry: waits)
        configuration.policies.refused = policy
        var limits = ServerLimits()
        limits.record = 200
        let meeting = try Meeting(devices: ["phone"], configuration: configuration, limits: limits)
        try meeting.phone.create(["n": 1], pk: "42")
        try meeting.sync(meeting.phone)
        return meeting
    }

    /// How many of the requests carry a record; every message is delivered.
    private func countRequests(with pk: String, _ meeting: Meeting) throws -> Int {
        var count = 0
        try meeting.phone.sync(Meeting.collection)
        while let sent = meeting.phone.outbox.first {
            let text = sent.request.frozen.map { String(decoding: $0, as: UTF8.self) }.joined()
            if text.contains("\"pk\":\"\(pk)\"") { count += 1 }
            try meeting.carryOne(meeting.phone)
        }
        return count
    }

    @Test func `SPEC 3.5 a refused change is left, held with the server's problem, when the app has no policy`() throws
    {
        let meeting = try self.meeting(FailurePolicies().refused)
        try meeting.phone.edit("42") { $0.n = Self.large }
        try meeting.sync(meeting.phone)
        #expect(try meeting.phone.phase("42") == .edited(.held))
        #expect(meeting.phone.changes.last?.origin == .hold)
        #expect(meeting.phone.reports.last?.outcome == .held)
    }

    @Test func `R19 resign: a refused edit goes back to data, is journalled as rejected, and was never shown as held`()
        throws
    {
        let meeting = try self.meeting(.resign)
        try meeting.phone.edit("42") { $0.n = Self.large }
        try meeting.phone.create(["n": 2], pk: "43")
        try meeting.sync(meeting.phone)
        #expect(try meeting.phone.view("42") == ["n": 1])
        #expect(try meeting.phone.phase("42") == .synced)
        #expect(try meeting.phone.phase("43") == .synced)
        #expect(meeting.phone.reports.last?.outcome == .inStep)
        let entry = try #require(try meeting.phone.journal().last)
        #expect(entry.reason == .rejected)
        #expect(entry.path.text == "/n")
        #expect(meeting.phone.events("42").suffix(2) == [.refused, .resigned])
        #expect(!meeting.phone.changes.contains { $0.origin == .hold })
        #expect(meeting.phone.changes.contains { $0.pk == "42" && $0.origin == .resignation })
    }

    @Test func `R20 resign: a refused create is gone, and can be restored from the journal`() throws {
        let meeting = try self.meeting(.resign)
        try meeting.phone.create(["n": Self.large], pk: "large")
        try meeting.sync(meeting.phone)
        #expect(try meeting.phone.phase("large") == .absent)
        let entry = try #require(try meeting.phone.journal().last)
        #expect(entry.reason == .rejected)
        try meeting.phone.run { (engine) throws(TidemarkError) in
            try engine.restore(entry.number, in: Meeting.collection)
        }
        #expect(try meeting.phone.view("large") == ["n": Self.large])
    }

    @Test func `I8 R21 resign: a create that the server may have is given up once, and held when it is refused again`()
        throws
    {
        let meeting = try self.meeting(.resign)
        try meeting.phone.create(["n": 2], pk: "43")
        try meeting.phone.sync(Meeting.collection)
        try meeting.loseAnswer(meeting.phone)
        // Since then the account may only read.
        try meeting.phone.sync(Meeting.collection)
        var posts = 0
        while posts < 10, let sent = meeting.phone.outbox.first {
            guard !sent.request.uploads.isEmpty else {
                try meeting.carryOne(meeting.phone)
                continue
            }
            posts += 1
            meeting.phone.outbox.removeFirst()
            try meeting.phone.fail(RemoteFailure(.refused, "Who asks may not write.", blame: .sender), for: sent.token)
        }
        #expect(posts == 2, "to give it up, and to learn whether the server has it")
        #expect(try meeting.phone.phase("43") == .deleted(.held))
        #expect(meeting.phone.reports.last?.held == ["43"])
        // A person who gives it up lets it be tried again.
        try meeting.phone.run { (engine) throws(TidemarkError) in try engine.resign("43", in: Meeting.collection) }
        #expect(try meeting.phone.phase("43") == .deleted(.unconfirmed))
        try meeting.sync(meeting.phone)
        #expect(try meeting.onServer("43") == nil)
        #expect(try meeting.phone.phase("43") == .absent)
    }

    @Test func `I8 R17 retry: what the server may have waits for the next sync as well, and others go out`()
        throws
    {
        struct Always: RefusalPolicy {
            func decide(_ refusal: RefusedChange) -> RefusalVerdict { .retry }
        }
        let meeting = try self.meeting(Always())
        try meeting.phone.create(["n": 2], pk: "43")
        try meeting.phone.sync(Meeting.collection)
        try meeting.loseAnswer(meeting.phone)
        try meeting.phone.create(["n": 3], pk: "44")
        // Since then the account may only read.
        try meeting.phone.sync(Meeting.collection)
        var posted: [String] = []
        while posted.count < 10, let sent = meeting.phone.outbox.first {
            guard !sent.request.uploads.isEmpty else {
                try meeting.carryOne(meeting.phone)
                continue
            }
            posted += sent.request.uploads.map(\.pk)
            meeting.phone.outbox.removeFirst()
            try meeting.phone.fail(RemoteFailure(.refused, "Who asks may not write.", blame: .sender), for: sent.token)
        }
        #expect(posted == ["43", "44"])
        #expect(meeting.phone.reports.last?.nextTry != nil)
        #expect(try meeting.phone.phase("43") == .created(.unconfirmed))
        try meeting.sync(meeting.phone)
        #expect(try meeting.onServer("43") == ["n": 2])
        #expect(try meeting.onServer("44") == ["n": 3])
    }

    @Test func `ask: a refused change is held for a person, which the app is told and a restart does not forget`()
        throws
    {
        let meeting = try self.meeting(.ask)
        try meeting.phone.edit("42") { $0.n = Self.large }
        try meeting.sync(meeting.phone)
        #expect(meeting.phone.changes.last?.origin == .refusal)
        try meeting.phone.restart()
        #expect(try meeting.phone.phase("42") == .edited(.held))
        let explanation = try meeting.phone.engine.explain("42", in: Meeting.collection)
        #expect(explanation.next.hasPrefix("Someone has to decide"))
        try meeting.phone.edit("42") { $0.n = 2 }
        try meeting.sync(meeting.phone)
        #expect(try meeting.phone.phase("42") == .synced)
    }

    @Test
    func `retry: a refused change goes again once in each sync, the others go on, and after its tries it is held`()
        throws
    {
        let meeting = try self.meeting(.retry(tries: 3))
        try meeting.phone.edit("42") { $0.n = Self.large }
        try meeting.phone.create(["n": 2], pk: "43")
        for attempt in 1...2 {
            #expect(try self.countRequests(with: "42", meeting) == 1)
            #expect(try meeting.phone.phase("42") == .edited(.idle))
            #expect(try meeting.phone.phase("43") == .synced)
            let report = try #require(meeting.phone.reports.last)
            let wait = try #require(report.nextTry) - meeting.server.clock.now
            #expect(report.outcome == .unreachable)
            #expect(report.failure?.failureClass == .refused)
            #expect(wait <= .seconds(1 << (attempt - 1)), "full jitter: 1 s, then 2 s")
        }
        #expect(try self.countRequests(with: "42", meeting) == 1)
        #expect(try meeting.phone.phase("42") == .edited(.held))
        #expect(meeting.phone.reports.last?.outcome == .held)
        #expect(try self.countRequests(with: "42", meeting) == 0)
    }

    @Test func `retry: the wait grows with each refusal, and other changes that are taken do not shorten it`() throws {
        struct SecondsAsTries: RetryPolicy {
            func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
                .seconds(attempt)
            }
        }
        let meeting = try self.meeting(.retry(tries: 5), waits: SecondsAsTries())
        try meeting.phone.edit("42") { $0.n = Self.large }
        for attempt in 1...4 {
            try meeting.phone.create(["n": 2], pk: "other \(attempt)")
            try meeting.sync(meeting.phone)
            let next = try #require(meeting.phone.reports.last?.nextTry)
            #expect(next - meeting.server.clock.now == .seconds(attempt))
        }
    }

    @Test func `retry: the tries are counted across a restart`() throws {
        let meeting = try self.meeting(.retry(tries: 2))
        try meeting.phone.edit("42") { $0.n = Self.large }
        try meeting.sync(meeting.phone)
        #expect(try meeting.phone.phase("42") == .edited(.idle))
        try meeting.phone.restart()
        try meeting.sync(meeting.phone)
        #expect(try meeting.phone.phase("42") == .edited(.held))
    }

    @Test func `retry: what waited for the next sync is the first thing that it sends (SPEC 3.1)`() throws {
        let meeting = try self.meeting(.retry(tries: 3))
        try meeting.phone.edit("42") { $0.n = Self.large }
        try meeting.sync(meeting.phone)
        #expect(try meeting.phone.phase("42") == .edited(.idle))
        try meeting.phone.sync(Meeting.collection)
        #expect(meeting.phone.outbox.map(\.request.uploads.count) == [1])
    }

    @Test func `retry: a change that the app makes smaller while it waits is taken, and nothing is left to wait for`()
        throws
    {
        let meeting = try self.meeting(.retry(tries: 3))
        try meeting.phone.edit("42") { $0.n = Self.large }
        try meeting.sync(meeting.phone)
        try meeting.phone.edit("42") { $0.n = 3 }
        try meeting.sync(meeting.phone)
        #expect(try meeting.onServer("42") == ["n": 3])
        #expect(meeting.phone.reports.last?.outcome == .inStep)
        #expect(meeting.phone.reports.last?.nextTry == nil)
    }

    @Test func `a policy of the app's own sees what was refused, with the server's status`() throws {
        struct TooLargeIsGivenUp: RefusalPolicy {
            func decide(_ refusal: RefusedChange) -> RefusalVerdict {
                refusal.status == 413 && refusal.pk == "42" && refusal.state == .edited ? .resign : .leave
            }
        }
        let meeting = try self.meeting(TooLargeIsGivenUp())
        try meeting.phone.edit("42") { $0.n = Self.large }
        try meeting.phone.create(["n": Self.large], pk: "43")
        try meeting.sync(meeting.phone)
        #expect(try meeting.phone.phase("42") == .synced)
        #expect(try meeting.phone.phase("43") == .created(.held))
    }

    @Test func `a change that was changed again meanwhile is sent, and no policy is asked`() throws {
        let meeting = try self.meeting(.resign)
        try meeting.phone.edit("42") { $0.n = Self.large }
        try meeting.phone.sync(Meeting.collection)
        try meeting.phone.edit("42") { $0.n = 7 }
        try meeting.carry(meeting.phone)
        #expect(try meeting.onServer("42") == ["n": 7])
        #expect(try meeting.phone.journal().isEmpty)
    }

    @Test(arguments: [
        (1, RefusalVerdict.retry), (2, .retry), (3, .leave), (4, .leave),
    ])
    func `a policy is tested without a client`(attempt: Int, verdict: RefusalVerdict) {
        let refusal = RefusedChange(collection: "notes", pk: "42", state: .edited, status: 422, attempt: attempt)
        #expect(FailurePolicies.RetryRefused(tries: 3).decide(refusal) == verdict)
    }
}
