import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Two devices add to one counter: every difference counts once, even if messages are lost or repeated (I9).
@Suite struct CountersTests {
    private let scenario: SyncScenario

    private var phone: Device { self.scenario.phone }
    private var tablet: Device { self.scenario.tablet }

    init() throws {
        let counting = SyncConfiguration(rules: .init(fields: try FieldRules([("/n", .sum)])))
        self.scenario = try SyncScenario(configuration: counting)
        try self.scenario.phone.create(["n": 0, "title": "Milk"], pk: "42")
        try self.scenario.settle()
    }

    private func add(_ number: Int, _ device: Device) throws {
        try device.edit("42") { $0.n = .number(JSONNumber((Int($0.n?.text ?? "") ?? 0) + number)) }
    }

    /// Fails each POST and answers each GET, until the record is held with its upload.
    private func holdUpload(of device: Device) throws {
        var tries = 0
        while try device.phase("42").activity != .held {
            tries += 1
            try #require(tries < 60, "it is never held")
            try device.sync(SyncScenario.collection)
            while let next = device.outbox.first {
                if next.request.uploads.isEmpty {
                    try self.scenario.carryOne(device)
                } else {
                    try device.failNext(RemoteFailure(.busy, "later"))
                }
            }
        }
    }

    @Test(arguments: ["edit", "retry", "retry, edit", "edit, restart"])
    func `held-upload-then-edit (R17, I9): the held upload is settled before the edit`(story: String) throws {
        try self.add(1, self.phone)
        try self.phone.sync(SyncScenario.collection)
        try self.scenario.loseAnswer(self.phone)
        try self.scenario.sync(self.tablet)
        try self.add(20, self.tablet)
        try self.scenario.sync(self.tablet)
        try self.holdUpload(of: self.phone)
        if story.contains("retry") {
            try self.phone.run { (engine) throws(TidemarkError) in
                try engine.retry("42", in: SyncScenario.collection)
            }
        }
        if story.contains("edit") { try self.add(300, self.phone) }
        if story.contains("restart") { try self.phone.restart() }
        try self.scenario.settle()
        #expect(try self.scenario.onServer("42")?.n == (story.contains("edit") ? 321 : 21))
        try self.scenario.expectAgreement("42")
        #expect(try self.phone.journal().isEmpty)
    }

    @Test func `held-upload-then-delete (R17): the held upload is settled before the delete`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(SyncScenario.collection)
        try self.scenario.loseAnswer(self.phone)
        try self.holdUpload(of: self.phone)
        try self.phone.delete("42")
        try self.phone.sync(SyncScenario.collection)
        let first = try #require(self.phone.outbox.first { !$0.request.uploads.isEmpty })
        #expect(try first.request.encodedEdit.map { try JSON(parsing: $0)["sync_state"] } == ["EDITED"])
        try self.scenario.settle()
        #expect(try self.scenario.onServer("42") == nil)
        try self.scenario.expectAgreement("42")
    }

    @Test func `equal-sums-from-two-devices (R18): both sums count, also after a lost request`() throws {
        try self.add(1, self.phone)
        try self.phone.sync(SyncScenario.collection)
        // The request never arrives; meanwhile the other device adds the same number.
        try self.phone.failNext(RemoteFailure(.offline, "no network"))
        try self.add(1, self.tablet)
        try self.scenario.sync(self.tablet)
        #expect(try self.scenario.onServer("42")?.n == 1)
        try self.scenario.settle()
        #expect(try self.scenario.onServer("42")?.n == 2)
        try self.scenario.expectAgreement("42")
    }

    @Test func `an equal sum in the feed does not count as the client's own (R18b)`() throws {
        try self.add(1, self.phone)
        try self.phone.sync(SyncScenario.collection)
        try self.phone.failNext(RemoteFailure(.offline, "no network"))
        try self.add(1, self.tablet)
        try self.scenario.sync(self.tablet)
        // Because of another change, the phone reads the feed before the resend is answered.
        try self.phone.create(["title": "Bread"], pk: "43")
        try self.scenario.settle()
        #expect(try self.scenario.onServer("42")?.n == 2)
        try self.scenario.expectAgreement("42")
    }

    @Test func `an own write is recognized by its row after a lost history (R18, Contract §6)`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(SyncScenario.collection)
        try self.scenario.loseAnswer(self.phone)
        try self.phone.sync(SyncScenario.collection)
        while self.phone.outbox.first?.request.uploads.isEmpty == true { try self.scenario.carryOne(self.phone) }
        try self.phone.failNext(RemoteFailure(.historyLost, "a backup was restored"))
        try self.scenario.carry(self.phone)
        #expect(try self.phone.phase("42") == .synced)
        #expect(try self.phone.view("42")?.title == "Oat milk")
        #expect(!self.phone.events("42").contains(.clashed))
    }
}
