import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

/// A conflict is open, and the next version of the app has other rules (R22).
@Suite struct LaterRulesTests {
    let meeting: Meeting
    var tablet: Device { self.meeting.tablet }

    init() throws {
        self.meeting = try Meeting(configuration: SyncConfiguration(rules: .init(tactic: .askUser)))
        try self.meeting.phone.create(["n": 0], pk: "42")
        try self.meeting.settle()
        try self.meeting.phone.edit("42") { $0.n = 5 }
        try self.meeting.sync(self.meeting.phone)
        try self.meeting.tablet.edit("42") { $0.n = 7 }
        try self.meeting.sync(self.meeting.tablet)
    }

    private func restart(_ rules: CollectionRules) throws {
        try self.tablet.restart(configuration: SyncConfiguration(rules: rules))
    }

    private static func summing() throws -> CollectionRules {
        CollectionRules(tactic: .askUser, fields: try FieldRules([("/n", .sum)]))
    }

    @Test func `a sync with a new field rule settles an open conflict (I3, R22)`() throws {
        try self.restart(try Self.summing())
        try self.meeting.settle()
        #expect(self.tablet.reports.last?.outcome == .inStep)
        #expect(try self.meeting.onServer("42") == ["n": 12])
        try self.meeting.expectAgreement(on: "42")
    }

    @Test func `a sync with a new tactic settles an open conflict (R22)`() throws {
        try self.restart(CollectionRules(tactic: .takeServer))
        try self.meeting.settle()
        try self.meeting.expectAgreement(on: "42")
        #expect(try self.meeting.onServer("42") == ["n": 5])
        #expect(try self.tablet.journal().map(\.raw.value) == [Array("7".utf8)], "what lost is journalled (I2)")
    }

    @Test func `a conflict that a new rule would settle is listed, and can be decided (I3)`() throws {
        try self.restart(try Self.summing())
        let conflict = try #require(try self.tablet.engine.conflicts(in: Meeting.collection).first)
        try self.tablet.run { (engine) throws(TidemarkError) in try engine.resolve(conflict, .takeClient).effects }
        try self.meeting.settle()
        try self.meeting.expectAgreement(on: "42")
        #expect(try self.meeting.onServer("42") == ["n": 7])
    }

    @Test func `a process with the same rules reports an open conflict no second time`() throws {
        let count = self.tablet.changes.count
        try self.tablet.restart()
        try self.meeting.sync(self.tablet)
        #expect(self.tablet.changes.count == count)
        #expect(self.tablet.reports.last?.outcome == .conflicts)
        #expect(try self.tablet.engine.conflicts(in: Meeting.collection).map(\.pk) == ["42"])
    }
}
