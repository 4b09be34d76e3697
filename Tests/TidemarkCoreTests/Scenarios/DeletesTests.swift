import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Deletes against everything else.
@Suite struct DeletesTests {
    private static func meeting(_ tactic: some Tactic = .autoMerge) throws -> Meeting {
        let meeting = try Meeting(configuration: SyncConfiguration(rules: .init(tactic: tactic)))
        try meeting.phone.create(["title": "Milk"], pk: "42")
        try meeting.settle()
        return meeting
    }

    private static func answer(_ device: Device, _ verdict: Verdict) throws {
        let conflict = try #require(try device.engine.conflict(of: "42", in: Meeting.collection))
        try device.run { (engine) throws(TidemarkError) in try engine.resolve(conflict, verdict).effects }
    }

    @Test(arguments: AutoMerge.DeletePolicy.allCases, [false, true])
    func `edit-vs-tombstone under each policy: what loses is in the journal`(
        policy: AutoMerge.DeletePolicy, isInFlight: Bool
    ) throws {
        let meeting = try Self.meeting(AutoMerge(editDelete: policy))
        try meeting.phone.edit("42") { $0.title = "Oat milk" }
        if isInFlight { try meeting.phone.sync(Meeting.collection) }
        try meeting.tablet.delete("42")
        try meeting.sync(meeting.tablet)
        if isInFlight { for ghost in try meeting.phone.restart() { _ = try meeting.remote.exchangeNow(ghost.request) } }
        try meeting.sync(meeting.phone)
        if policy == .ask {
            #expect(try meeting.phone.view("42") == ["title": "Oat milk"], "it can be read while it is asked about")
            try Self.answer(meeting.phone, .takeServer)
        }
        try meeting.settle()
        #expect(try meeting.onServer("42") == (policy == .editWins ? ["title": "Oat milk"] : nil))
        try meeting.expectAgreement("42")
        let entry = try #require(try meeting.phone.journal().first)
        #expect(entry.lostSide == (policy == .editWins ? .server : .client))
    }

    @Test(arguments: AutoMerge.DeletePolicy.allCases, [false, true])
    func `tombstone-vs-edit under each policy: what loses is in the journal`(
        policy: AutoMerge.DeletePolicy, isInFlight: Bool
    ) throws {
        let meeting = try Self.meeting(AutoMerge(deleteEdit: policy))
        try meeting.phone.delete("42")
        if isInFlight { try meeting.phone.sync(Meeting.collection) }
        try meeting.tablet.edit("42") { $0.title = "Oat milk" }
        try meeting.sync(meeting.tablet)
        if isInFlight { for ghost in try meeting.phone.restart() { _ = try meeting.remote.exchangeNow(ghost.request) } }
        try meeting.sync(meeting.phone)
        if policy == .ask {
            #expect(try meeting.phone.phase("42") == .deleted(.deciding))
            try Self.answer(meeting.phone, .takeClient)
        }
        try meeting.settle()
        #expect(try meeting.onServer("42") == (policy == .editWins ? ["title": "Oat milk"] : nil))
        try meeting.expectAgreement("42")
        let entry = try #require(try meeting.phone.journal().first)
        #expect(entry.lostSide == (policy == .editWins ? .client : .server))
    }

    @Test(arguments: [false, true], [false, true])
    func `delete-vs-delete is no conflict, with the answer lost and the tombstone purged, too`(
        isLost: Bool, isPurged: Bool
    ) throws {
        let meeting = try Self.meeting()
        try meeting.phone.edit("42") { $0.title = "Oat milk" }
        try meeting.phone.delete("42")
        try meeting.phone.sync(Meeting.collection)
        try meeting.tablet.delete("42")
        try meeting.sync(meeting.tablet)
        if isLost { try meeting.loseAnswer(meeting.phone) }
        if isPurged {
            meeting.server.clock.advance(by: .seconds(200 * 86_400))
            try meeting.server.purge(olderThan: .seconds(1))
        }
        try meeting.carry(meeting.phone)
        try meeting.settle()
        #expect(try meeting.onServer("42") == nil)
        try meeting.expectAgreement("42")
        #expect(try meeting.phone.journal().filter { $0.reason != .resign }.isEmpty)
    }

    @Test(arguments: [false, true], [false, true])
    func `delete-then-recreate-same-pk: the new content is there once, whatever became of the delete`(
        isSent: Bool, isTabletFirst: Bool
    ) throws {
        let meeting = try Self.meeting()
        try meeting.phone.delete("42")
        if isSent {
            try meeting.phone.sync(Meeting.collection)
            try meeting.phone.create(["title": "New"], pk: "42")
            try meeting.loseAnswer(meeting.phone)
        } else {
            try meeting.phone.create(["title": "New"], pk: "42")
        }
        if isTabletFirst { try meeting.sync(meeting.tablet) }
        try meeting.phone.restart()
        try meeting.settle()
        #expect(try meeting.onServer("42") == ["title": "New"])
        try meeting.expectAgreement("42")
    }

    @Test(arguments: ["idle", "out", "lost", "late"])
    func `create-and-delete-offline against a create of the same pk elsewhere: that one stays`(when: String) throws {
        let meeting = try Self.meeting()
        try meeting.phone.create(["from": "phone"], pk: "same")
        var late: ExchangeRequest?
        if when != "idle" {
            try meeting.phone.sync(Meeting.collection)
            late = meeting.phone.outbox.first?.request
        }
        try meeting.phone.delete("same")
        try meeting.tablet.create(["from": "tablet"], pk: "same")
        try meeting.sync(meeting.tablet)
        if when == "lost" { try meeting.loseAnswer(meeting.phone) }
        if when == "late" { try meeting.phone.failNext(RemoteFailure(.offline, "late")) }
        try meeting.carry(meeting.phone)
        try meeting.settle()
        if when == "late", let late { _ = try meeting.remote.exchangeNow(late) }
        try meeting.settle()
        #expect(try meeting.onServer("same") == ["from": "tablet"])
        try meeting.expectAgreement("same")
    }

    @Test(arguments: [false, true])
    func `resurrected-deletes: a device that was away for longer than tombstones are kept brings nothing back`(
        isTouched: Bool
    ) throws {
        let meeting = try Self.meeting()
        try meeting.phone.create(["n": 1], pk: "kept")
        try meeting.settle()
        if isTouched {
            try meeting.tablet.edit("42") { $0.title = "x" }
            try meeting.tablet.edit("42") { $0.title = "Milk" }
            try meeting.tablet.edit("kept") { $0.n = 2 }
        }
        try meeting.phone.delete("42")
        try meeting.sync(meeting.phone)
        meeting.server.clock.advance(by: .seconds(200 * 86_400))
        try meeting.server.purge(olderThan: .seconds(1))
        // It is killed in the middle of the listing from the start, too.
        try meeting.tablet.sync(Meeting.collection)
        try meeting.carryOne(meeting.tablet)
        for ghost in try meeting.tablet.restart() { _ = try meeting.remote.exchangeNow(ghost.request) }
        try meeting.settle()
        #expect(try meeting.onServer("42") == nil)
        #expect(try meeting.onServer("kept") == ["n": isTouched ? 2 : 1])
        try meeting.expectAgreement("42")
        try meeting.expectAgreement("kept")
    }
}
