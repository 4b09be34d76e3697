import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// The end does not depend on whether an answer arrived, whatever the size of the record (I9).
@Suite struct LostAnswerTests {
    /// What becomes of the answer to a POST that the server took.
    enum Loss: CaseIterable {
        case never, once, twice, withRestart
    }

    /// Lengths of a record in bytes. From some 2,000 on the server keeps only the version of the row that it answered with.
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
        try withKnownIssue("an accepted edit that comes with a tombstone is taken for not accepted") {
            #expect(try self.meeting.onServer("42") == nil)
            #expect(try self.phone.journal().isEmpty)
        } when: {
            size > 1_000 && loss != .never
        }
        try self.meeting.expectAgreement(on: "42")
    }

    @Test(arguments: Self.sizes, Loss.allCases)
    func `large-record-answer-lost: a later edit meets the deletion, and the policy decides (R14)`(
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
