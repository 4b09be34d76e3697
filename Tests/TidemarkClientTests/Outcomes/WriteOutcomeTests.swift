import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkTesting
import Testing

@Suite struct WriteOutcomeTests {
    private func scenario(
        tactic: any Tactic = .autoMerge, refused: any RefusalPolicy = .leave, largest: Int = 300
    ) throws -> SyncScenario {
        var configuration = SyncConfiguration(rules: .init(tactic: tactic))
        configuration.policies.refused = refused
        var limits = ServerLimits()
        limits.record = largest
        let scenario = try SyncScenario(configuration: configuration, limits: limits)
        try scenario.phone.create(["title": "Milk", "n": 1], pk: "42")
        try scenario.settle()
        return scenario
    }

    private func wait(_ device: Device, _ pk: String = "42") throws -> Int {
        let wait = try device.engine.awaitOutcome(of: pk, in: SyncScenario.collection)
        guard case .awaited(let number) = wait else { throw Trouble("known already: \(wait)") }
        return number
    }

    private func known(_ device: Device, _ pk: String = "42") throws -> WriteOutcome? {
        let wait = try device.engine.awaitOutcome(of: pk, in: SyncScenario.collection)
        guard case .known(let outcome) = wait else { throw Trouble("not known: \(wait)") }
        return outcome
    }

    /// The tablet has edited a field that the phone has changed on the server.
    private func clashing(_ scenario: SyncScenario) throws {
        try scenario.phone.edit("42") { $0.title = "Oat milk" }
        try scenario.sync(scenario.phone)
        try scenario.tablet.edit("42") { $0.title = "Soy milk" }
    }

    @Test func `a record without a pending write has the outcome nil, at once`() throws {
        let scenario = try self.scenario()
        #expect(try self.known(scenario.phone) == nil)
        #expect(try self.known(scenario.phone, "never heard of") == nil)
    }

    @Test func `accepted: an edit, a create or a deletion that the server has accepted`() throws {
        let scenario = try self.scenario()
        let phone = scenario.phone
        try phone.edit("42") { $0.n = 2 }
        try phone.create(["n": 1], pk: "new")
        try phone.create(["n": 1], pk: "old")
        let (edit, create) = (try self.wait(phone), try self.wait(phone, "new"))
        #expect(phone.outcomes.isEmpty)
        try scenario.sync(phone)
        #expect(phone.outcomes == [edit: .accepted, create: .accepted])
        try phone.delete("old")
        let delete = try self.wait(phone, "old")
        try scenario.sync(phone)
        #expect(phone.outcomes[delete] == .accepted)
        #expect(try phone.phase("old") == .absent)
        #expect(phone.engine.openWriteCount == 0)
    }

    @Test func `a lost answer settles no write, and the resend does (R17)`() throws {
        let scenario = try self.scenario()
        try scenario.phone.edit("42") { $0.n = 2 }
        let write = try self.wait(scenario.phone)
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.loseAnswer(scenario.phone)
        #expect(scenario.phone.outcomes[write] == nil)
        try scenario.sync(scenario.phone)
        #expect(scenario.phone.outcomes[write] == .accepted)
    }

    @Test func `an edit made while an upload is unconfirmed is not accepted with it (R17)`() throws {
        let scenario = try self.scenario()
        let phone = scenario.phone
        try phone.edit("42") { $0.n = 2 }
        try phone.sync(SyncScenario.collection)
        try scenario.loseAnswer(phone)
        try phone.edit("42") { $0.n = 3 }
        let write = try self.wait(phone)
        try phone.sync(SyncScenario.collection)
        // After a failed POST the client may read the feed first.
        while let next = phone.outbox.first, next.request.uploads.isEmpty { try scenario.carryOne(phone) }
        try scenario.carryOne(phone)
        #expect(try scenario.onServer("42")?.n == 2)
        #expect(phone.outcomes[write] == nil, "the server has the earlier edit only")
        try scenario.carry(phone)
        #expect(phone.outcomes[write] == .accepted)
        #expect(try scenario.onServer("42")?.n == 3)
    }

    @Test func `superseded: a refused, retried and then resigned edit is not rejected`() throws {
        let scenario = try self.scenario(refused: .retry(tries: 3))
        try scenario.phone.edit("42") { $0.n = Self.large }
        let write = try self.wait(scenario.phone)
        try scenario.sync(scenario.phone)
        #expect(scenario.phone.outcomes[write] == nil)
        try scenario.phone.run { (engine) throws(TidemarkError) in
            try engine.resign("42", in: SyncScenario.collection)
        }
        #expect(scenario.phone.outcomes[write] == .superseded)
    }

    @Test func `edit-while-posting: each write has its own outcome, at its own answer`() throws {
        let scenario = try self.scenario()
        let phone = scenario.phone
        try phone.edit("42") { $0.n = 2 }
        let first = try self.wait(phone)
        try phone.sync(SyncScenario.collection)
        let alike = try self.wait(phone)
        try phone.edit("42") { $0.n = 3 }
        let second = try self.wait(phone)
        try scenario.carryOne(phone)
        #expect(phone.outcomes == [first: .accepted, alike: .accepted])
        try scenario.carry(phone)
        #expect(phone.outcomes[second] == .accepted)
    }

    @Test func `merged: the outcome names only the paths that both sides changed`() throws {
        let scenario = try self.scenario()
        try scenario.phone.edit("42") { $0.title = "Oat milk" }
        try scenario.sync(scenario.phone)
        try scenario.tablet.edit("42") {
            $0.title = "Soy milk"
            $0.n = 5
        }
        let write = try self.wait(scenario.tablet)
        try scenario.sync(scenario.tablet)
        #expect(scenario.tablet.outcomes[write] == .merged([try JSONPointer(parsing: "/title")]))
    }

    @Test func `a merge without a common field is accepted (R11)`() throws {
        let scenario = try self.scenario()
        try scenario.phone.edit("42") { $0.title = "Oat milk" }
        try scenario.sync(scenario.phone)
        try scenario.tablet.edit("42") { $0.n = 5 }
        let write = try self.wait(scenario.tablet)
        try scenario.sync(scenario.tablet)
        #expect(scenario.tablet.outcomes[write] == .accepted)
        #expect(try scenario.onServer("42") == ["title": "Oat milk", "n": 5])
    }

    @Test func `superseded: the server's side won`() throws {
        let scenario = try self.scenario(tactic: .takeServer)
        try self.clashing(scenario)
        let write = try self.wait(scenario.tablet)
        try scenario.sync(scenario.tablet)
        #expect(scenario.tablet.outcomes[write] == .superseded)
    }

    @Test func `superseded: a later local change replaces a write before it is sent`() throws {
        let scenario = try self.scenario()
        let phone = scenario.phone
        try phone.edit("42") { $0.n = 2 }
        let reverted = try self.wait(phone)
        try phone.edit("42") { $0.n = 1 }
        try phone.create(["n": 1], pk: "new")
        let discarded = try self.wait(phone, "new")
        try phone.delete("new")
        try phone.edit("42") { $0.n = 3 }
        let deleted = try self.wait(phone)
        try phone.delete("42")
        let delete = try self.wait(phone)
        #expect(phone.outcomes == [reverted: .superseded, discarded: .superseded, deleted: .superseded])
        try phone.create(["n": 4], pk: "42")
        #expect(phone.outcomes[delete] == .superseded, "R23")
        let again = try self.wait(phone)
        try phone.run { (engine) throws(TidemarkError) in try engine.resign("42", in: SyncScenario.collection) }
        #expect(phone.outcomes[again] == .superseded)
        #expect(phone.engine.openWriteCount == 0)
    }

    @Test func `a create deleted during its POST is accepted, and then the deletion (R7)`() throws {
        let scenario = try self.scenario()
        let phone = scenario.phone
        try phone.create(["n": 1], pk: "new")
        try phone.sync(SyncScenario.collection)
        let create = try self.wait(phone, "new")
        try phone.delete("new")
        let delete = try self.wait(phone, "new")
        try scenario.carryOne(phone)
        #expect(phone.outcomes == [create: .accepted])
        try scenario.carry(phone)
        #expect(phone.outcomes[delete] == .accepted)
        #expect(try scenario.onServer("new") == nil)
    }

    @Test func `a deletion is superseded if an edit elsewhere wins, or else accepted (R15)`() throws {
        for (policy, expected) in [
            (AutoMerge.DeletePolicy.editWins, WriteOutcome.superseded), (.deleteWins, .accepted),
        ] {
            let scenario = try self.scenario(tactic: AutoMerge(deleteEdit: policy))
            try scenario.phone.edit("42") { $0.n = 2 }
            try scenario.sync(scenario.phone)
            try scenario.tablet.delete("42")
            let write = try self.wait(scenario.tablet)
            try scenario.sync(scenario.tablet)
            #expect(scenario.tablet.outcomes[write] == expected)
        }
    }

    @Test func `an edit is merged if it wins over a deletion, or else superseded (R14)`() throws {
        for (policy, expected) in [
            (AutoMerge.DeletePolicy.editWins, WriteOutcome.merged([.root])), (.deleteWins, .superseded),
        ] {
            let scenario = try self.scenario(tactic: AutoMerge(editDelete: policy))
            try scenario.phone.delete("42")
            try scenario.sync(scenario.phone)
            try scenario.tablet.edit("42") { $0.n = 2 }
            let write = try self.wait(scenario.tablet)
            try scenario.sync(scenario.tablet)
            #expect(scenario.tablet.outcomes[write] == expected)
        }
    }

    @Test func `asking: a conflict waits for the user, for callers before and after it`() throws {
        let scenario = try self.scenario(tactic: .askUser)
        try self.clashing(scenario)
        let write = try self.wait(scenario.tablet)
        try scenario.sync(scenario.tablet)
        #expect(scenario.tablet.outcomes[write] == .asking)
        #expect(try self.known(scenario.tablet) == .asking)
    }

    private static let large = JSON.string(JSONString(String(repeating: "x", count: 500)))

    @Test func `held: the server refused the write with a reason`() throws {
        let scenario = try self.scenario()
        try scenario.phone.edit("42") { $0.n = Self.large }
        let write = try self.wait(scenario.phone)
        try scenario.sync(scenario.phone)
        let outcome = try #require(scenario.phone.outcomes[write])
        guard case .held(let why) = outcome else { throw Trouble("\(outcome)") }
        let explanation = try scenario.phone.engine.explain("42", in: SyncScenario.collection)
        #expect(explanation.why == "It is held: \(why.reason).")
        #expect(try self.known(scenario.phone) == outcome)
    }

    @Test func `rejected: the server refused the write, and the policy resigned it`() throws {
        let scenario = try self.scenario(refused: .resign)
        let held = try self.scenario()
        for scenario in [scenario, held] {
            try scenario.phone.edit("42") { $0.n = Self.large }
            #expect(try self.wait(scenario.phone) == 1)
            try scenario.sync(scenario.phone)
        }
        guard case .held(let why) = held.phone.outcomes[1] else { throw Trouble("not held") }
        #expect(scenario.phone.outcomes[1] == .rejected(why))
        #expect(!why.reason.isEmpty)
    }

    @Test func `a write that a policy retries has no outcome before its last try`() throws {
        let scenario = try self.scenario(refused: .retry(tries: 2))
        try scenario.phone.edit("42") { $0.n = Self.large }
        let write = try self.wait(scenario.phone)
        try scenario.sync(scenario.phone)
        #expect(scenario.phone.outcomes[write] == nil)
        try scenario.sync(scenario.phone)
        guard case .held = scenario.phone.outcomes[write] else { throw Trouble("not held") }
    }

    @Test func `ack-write-fails: a transaction that failed returns no outcome`() throws {
        let scenario = try self.scenario()
        try scenario.phone.edit("42") { $0.n = 2 }
        let write = try self.wait(scenario.phone)
        try scenario.phone.sync(SyncScenario.collection)
        scenario.phone.store.failNextWrite(after: 1, with: TidemarkError(.storeFull, "The disk is full."))
        #expect(throws: TidemarkError.self) { try scenario.carry(scenario.phone) }
        #expect(scenario.phone.outcomes[write] == nil)
        #expect(scenario.phone.engine.openWriteCount == 1)
        try scenario.sync(scenario.phone)
        #expect(scenario.phone.outcomes[write] == .accepted)
    }

    @Test func `a forgotten waiter gets no outcome`() throws {
        let scenario = try self.scenario()
        try scenario.phone.edit("42") { $0.n = 2 }
        let (one, other) = (try self.wait(scenario.phone), try self.wait(scenario.phone))
        scenario.phone.engine.forget(write: one)
        try scenario.sync(scenario.phone)
        #expect(scenario.phone.outcomes == [other: .accepted])
    }
}
