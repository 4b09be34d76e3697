import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkTesting
import Testing

/// The final state does not depend on whether an answer arrived, for any size of the record (I9).
@Suite struct LostAnswerTests {
    /// Losses of the answer to a POST that the server has accepted.
    enum Loss: CaseIterable {
        case never, once, twice, withRestart
    }

    /// Lengths of a record in bytes. From about 2,000 on, the server stores an answer with only the row's version.
    static let sizes = [100, 1_000, 3_000, 20_000, 200_000]

    private let scenario: SyncScenario

    private var phone: Device { self.scenario.phone }
    private var tablet: Device { self.scenario.tablet }

    init() throws {
        self.scenario = try SyncScenario()
    }

    /// Both devices have a record of some length; the phone edits it, and the answer arrives or is lost.
    private func edit(size: Int, _ loss: Loss) throws {
        let pad = JSON.string(JSONString(String(repeating: "x", count: size - 40)))
        try self.phone.create(["title": "Milk", "pad": pad], pk: "42")
        try self.scenario.settle()
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(SyncScenario.collection)
        switch loss {
        case .never: try self.scenario.carryOne(self.phone)
        case .once: try self.scenario.loseAnswer(self.phone)
        case .twice:
            try self.scenario.loseAnswer(self.phone)
            try self.phone.sync(SyncScenario.collection)
            while self.phone.outbox.first?.request.uploads.isEmpty == true { try self.scenario.carryOne(self.phone) }
            try self.scenario.loseAnswer(self.phone)
        case .withRestart:
            try self.scenario.loseAnswer(self.phone)
            _ = try self.phone.restart()
        }
    }

    /// The tablet reads the edit, and deletes the record.
    private func deleteOnTablet() throws {
        try self.scenario.sync(self.tablet)
        #expect(try self.tablet.view("42")?.title == "Oat milk")
        try self.tablet.delete("42")
        try self.scenario.sync(self.tablet)
    }

    @Test(arguments: Self.sizes, Loss.allCases)
    func `large-record-answer-lost: a record deleted on another device stays deleted (I9)`(
        size: Int, loss: Loss
    ) throws {
        try self.edit(size: size, loss)
        try self.deleteOnTablet()
        try self.scenario.carry(self.phone)
        try self.scenario.settle()
        #expect(try self.scenario.onServer("42") == nil)
        #expect(try self.phone.journal().isEmpty)
        try self.scenario.expectAgreement(on: "42")
    }

    @Test(arguments: Self.sizes, Loss.allCases)
    func `large-record-answer-lost: a later edit conflicts with the deletion (R14)`(size: Int, loss: Loss) throws {
        try self.edit(size: size, loss)
        try self.phone.edit("42") { $0.count = 2 }
        try self.deleteOnTablet()
        try self.scenario.carry(self.phone)
        try self.scenario.settle()
        let row = try #require(try self.scenario.onServer("42"))
        #expect(row.title == "Oat milk")
        #expect(row.count == 2)
        #expect(try self.phone.journal().map(\.reason) == [.takeClient])
        try self.scenario.expectAgreement(on: "42")
    }
}

/// *Accepted* is final, even if the repeated answer has another device's row (R4). The server stores no row with
/// its answers.
@Suite struct PresentRowTests {
    private let scenario: SyncScenario

    private var phone: Device { self.scenario.phone }
    private var tablet: Device { self.scenario.tablet }

    init() throws {
        var limits = ServerLimits()
        limits.rememberedResult = 1
        let configuration = SyncConfiguration(rules: .init(fields: try FieldRules([("/n", .sum)])))
        self.scenario = try SyncScenario(configuration: configuration, limits: limits)
        try self.scenario.phone.create(["title": "Milk", "n": 10], pk: "42")
        try self.scenario.settle()
    }

    /// The phone changes the record, and the answer is lost; it changes the record again, and the tablet does, too.
    private func change(
        _ first: (inout JSON) -> Void, then later: (inout JSON) -> Void, onTablet others: (inout JSON) -> Void
    ) throws {
        try self.phone.edit("42", first)
        try self.phone.sync(SyncScenario.collection)
        try self.scenario.loseAnswer(self.phone)
        try self.phone.edit("42", later)
        try self.scenario.sync(self.tablet)
        try self.tablet.edit("42", others)
        try self.scenario.sync(self.tablet)
        try self.scenario.settle()
        try self.scenario.expectAgreement(on: "42")
    }

    @Test func `sum-counted-twice: an accepted sum is not added again (I9)`() throws {
        try self.change {
            $0.n = 15
        } then: {
            $0.n = 17
        } onTablet: {
            $0.n = 18
        }
        #expect(try self.scenario.onServer("42")?.n == 20)
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
        #expect(try self.scenario.onServer("42")?.title == "Rice milk")
        #expect(journal.map(\.raw.value) == [Array(#""Soy milk""#.utf8)])
    }

    @Test func `later-edit-over-unseen-row: a value that another device reverted stays (I1)`() throws {
        try self.change {
            $0.title = "Oat milk"
        } then: {
            $0.n = 12
        } onTablet: {
            $0.title = "Milk"
        }
        #expect(try self.scenario.onServer("42") == ["title": "Milk", "n": 12])
    }

    @Test func `delete-over-unseen-row: another device's edit is a conflict (R15)`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(SyncScenario.collection)
        try self.scenario.loseAnswer(self.phone)
        try self.phone.delete("42")
        try self.scenario.sync(self.tablet)
        try self.tablet.edit("42") { $0.title = "Soy milk" }
        try self.scenario.sync(self.tablet)
        try self.scenario.settle()
        #expect(try self.scenario.onServer("42")?.title == "Soy milk")
        #expect(self.phone.events("42").contains(.clashed))
        try self.scenario.expectAgreement(on: "42")
    }

    @Test func `accepted-delete-of-a-recreated-record: the other device's record stays (I1)`() throws {
        try self.phone.delete("42")
        try self.phone.sync(SyncScenario.collection)
        try self.scenario.loseAnswer(self.phone)
        try self.scenario.sync(self.tablet)
        try self.tablet.create(["title": "Again"], pk: "42")
        try self.scenario.sync(self.tablet)
        try self.scenario.settle()
        #expect(try self.scenario.onServer("42") == ["title": "Again"])
        try self.scenario.expectAgreement(on: "42")
    }

    @Test func `recreated-while-deleting: two creates are a conflict (R16)`() throws {
        try self.phone.delete("42")
        try self.phone.sync(SyncScenario.collection)
        try self.scenario.loseAnswer(self.phone)
        try self.phone.create(["title": "Mine"], pk: "42")
        try self.scenario.sync(self.tablet)
        try self.tablet.create(["title": "Theirs"], pk: "42")
        try self.scenario.sync(self.tablet)
        try self.scenario.settle()
        #expect(try self.scenario.onServer("42") == ["title": "Mine"])
        #expect(try self.phone.journal().map(\.raw.value) == [Array(#""Theirs""#.utf8)])
        try self.scenario.expectAgreement(on: "42")
    }

    @Test func `an open conflict keeps its base over a restart (R4)`() throws {
        var configuration = SyncConfiguration()
        configuration[SyncScenario.collection].tactic = .askUser
        var limits = ServerLimits()
        limits.rememberedResult = 1
        let scenario = try SyncScenario(configuration: configuration, limits: limits)
        try scenario.phone.create(["title": "Milk"], pk: "1")
        try scenario.settle()
        try scenario.phone.edit("1") { $0.title = "Oat milk" }
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.loseAnswer(scenario.phone)
        try scenario.phone.edit("1") { $0.title = "Rice milk" }
        try scenario.sync(scenario.tablet)
        try scenario.tablet.edit("1") { $0.title = "Soy milk" }
        try scenario.sync(scenario.tablet)
        try scenario.sync(scenario.phone)
        _ = try scenario.phone.restart()
        let conflict = try #require(try scenario.phone.engine.conflict(of: "1", in: SyncScenario.collection))
        #expect(conflict.base == ["title": "Oat milk"])
        #expect(conflict.server == ["title": "Soy milk"])
        #expect(conflict.client == ["title": "Rice milk"])
    }
}
