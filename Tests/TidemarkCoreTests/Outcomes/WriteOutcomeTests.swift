import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkTesting
import Testing

@Suite struct WriteOutcomeTests {
    private func meeting(
        tactic: any Tactic = .autoMerge, refused: any RefusalPolicy = .leave, largest: Int = 300
    ) throws -> Meeting {
        var configuration = SyncConfiguration(rules: .init(tactic: tactic))
        configuration.policies.refused = refused
        var limits = ServerLimits()
        limits.record = largest
        let meeting = try Meeting(configuration: configuration, limits: limits)
        try meeting.phone.create(["title": "Milk", "n": 1], pk: "42")
        try meeting.settle()
        return meeting
    }

    private func wait(_ device: Device, _ pk: String = "42") throws -> Int {
        let wait = try device.engine.awaitOutcome(of: pk, in: Meeting.collection)
        guard case .awaited(let number) = wait else { throw Trouble("known already: \(wait)") }
        return number
    }

    private func known(_ device: Device, _ pk: String = "42") throws -> WriteOutcome? {
        let wait = try device.engine.awaitOutcome(of: pk, in: Meeting.collection)
        guard case .known(let outcome) = wait else { throw Trouble("not known: \(wait)") }
        return outcome
    }

    /// The tablet has edited what the phone has changed on the server.
    private func clashing(_ meeting: Meeting) throws {
        try meeting.phone.edit("42") { $0.title = "Oat milk" }
        try meeting.sync(meeting.phone)
        try meeting.tablet.edit("42") { $0.title = "Soy milk" }
    }

    @Test func `where nothing is pending the outcome is nil, at once`() throws {
        let meeting = try self.meeting()
        #expect(try self.known(meeting.phone) == nil)
        #expect(try self.known(meeting.phone, "never heard of") == nil)
    }

    @Test func `accepted: an edit, a create and a deletion, each once the server has said so`() throws {
        let meeting = try self.meeting()
        let phone = meeting.phone
        try phone.edit("42") { $0.n = 2 }
        try phone.create(["n": 1], pk: "new")
        try phone.create(["n": 1], pk: "old")
        let (edit, create) = (try self.wait(phone), try self.wait(phone, "new"))
        #expect(phone.outcomes.isEmpty)
        try meeting.sync(phone)
        #expect(phone.outcomes == [edit: .accepted, create: .accepted])
        try phone.delete("old")
        let delete = try self.wait(phone, "old")
        try meeting.sync(phone)
        #expect(phone.outcomes[delete] == .accepted)
        #expect(try phone.phase("old") == .absent)
        #expect(phone.engine.openWriteCount == 0)
    }

    @Test func `R17 a lost answer settles nothing; the resend does`() throws {
        let meeting = try self.meeting()
        try meeting.phone.edit("42") { $0.n = 2 }
        let write = try self.wait(meeting.phone)
        try meeting.phone.sync(Meeting.collection)
        try meeting.loseAnswer(meeting.phone)
        #expect(meeting.phone.outcomes[write] == nil)
        try meeting.sync(meeting.phone)
        #expect(meeting.phone.outcomes[write] == .accepted)
    }

    @Test func `R17 what was edited while an upload was unconfirmed is not accepted with the resend`() throws {
        let meeting = try self.meeting()
        let phone = meeting.phone
        try phone.edit("42") { $0.n = 2 }
        try phone.sync(Meeting.collection)
        try meeting.loseAnswer(phone)
        try phone.edit("42") { $0.n = 3 }
        let write = try self.wait(phone)
        try phone.sync(Meeting.collection)
        // After a POST that failed the feed may be read first.
        while let next = phone.outbox.first, next.request.uploads.isEmpty { try meeting.carryOne(phone) }
        try meeting.carryOne(phone)
        #expect(try meeting.onServer("42")?.n == 2)
        #expect(phone.outcomes[write] == nil, "the server has the earlier edit only")
        try meeting.carry(phone)
        #expect(phone.outcomes[write] == .accepted)
        #expect(try meeting.onServer("42")?.n == 3)
    }

    @Test func `superseded: what was refused, is sent again and then given up, was not rejected`() throws {
        let meeting = try self.meeting(refused: .retry(tries: 3))
        try meeting.phone.edit("42") { $0.n = Self.large }
        let write = try self.wait(meeting.phone)
        try meeting.sync(meeting.phone)
        #expect(meeting.phone.outcomes[write] == nil)
        try meeting.phone.run { (engine) throws(TidemarkError) in try engine.resign("42", in: Meeting.collection) }
        #expect(meeting.phone.outcomes[write] == .superseded)
    }

    @Test func `edit-while-posting: each write has its own outcome, at its own answer`() throws {
        let meeting = try self.meeting()
        let phone = meeting.phone
        try phone.edit("42") { $0.n = 2 }
        let first = try self.wait(phone)
        try phone.sync(Meeting.collection)
        let alike = try self.wait(phone)
        try phone.edit("42") { $0.n = 3 }
        let second = try self.wait(phone)
        try meeting.carryOne(phone)
        #expect(phone.outcomes == [first: .accepted, alike: .accepted])
        try meeting.carry(phone)
        #expect(phone.outcomes[second] == .accepted)
    }

    @Test func `merged: the outcome names where both sides had changed something, and nothing else`() throws {
        let meeting = try self.meeting()
        try meeting.phone.edit("42") { $0.title = "Oat milk" }
        try meeting.sync(meeting.phone)
        try meeting.tablet.edit("42") {
            $0.title = "Soy milk"
            $0.n = 5
        }
        let write = try self.wait(meeting.tablet)
        try meeting.sync(meeting.tablet)
        #expect(meeting.tablet.outcomes[write] == .merged([try JSONPointer(parsing: "/title")]))
    }

    @Test func `R11 a merge without a common field is an acceptance`() throws {
        let meeting = try self.meeting()
        try meeting.phone.edit("42") { $0.title = "Oat milk" }
        try meeting.sync(meeting.phone)
        try meeting.tablet.edit("42") { $0.n = 5 }
        let write = try self.wait(meeting.tablet)
        try meeting.sync(meeting.tablet)
        #expect(meeting.tablet.outcomes[write] == .accepted)
        #expect(try meeting.onServer("42") == ["title": "Oat milk", "n": 5])
    }

    @Test func `superseded: the server's side won`() throws {
        let meeting = try self.meeting(tactic: .takeServer)
        try self.clashing(meeting)
        let write = try self.wait(meeting.tablet)
        try meeting.sync(meeting.tablet)
        #expect(meeting.tablet.outcomes[write] == .superseded)
    }

    @Test func `superseded: something later took its place here before it was sent`() throws {
        let meeting = try self.meeting()
        let phone = meeting.phone
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
        try phone.run { (engine) throws(TidemarkError) in try engine.resign("42", in: Meeting.collection) }
        #expect(phone.outcomes[again] == .superseded)
        #expect(phone.engine.openWriteCount == 0)
    }

    @Test func `R7 a create that is deleted while it is out was accepted, and then the deletion is`() throws {
        let meeting = try self.meeting()
        let phone = meeting.phone
        try phone.create(["n": 1], pk: "new")
        try phone.sync(Meeting.collection)
        let create = try self.wait(phone, "new")
        try phone.delete("new")
        let delete = try self.wait(phone, "new")
        try meeting.carryOne(phone)
        #expect(phone.outcomes == [create: .accepted])
        try meeting.carry(phone)
        #expect(phone.outcomes[delete] == .accepted)
        #expect(try meeting.onServer("new") == nil)
    }

    @Test func `R15 a deletion that loses to an edit elsewhere is superseded, and one that wins is accepted`() throws {
        for (policy, expected) in [
            (AutoMerge.DeletePolicy.editWins, WriteOutcome.superseded), (.deleteWins, .accepted),
        ] {
            let meeting = try self.meeting(tactic: AutoMerge(deleteEdit: policy))
            try meeting.phone.edit("42") { $0.n = 2 }
            try meeting.sync(meeting.phone)
            try meeting.tablet.delete("42")
            let write = try self.wait(meeting.tablet)
            try meeting.sync(meeting.tablet)
            #expect(meeting.tablet.outcomes[write] == expected)
        }
    }

    @Test
    func `R14 an edit that wins over a deletion elsewhere is merged at the record, and one that loses superseded`()
        throws
    {
        for (policy, expected) in [
            (AutoMerge.DeletePolicy.editWins, WriteOutcome.merged([.root])), (.deleteWins, .superseded),
        ] {
            let meeting = try self.meeting(tactic: AutoMerge(editDelete: policy))
            try meeting.phone.delete("42")
            try meeting.sync(meeting.phone)
            try meeting.tablet.edit("42") { $0.n = 2 }
            let write = try self.wait(meeting.tablet)
            try meeting.sync(meeting.tablet)
            #expect(meeting.tablet.outcomes[write] == expected)
        }
    }

    @Test func `asking: a conflict waits for a person, for who waited before and for who asks later`() throws {
        let meeting = try self.meeting(tactic: .askUser)
        try self.clashing(meeting)
        let write = try self.wait(meeting.tablet)
        try meeting.sync(meeting.tablet)
        #expect(meeting.tablet.outcomes[write] == .asking)
        #expect(try self.known(meeting.tablet) == .asking)
    }

    private static let large = JSON.string(JSONString(String(repeating: "x", count: 500)))

    @Test func `held: the server refused it, and says why`() throws {
        let meeting = try self.meeting()
        try meeting.phone.edit("42") { $0.n = Self.large }
        let write = try self.wait(meeting.phone)
        try meeting.sync(meeting.phone)
        let outcome = try #require(meeting.phone.outcomes[write])
        guard case .held(let why) = outcome else { throw Trouble("\(outcome)") }
        #expect(try meeting.phone.engine.explain("42", in: Meeting.collection).why == "It is held: \(why).")
        #expect(try self.known(meeting.phone) == outcome)
    }

    @Test func `rejected: the server refused it, and the policy gave it up`() throws {
        let meeting = try self.meeting(refused: .resign)
        let held = try self.meeting()
        for meeting in [meeting, held] {
            try meeting.phone.edit("42") { $0.n = Self.large }
            #expect(try self.wait(meeting.phone) == 1)
            try meeting.sync(meeting.phone)
        }
        guard case .held(let why) = held.phone.outcomes[1] else { throw Trouble("not held") }
        #expect(meeting.phone.outcomes[1] == .rejected(why))
        #expect(!why.isEmpty)
    }

    @Test func `a write that a policy sends again is waited for until its last try`() throws {
        let meeting = try self.meeting(refused: .retry(tries: 2))
        try meeting.phone.edit("42") { $0.n = Self.large }
        let write = try self.wait(meeting.phone)
        try meeting.sync(meeting.phone)
        #expect(meeting.phone.outcomes[write] == nil)
        try meeting.sync(meeting.phone)
        guard case .held = meeting.phone.outcomes[write] else { throw Trouble("not held") }
    }

    @Test func `ack-write-fails: no outcome is told of a transaction that failed`() throws {
        let meeting = try self.meeting()
        try meeting.phone.edit("42") { $0.n = 2 }
        let write = try self.wait(meeting.phone)
        try meeting.phone.sync(Meeting.collection)
        meeting.phone.store.failNextWrite(after: 1, with: TidemarkError(.storeFull, "The disk is full."))
        #expect(throws: TidemarkError.self) { try meeting.carry(meeting.phone) }
        #expect(meeting.phone.outcomes[write] == nil)
        #expect(meeting.phone.engine.openWriteCount == 1)
        try meeting.sync(meeting.phone)
        #expect(meeting.phone.outcomes[write] == .accepted)
    }

    @Test func `who forgets is told nothing`() throws {
        let meeting = try self.meeting()
        try meeting.phone.edit("42") { $0.n = 2 }
        let (one, other) = (try self.wait(meeting.phone), try self.wait(meeting.phone))
        meeting.phone.engine.forget(write: one)
        try meeting.sync(meeting.phone)
        #expect(meeting.phone.outcomes == [other: .accepted])
    }
}
