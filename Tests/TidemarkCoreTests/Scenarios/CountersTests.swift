import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Two devices add to one counter: every difference is counted once, whatever happens to the messages (I9).
@Suite struct CountersTests {
    private let meeting: Meeting

    private var phone: Device { self.meeting.phone }
    private var tablet: Device { self.meeting.tablet }

    init() throws {
        let counting = SyncConfiguration(rules: .init(fields: try FieldRules([("/n", .sum)])))
        self.meeting = try Meeting(configuration: counting)
        try self.meeting.phone.create(["n": 0, "title": "Milk"], pk: "42")
        try self.meeting.settle()
    }

    private func add(_ number: Int, _ device: Device) throws {
        try device.edit("42") { $0.n = .number(JSONNumber((Int($0.n?.text ?? "") ?? 0) + number)) }
    }

    /// POSTs don't arrive and GETs do, until the record is held with its upload.
    private func holdUpload(of device: Device) throws {
        var tries = 0
        while try device.phase("42").activity != .held {
            tries += 1
            try #require(tries < 60, "it is never held")
            try device.sync(Meeting.collection)
            while let next = device.outbox.first {
                if next.request.uploads.isEmpty {
                    try self.meeting.carryOne(device)
                } else {
                    try device.failNext(RemoteFailure(.busy, "later"))
                }
            }
        }
    }

    @Test(arguments: ["edit", "release", "release, edit", "edit, restart"])
    func `held-upload-then-edit (R17, I9): what may have arrived is settled under its name before more is sent`(
        story: String
    ) throws {
        try self.add(1, self.phone)
        try self.phone.sync(Meeting.collection)
        try self.meeting.loseAnswer(self.phone)
        try self.meeting.sync(self.tablet)
        try self.add(20, self.tablet)
        try self.meeting.sync(self.tablet)
        try self.holdUpload(of: self.phone)
        if story.contains("release") {
            try self.phone.run { (engine) throws(TidemarkError) in
                try engine.release("42", in: Meeting.collection)
            }
        }
        if story.contains("edit") { try self.add(300, self.phone) }
        if story.contains("restart") { try self.phone.restart() }
        try self.meeting.settle()
        #expect(try self.meeting.onServer("42")?.n == (story.contains("edit") ? 321 : 21))
        try self.meeting.expectAgreement("42")
        #expect(try self.phone.journal().isEmpty)
    }

    @Test func `held-upload-then-delete (R17): a delete of a held record settles the upload first`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(Meeting.collection)
        try self.meeting.loseAnswer(self.phone)
        try self.holdUpload(of: self.phone)
        try self.phone.delete("42")
        try self.phone.sync(Meeting.collection)
        let first = try #require(self.phone.outbox.first { !$0.request.uploads.isEmpty })
        #expect(try first.request.frozen.map { try JSON(parsing: $0)["sync_state"] } == ["EDITED"])
        try self.meeting.settle()
        #expect(try self.meeting.onServer("42") == nil)
        try self.meeting.expectAgreement("42")
    }

    @Test func `equal-sums-from-two-devices (R18): two equal differences are two, also where an answer was lost`()
        throws
    {
        try self.add(1, self.phone)
        try self.phone.sync(Meeting.collection)
        // The request never arrives; meanwhile the other device counts the very same.
        try self.phone.failNext(RemoteFailure(.offline, "no network"))
        try self.add(1, self.tablet)
        try self.meeting.sync(self.tablet)
        #expect(try self.meeting.onServer("42")?.n == 1)
        try self.meeting.settle()
        #expect(try self.meeting.onServer("42")?.n == 2)
        try self.meeting.expectAgreement("42")
    }

    @Test func `R18b an equal sum that the feed shows is not taken for one's own`() throws {
        try self.add(1, self.phone)
        try self.phone.sync(Meeting.collection)
        try self.phone.failNext(RemoteFailure(.offline, "no network"))
        try self.add(1, self.tablet)
        try self.meeting.sync(self.tablet)
        // Another change of the phone's brings the feed before the resend is answered.
        try self.phone.create(["title": "Bread"], pk: "43")
        try self.meeting.settle()
        #expect(try self.meeting.onServer("42")?.n == 2)
        try self.meeting.expectAgreement("42")
    }

    @Test func `R18 (SPEC 6) after the history was lost an own write is known by its row, and not asked about`() throws
    {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(Meeting.collection)
        try self.meeting.loseAnswer(self.phone)
        try self.phone.sync(Meeting.collection)
        while self.phone.outbox.first?.request.uploads.isEmpty == true { try self.meeting.carryOne(self.phone) }
        try self.phone.failNext(RemoteFailure(.historyLost, "the backup was put back"))
        try self.meeting.carry(self.phone)
        #expect(try self.phone.phase("42") == .synced)
        #expect(try self.phone.view("42")?.title == "Oat milk")
        #expect(!self.phone.events("42").contains(.clashed))
    }
}
