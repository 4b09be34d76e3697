import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkTesting
import Testing

/// The end does not depend on whether an answer arrived, whatever the size of the record (I9).
@Suite struct LostAnswerTests {
    /// What becomes of the answer to a POST that the server took.
    enum Loss: CaseIterable {
        case never, once, twice, withRestart
    }

    /// Lengths of a record in bytes. From some 2,000 on the server keeps only the version of the row in its answer.
    static let sizes = [100, 1_000, 3_000, 20_000, 200_000]

    private let meeting: Meeting

    private var phone: Device { self.meeting.phone }
    private var tablet: Device { self.meeting.tablet }

    init() throws {
        self.meeting = try Meeting()
    }

    /// Both devices have a record of some length; the phone edits it, and the answer comes, or is lost.
    private func edit(size: Int, _ loss: Loss) throws {
        let pad = JSON.string(JSONString(String(repeating: "x", count: size - 40)))
        try self.phone.create(["title": "Milk", "pad": pad], pk: "42")
        try self.meeting.settle()
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(Meeting.collection)
        switch loss {
        case .never: try self.meeting.carryOne(self.phone)
        case .once: try self.meeting.loseAnswer(self.phone)
        case .twice:
            try self.meeting.loseAnswer(self.phone)
            try self.phone.sync(Meeting.collection)
            while self.phone.outbox.first?.request.uploads.isEmpty == true { try self.meeting.carryOne(self.phone) }
            try self.meeting.loseAnswer(self.phone)
        case .withRestart:
            try self.meeting.loseAnswer(self.phone)
            _ = try self.phone.restart()
        }
    }

    /// The tablet reads the edit, and deletes the record.
    private func deleteOnTablet() throws {
        try self.meeting.sync(self.tablet)
        #expect(try self.tablet.view("42")?.title == "Oat milk")
        try self.tablet.delete("42")
        try self.meeting.sync(self.tablet)
    }

    @Test(arguments: Self.sizes, Loss.allCases)
    func `large-record-answer-lost: a record that was deleted knowingly stays deleted (I9)`(
        size: Int, loss: Loss
    ) throws {
        try self.edit(size: size, loss)
        try self.deleteOnTablet()
        try self.meeting.carry(self.phone)
        try self.meeting.settle()
        #expect(try self.meeting.onServer("42") == nil)
        #expect(try self.phone.journal().isEmpty)
        try self.meeting.expectAgreement(on: "42")
    }

    @Test(arguments: Self.sizes, Loss.allCases)
    func `large-record-answer-lost: a later edit meets the deletion as a conflict (R14)`(
        size: Int, loss: Loss
    ) throws {
        try self.edit(size: size, loss)
        try self.phone.edit("42") { $0.count = 2 }
        try self.deleteOnTablet()
        try self.meeting.carry(self.phone)
        try self.meeting.settle()
        let row = try #require(try self.meeting.onServer("42"))
        #expect(row.title == "Oat milk")
        #expect(row.count == 2)
        #expect(try self.phone.journal().map(\.reason) == [.takeClient])
        try self.meeting.expectAgreement(on: "42")
    }
}

/// *Accepted* is final, also when the repeated answer comes with another device's row (R4). The server keeps no row with
/// its answers.
@Suite struct PresentRowTests {
    private let meeting: Meeting

    private var phone: Device { self.meeting.phone }
    private var tablet: Device { self.meeting.tablet }

    init() throws {
        var limits = ServerLimits()
        limits.rememberedResult = 1
        let configuration = SyncConfiguration(rules: .init(fields: try FieldRules([("/n", .sum)])))
        self.meeting = try Meeting(configuration: configuration, limits: limits)
        try self.meeting.phone.create(["title": "Milk", "n": 10], pk: "42")
        try self.meeting.settle()
    }

    /// The phone changes the record, and the answer is lost; it changes the record again, and the tablet does, too.
    private func change(
        _ first: (inout JSON) -> Void, then later: (inout JSON) -> Void, onTablet others: (inout JSON) -> Void
    ) throws {
        try self.phone.edit("42", first)
        try self.phone.sync(Meeting.collection)
        try self.meeting.loseAnswer(self.phone)
        try self.phone.edit("42", later)
        try self.meeting.sync(self.tablet)
        try self.tablet.edit("42", others)
        try self.meeting.sync(self.tablet)
        try self.meeting.settle()
        try self.meeting.expectAgreement(on: "42")
    }

    @Test func `sum-counted-twice: what was taken is not added again (I9)`() throws {
        try self.change {
            $0.n = 15
        } then: {
            $0.n = 17
        } onTablet: {
            $0.n = 18
        }
        #expect(try self.meeting.onServer("42")?.n == 20)
        #expect(try self.phone.journal().isEmpty)
    }

    @Test func `later-edit-over-unseen-row: the value that loses is in the journal, once (I1)`() throws {
        try self.change {
            $0.title = "Oat milk"
        } then: {
            $0.title = "Rice milk"
        } onTablet: {
            $0.title = "Soy milk"
        }
        let journal = try self.phone.journal() + self.tablet.journal()
        #expect(try self.meeting.onServer("42")?.title == "Rice milk")
        #expect(journal.map(\.raw.value) == [Array(#""Soy milk""#.utf8)])
    }

    @Test func `later-edit-over-unseen-row: what another device put back stays put back (I1)`() throws {
        try self.change {
            $0.title = "Oat milk"
        } then: {
            $0.n = 12
        } onTablet: {
            $0.title = "Milk"
        }
        #expect(try self.meeting.onServer("42") == ["title": "Milk", "n": 12])
    }

    @Test func `delete-over-unseen-row: another device's edit is a conflict (R15)`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(Meeting.collection)
        try self.meeting.loseAnswer(self.phone)
        try self.phone.delete("42")
        try self.meeting.sync(self.tablet)
        try self.tablet.edit("42") { $0.title = "Soy milk" }
        try self.meeting.sync(self.tablet)
        try self.meeting.settle()
        #expect(try self.meeting.onServer("42")?.title == "Soy milk")
        #expect(self.phone.events("42").contains(.clashed))
        try self.meeting.expectAgreement(on: "42")
    }

    @Test func `accepted-delete-of-a-recreated-record: the other device's record stays (I1)`() throws {
        try self.phone.delete("42")
        try self.phone.sync(Meeting.collection)
        try self.meeting.loseAnswer(self.phone)
        try self.meeting.sync(self.tablet)
        try self.tablet.create(["title": "Again"], pk: "42")
        try self.meeting.sync(self.tablet)
        try self.meeting.settle()
        #expect(try self.meeting.onServer("42") == ["title": "Again"])
        try self.meeting.expectAgreement(on: "42")
    }

    @Test func `recreated-while-deleting: two creates are a conflict (R16)`() throws {
        try self.phone.delete("42")
        try self.phone.sync(Meeting.collection)
        try self.meeting.loseAnswer(self.phone)
        try self.phone.create(["title": "Mine"], pk: "42")
        try self.meeting.sync(self.tablet)
        try self.tablet.create(["title": "Theirs"], pk: "42")
        try self.meeting.sync(self.tablet)
        try self.meeting.settle()
        #expect(try self.meeting.onServer("42") == ["title": "Mine"])
        #expect(try self.phone.journal().map(\.raw.value) == [Array(#""Theirs""#.utf8)])
        try self.meeting.expectAgreement(on: "42")
    }

    @Test func `an open conflict keeps what it grew from over a restart (R4)`() throws {
        var configuration = SyncConfiguration()
        configuration[Meeting.collection].tactic = .askUser
        var limits = ServerLimits()
        limits.rememberedResult = 1
        let meeting = try Meeting(configuration: configuration, limits: limits)
        try meeting.phone.create(["title": "Milk"], pk: "1")
        try meeting.settle()
        try meeting.phone.edit("1") { $0.title = "Oat milk" }
        try meeting.phone.sync(Meeting.collection)
        try meeting.loseAnswer(meeting.phone)
        try meeting.phone.edit("1") { $0.title = "Rice milk" }
        try meeting.sync(meeting.tablet)
        try meeting.tablet.edit("1") { $0.title = "Soy milk" }
        try meeting.sync(meeting.tablet)
        try meeting.sync(meeting.phone)
        _ = try meeting.phone.restart()
        let conflict = try #require(try meeting.phone.engine.conflict(of: "1", in: Meeting.collection))
        #expect(conflict.base == ["title": "Oat milk"])
        #expect(conflict.server == ["title": "Soy milk"])
        #expect(conflict.client == ["title": "Rice milk"])
    }
}
