import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Deletes in conflict with edits, creates and deletes.
@Suite struct DeletesTests {
    private static func scenario(_ tactic: some Tactic = .autoMerge) throws -> SyncScenario {
        let scenario = try SyncScenario(configuration: SyncConfiguration(rules: .init(tactic: tactic)))
        try scenario.phone.create(["title": "Milk"], pk: "42")
        try scenario.settle()
        return scenario
    }

    private static func answer(_ device: Device, _ verdict: Verdict) throws {
        let conflict = try #require(try device.engine.conflict(of: "42", in: SyncScenario.collection))
        try device.run { (engine) throws(TidemarkError) in try engine.resolve(conflict, verdict).effects }
    }

    @Test(arguments: AutoMerge.DeletePolicy.allCases, [false, true])
    func `edit-vs-tombstone: the loser under each policy is journalled`(
        policy: AutoMerge.DeletePolicy, isInFlight: Bool
    ) throws {
        let scenario = try Self.scenario(AutoMerge(editDelete: policy))
        try scenario.phone.edit("42") { $0.title = "Oat milk" }
        if isInFlight { try scenario.phone.sync(SyncScenario.collection) }
        try scenario.tablet.delete("42")
        try scenario.sync(scenario.tablet)
        if isInFlight {
            for ghost in try scenario.phone.restart() { _ = try scenario.remote.exchangeNow(ghost.request) }
        }
        try scenario.sync(scenario.phone)
        if policy == .ask {
            #expect(try scenario.phone.view("42") == ["title": "Oat milk"], "it can be read while its conflict is open")
            try Self.answer(scenario.phone, .takeServer)
        }
        try scenario.settle()
        #expect(try scenario.onServer("42") == (policy == .editWins ? ["title": "Oat milk"] : nil))
        try scenario.expectAgreement("42")
        let entry = try #require(try scenario.phone.journal().first)
        #expect(entry.lostSide == (policy == .editWins ? .server : .client))
    }

    @Test(arguments: [false, true])
    func `tombstone-vs-edit: an edit that changes nothing any more ends the conflict (R14)`(isRestarted: Bool) throws {
        let scenario = try Self.scenario(AutoMerge(editDelete: .ask))
        let phone = scenario.phone
        try phone.edit("42") { $0.title = "Oat milk" }
        try scenario.tablet.delete("42")
        try scenario.sync(scenario.tablet)
        try scenario.sync(phone)
        #expect(try phone.phase("42") == .edited(.deciding))
        if isRestarted { try phone.restart() }
        let count = phone.events("42").count
        try phone.edit("42") { $0.title = "Milk" }
        #expect(phone.events("42").dropFirst(count) == [.edited, .erased])
        #expect(try phone.phase("42") == .absent)
        #expect(try phone.journal().isEmpty)
        try scenario.settle()
        #expect(phone.reports.last?.outcome == .inSync)
        try scenario.expectAgreement("42")
    }

    @Test(arguments: AutoMerge.DeletePolicy.allCases, [false, true])
    func `tombstone-vs-edit: the loser under each policy is journalled`(
        policy: AutoMerge.DeletePolicy, isInFlight: Bool
    ) throws {
        let scenario = try Self.scenario(AutoMerge(deleteEdit: policy))
        try scenario.phone.delete("42")
        if isInFlight { try scenario.phone.sync(SyncScenario.collection) }
        try scenario.tablet.edit("42") { $0.title = "Oat milk" }
        try scenario.sync(scenario.tablet)
        if isInFlight {
            for ghost in try scenario.phone.restart() { _ = try scenario.remote.exchangeNow(ghost.request) }
        }
        try scenario.sync(scenario.phone)
        if policy == .ask {
            #expect(try scenario.phone.phase("42") == .deleted(.deciding))
            try Self.answer(scenario.phone, .takeClient)
        }
        try scenario.settle()
        #expect(try scenario.onServer("42") == (policy == .editWins ? ["title": "Oat milk"] : nil))
        try scenario.expectAgreement("42")
        let entry = try #require(try scenario.phone.journal().first)
        #expect(entry.lostSide == (policy == .editWins ? .client : .server))
    }

    @Test(arguments: [false, true], [false, true])
    func `delete-vs-delete is no conflict, also with a lost answer or a purged tombstone`(
        isLost: Bool, isPurged: Bool
    ) throws {
        let scenario = try Self.scenario()
        try scenario.phone.edit("42") { $0.title = "Oat milk" }
        try scenario.phone.delete("42")
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.tablet.delete("42")
        try scenario.sync(scenario.tablet)
        if isLost { try scenario.loseAnswer(scenario.phone) }
        if isPurged {
            scenario.server.clock.advance(by: .seconds(200 * 86_400))
            try scenario.server.purge(olderThan: .seconds(1))
        }
        try scenario.carry(scenario.phone)
        try scenario.settle()
        #expect(try scenario.onServer("42") == nil)
        try scenario.expectAgreement("42")
        #expect(try scenario.phone.journal().filter { $0.reason != .resign }.isEmpty)
    }

    @Test(arguments: [false, true], [false, true])
    func `delete-then-recreate-same-pk: the new content wins, also after a lost answer`(
        isSent: Bool, isTabletFirst: Bool
    ) throws {
        let scenario = try Self.scenario()
        try scenario.phone.delete("42")
        if isSent {
            try scenario.phone.sync(SyncScenario.collection)
            try scenario.phone.create(["title": "New"], pk: "42")
            try scenario.loseAnswer(scenario.phone)
        } else {
            try scenario.phone.create(["title": "New"], pk: "42")
        }
        if isTabletFirst { try scenario.sync(scenario.tablet) }
        try scenario.phone.restart()
        try scenario.settle()
        #expect(try scenario.onServer("42") == ["title": "New"])
        try scenario.expectAgreement("42")
    }

    @Test(arguments: ["idle", "out", "lost", "late"])
    func `create-and-delete-offline: another device's create of the same pk stays`(when: String) throws {
        let scenario = try Self.scenario()
        try scenario.phone.create(["from": "phone"], pk: "same")
        var late: ExchangeRequest?
        if when != "idle" {
            try scenario.phone.sync(SyncScenario.collection)
            late = scenario.phone.outbox.first?.request
        }
        try scenario.phone.delete("same")
        try scenario.tablet.create(["from": "tablet"], pk: "same")
        try scenario.sync(scenario.tablet)
        if when == "lost" { try scenario.loseAnswer(scenario.phone) }
        if when == "late" { try scenario.phone.failNext(RemoteFailure(.offline, "late")) }
        try scenario.carry(scenario.phone)
        try scenario.settle()
        if when == "late", let late { _ = try scenario.remote.exchangeNow(late) }
        try scenario.settle()
        #expect(try scenario.onServer("same") == ["from": "tablet"])
        try scenario.expectAgreement("same")
    }

    @Test(arguments: [false, true])
    func `resurrected-deletes: a device away past the tombstone purge restores nothing`(isTouched: Bool) throws {
        let scenario = try Self.scenario()
        try scenario.phone.create(["n": 1], pk: "kept")
        try scenario.settle()
        if isTouched {
            try scenario.tablet.edit("42") { $0.title = "x" }
            try scenario.tablet.edit("42") { $0.title = "Milk" }
            try scenario.tablet.edit("kept") { $0.n = 2 }
        }
        try scenario.phone.delete("42")
        try scenario.sync(scenario.phone)
        scenario.server.clock.advance(by: .seconds(200 * 86_400))
        try scenario.server.purge(olderThan: .seconds(1))
        // The device is also killed during the full resync.
        try scenario.tablet.sync(SyncScenario.collection)
        try scenario.carryOne(scenario.tablet)
        for ghost in try scenario.tablet.restart() { _ = try scenario.remote.exchangeNow(ghost.request) }
        try scenario.settle()
        #expect(try scenario.onServer("42") == nil)
        #expect(try scenario.onServer("kept") == ["n": isTouched ? 2 : 1])
        try scenario.expectAgreement("42")
        try scenario.expectAgreement("kept")
    }
}
