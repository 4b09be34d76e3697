import CoreSupport
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
    private func scenario(_ policy: any RefusalPolicy, waits: any RetryPolicy = Backoff()) throws -> SyncScenario {
        var configuration = SyncConfiguration(retry: waits)
        configuration.policies.refused = policy
        var limits = ServerLimits()
        limits.record = 200
        let scenario = try SyncScenario(devices: ["phone"], configuration: configuration, limits: limits)
        try scenario.phone.create(["n": 1], pk: "42")
        try scenario.sync(scenario.phone)
        return scenario
    }

    /// Syncs, delivers every message, and counts the requests that carry a record.
    private func countRequests(with pk: String, _ scenario: SyncScenario) throws -> Int {
        var count = 0
        try scenario.phone.sync(SyncScenario.collection)
        while let sent = scenario.phone.outbox.first {
            let text = sent.request.encodedEdit.map { String(decoding: $0, as: UTF8.self) }.joined()
            if text.contains("\"pk\":\"\(pk)\"") { count += 1 }
            try scenario.carryOne(scenario.phone)
        }
        return count
    }

    @Test func `a refused change is held by default (Contract §3.5)`() throws {
        let scenario = try self.scenario(FailurePolicies().refused)
        try scenario.phone.edit("42") { $0.n = Self.large }
        try scenario.sync(scenario.phone)
        #expect(try scenario.phone.phase("42") == .edited(.held))
        #expect(scenario.phone.changes.last?.origin == .hold)
        #expect(scenario.phone.reports.last?.outcome == .held)
    }

    @Test func `resign: a refused edit reverts to data, and is journalled as rejected (R19)`() throws {
        let scenario = try self.scenario(.resign)
        try scenario.phone.edit("42") { $0.n = Self.large }
        try scenario.phone.create(["n": 2], pk: "43")
        try scenario.sync(scenario.phone)
        #expect(try scenario.phone.view("42") == ["n": 1])
        #expect(try scenario.phone.phase("42") == .synced)
        #expect(try scenario.phone.phase("43") == .synced)
        #expect(scenario.phone.reports.last?.outcome == .inSync)
        let entry = try #require(try scenario.phone.journal().last)
        #expect(entry.reason == .rejected)
        #expect(entry.path.text == "/n")
        #expect(scenario.phone.events("42").suffix(2) == [.refused, .resigned])
        #expect(!scenario.phone.changes.contains { $0.origin == .hold })
        #expect(scenario.phone.changes.contains { $0.pk == "42" && $0.origin == .resignation })
    }

    @Test func `resign: a refused create is gone, and can be restored from the journal (R20)`() throws {
        let scenario = try self.scenario(.resign)
        try scenario.phone.create(["n": Self.large], pk: "large")
        try scenario.sync(scenario.phone)
        #expect(try scenario.phone.phase("large") == .absent)
        let entry = try #require(try scenario.phone.journal().last)
        #expect(entry.reason == .rejected)
        try scenario.phone.run { (engine) throws(TidemarkError) in
            try engine.restore(entry.number, in: SyncScenario.collection)
        }
        #expect(try scenario.phone.view("large") == ["n": Self.large])
    }

    @Test func `resign: an unconfirmed create is resigned once, and then held (I8, R21)`() throws {
        let scenario = try self.scenario(.resign)
        try scenario.phone.create(["n": 2], pk: "43")
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.loseAnswer(scenario.phone)
        // Since then the account has no write access.
        try scenario.phone.sync(SyncScenario.collection)
        var posts = 0
        while posts < 10, let sent = scenario.phone.outbox.first {
            guard !sent.request.uploads.isEmpty else {
                try scenario.carryOne(scenario.phone)
                continue
            }
            posts += 1
            scenario.phone.outbox.removeFirst()
            try scenario.phone.fail(RemoteFailure(.refused, "No write access.", blame: .sender), for: sent.token)
        }
        #expect(posts == 2, "the create, and the delete that replaces it")
        #expect(try scenario.phone.phase("43") == .deleted(.held))
        #expect(scenario.phone.reports.last?.held == ["43"])
        // If the user resigns the record, its delete is tried again.
        try scenario.phone.run { (engine) throws(TidemarkError) in
            try engine.resign("43", in: SyncScenario.collection)
        }
        #expect(try scenario.phone.phase("43") == .deleted(.unconfirmed))
        try scenario.sync(scenario.phone)
        #expect(try scenario.onServer("43") == nil)
        #expect(try scenario.phone.phase("43") == .absent)
    }

    @Test func `retry: a refused unconfirmed upload waits for the next sync, too (I8, R17)`() throws {
        struct Always: RefusalPolicy {
            func decide(_ refusal: RefusedChange) -> RefusalVerdict { .retry }
        }
        let scenario = try self.scenario(Always())
        try scenario.phone.create(["n": 2], pk: "43")
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.loseAnswer(scenario.phone)
        try scenario.phone.create(["n": 3], pk: "44")
        // Since then the account has no write access.
        try scenario.phone.sync(SyncScenario.collection)
        var posted: [String] = []
        while posted.count < 10, let sent = scenario.phone.outbox.first {
            guard !sent.request.uploads.isEmpty else {
                try scenario.carryOne(scenario.phone)
                continue
            }
            posted += sent.request.uploads.map(\.pk)
            scenario.phone.outbox.removeFirst()
            try scenario.phone.fail(RemoteFailure(.refused, "No write access.", blame: .sender), for: sent.token)
        }
        #expect(posted == ["43", "44"])
        #expect(scenario.phone.reports.last?.nextTry != nil)
        #expect(try scenario.phone.phase("43") == .created(.unconfirmed))
        try scenario.sync(scenario.phone)
        #expect(try scenario.onServer("43") == ["n": 2])
        #expect(try scenario.onServer("44") == ["n": 3])
    }

    @Test func `ask: a refused change is held for the user, also after a restart`() throws {
        let scenario = try self.scenario(.ask)
        try scenario.phone.edit("42") { $0.n = Self.large }
        try scenario.sync(scenario.phone)
        #expect(scenario.phone.changes.last?.origin == .refusal)
        try scenario.phone.restart()
        #expect(try scenario.phone.phase("42") == .edited(.held))
        let explanation = try scenario.phone.engine.explain("42", in: SyncScenario.collection)
        #expect(explanation.next.hasPrefix("The user has to decide"))
        try scenario.phone.edit("42") { $0.n = 2 }
        try scenario.sync(scenario.phone)
        #expect(try scenario.phone.phase("42") == .synced)
    }

    @Test func `retry: a refused change is sent once per sync, and held after its tries`() throws {
        let scenario = try self.scenario(.retry(tries: 3))
        try scenario.phone.edit("42") { $0.n = Self.large }
        try scenario.phone.create(["n": 2], pk: "43")
        for attempt in 1...2 {
            #expect(try self.countRequests(with: "42", scenario) == 1)
            #expect(try scenario.phone.phase("42") == .edited(.idle))
            #expect(try scenario.phone.phase("43") == .synced)
            let report = try #require(scenario.phone.reports.last)
            let wait = try #require(report.nextTry) - scenario.server.clock.now
            #expect(report.outcome == .unreachable)
            #expect(report.failure?.failureClass == .refused)
            #expect(wait <= .seconds(1 << (attempt - 1)), "full jitter: 1 s, then 2 s")
        }
        #expect(try self.countRequests(with: "42", scenario) == 1)
        #expect(try scenario.phone.phase("42") == .edited(.held))
        #expect(scenario.phone.reports.last?.outcome == .held)
        #expect(try self.countRequests(with: "42", scenario) == 0)
    }

    @Test func `retry: the wait grows with each refusal, despite other accepted changes`() throws {
        struct SecondsAsTries: RetryPolicy {
            func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
                .seconds(attempt)
            }
        }
        let scenario = try self.scenario(.retry(tries: 5), waits: SecondsAsTries())
        try scenario.phone.edit("42") { $0.n = Self.large }
        for attempt in 1...4 {
            try scenario.phone.create(["n": 2], pk: "other \(attempt)")
            try scenario.sync(scenario.phone)
            let next = try #require(scenario.phone.reports.last?.nextTry)
            #expect(next - scenario.server.clock.now == .seconds(attempt))
        }
    }

    @Test func `retry: the tries are counted across a restart`() throws {
        let scenario = try self.scenario(.retry(tries: 2))
        try scenario.phone.edit("42") { $0.n = Self.large }
        try scenario.sync(scenario.phone)
        #expect(try scenario.phone.phase("42") == .edited(.idle))
        try scenario.phone.restart()
        try scenario.sync(scenario.phone)
        #expect(try scenario.phone.phase("42") == .edited(.held))
    }

    @Test func `retry: the next sync sends the refused change first (Contract §3.1)`() throws {
        let scenario = try self.scenario(.retry(tries: 3))
        try scenario.phone.edit("42") { $0.n = Self.large }
        try scenario.sync(scenario.phone)
        #expect(try scenario.phone.phase("42") == .edited(.idle))
        try scenario.phone.sync(SyncScenario.collection)
        #expect(scenario.phone.outbox.map(\.request.uploads.count) == [1])
    }

    @Test func `retry: a change that the app corrects while it waits is accepted`() throws {
        let scenario = try self.scenario(.retry(tries: 3))
        try scenario.phone.edit("42") { $0.n = Self.large }
        try scenario.sync(scenario.phone)
        try scenario.phone.edit("42") { $0.n = 3 }
        try scenario.sync(scenario.phone)
        #expect(try scenario.onServer("42") == ["n": 3])
        #expect(scenario.phone.reports.last?.outcome == .inSync)
        #expect(scenario.phone.reports.last?.nextTry == nil)
    }

    @Test func `an app's policy gets the refused change with the server's status`() throws {
        struct TooLargeIsGivenUp: RefusalPolicy {
            func decide(_ refusal: RefusedChange) -> RefusalVerdict {
                refusal.status == 413 && refusal.pk == "42" && refusal.state == .edited ? .resign : .leave
            }
        }
        let scenario = try self.scenario(TooLargeIsGivenUp())
        try scenario.phone.edit("42") { $0.n = Self.large }
        try scenario.phone.create(["n": Self.large], pk: "43")
        try scenario.sync(scenario.phone)
        #expect(try scenario.phone.phase("42") == .synced)
        #expect(try scenario.phone.phase("43") == .created(.held))
    }

    @Test func `a change that was edited again meanwhile is sent without the policy`() throws {
        let scenario = try self.scenario(.resign)
        try scenario.phone.edit("42") { $0.n = Self.large }
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.phone.edit("42") { $0.n = 7 }
        try scenario.carry(scenario.phone)
        #expect(try scenario.onServer("42") == ["n": 7])
        #expect(try scenario.phone.journal().isEmpty)
    }

    @Test(arguments: [
        (1, RefusalVerdict.retry), (2, .retry), (3, .leave), (4, .leave),
    ])
    func `a policy is tested without a client`(attempt: Int, verdict: RefusalVerdict) {
        let refusal = RefusedChange(collection: "notes", pk: "42", state: .edited, status: 422, attempt: attempt)
        #expect(FailurePolicies.RetryRefused(tries: 3).decide(refusal) == verdict)
    }
}
