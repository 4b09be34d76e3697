import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// The most common complaint about sync: the client could send changes, and does not.
@Suite struct StuckQueuesTests {
    let scenario: SyncScenario
    var phone: Device { self.scenario.phone }

    init() throws {
        self.scenario = try SyncScenario()
        try self.scenario.phone.create(["title": "Milk"], pk: "42")
        try self.scenario.settle()
    }

    @Test(arguments: 0..<8)
    func `throw-then-no-more-writes: a failed write does not block later ones`(write: Int) throws {
        let full = TidemarkError(.storeFull, "The disk is full.")
        try self.phone.edit("42") { $0.title = "Oat milk" }
        self.phone.store.failNextWrite(after: write, with: full)
        try? self.phone.edit("42") { $0.n = 1 }
        try? self.scenario.sync(self.phone)
        try? self.phone.create(["n": 1], pk: "new")
        self.phone.outbox = []
        try self.phone.edit("42") { $0.n = 2 }
        try? self.phone.create(["n": 1], pk: "new")
        // The network drops all requests that were pending when the disk was full.
        try self.phone.restart()
        try self.scenario.settle()
        #expect(try self.scenario.onServer("42") == ["title": "Oat milk", "n": 2])
        #expect(try self.scenario.onServer("new") == ["n": 1])
        try self.scenario.expectAgreement("42")
    }

    @Test(arguments: FailureClass.allCases)
    func `connected-but-stuck: the sync after a failure of any class sends all edits`(failure: FailureClass) throws {
        for number in 0..<7 {
            try self.phone.edit("42") { $0.n = .number(JSONNumber(number)) }
            try self.phone.create([:], pk: "new \(number)")
            try self.phone.sync(SyncScenario.collection)
            guard !self.phone.outbox.isEmpty else { continue }
            try self.phone.failNext(RemoteFailure(failure, "no"))
            // The request that follows this failure class is lost, too.
            if !self.phone.outbox.isEmpty { try self.phone.failNext(RemoteFailure(.offline, "no")) }
        }
        try self.phone.renew()
        for pk in try self.phone.engine.status(of: SyncScenario.collection).held.map(\.pk) {
            try self.phone.run { (engine) throws(TidemarkError) in try engine.retry(pk, in: SyncScenario.collection) }
        }
        try self.scenario.sync(self.phone)
        #expect(self.phone.reports.last?.outcome == .inSync)
        try self.scenario.settle()
        #expect(try self.scenario.onServer("42") == ["title": "Milk", "n": 6])
        for number in 0..<7 { try self.scenario.expectAgreement("new \(number)") }
    }

    @Test func `pause-during-retry: an earlier wake does not end the pause, and renew ends both`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(SyncScenario.collection)
        try self.phone.failNext(RemoteFailure(.busy, "503", retryAfter: .delay(.seconds(5))))
        let until = try #require(self.phone.wakes[SyncScenario.collection])
        try self.phone.sync(SyncScenario.collection)
        try self.phone.failNext(RemoteFailure(.auth, "401"))
        try self.phone.run { (engine) throws(TidemarkError) in try engine.wake(SyncScenario.collection, now: until) }
        #expect(self.phone.outbox.isEmpty)
        try self.phone.renew()
        try self.phone.run { (engine) throws(TidemarkError) in try engine.wake(SyncScenario.collection, now: until) }
        try self.scenario.sync(self.phone)
        #expect(try self.phone.phase("42") == .synced)
        #expect(self.phone.reports.last?.outcome == .inSync)
    }

    @Test func `pause-during-retry: renew during a wait or a request does no harm`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(SyncScenario.collection)
        try self.phone.renew()
        try self.phone.failNext(RemoteFailure(.busy, "503"))
        try self.phone.renew()
        try self.scenario.sync(self.phone)
        #expect(try self.scenario.onServer("42") == ["title": "Oat milk"])
    }

    @Test(arguments: [1, 2, 3, 4, 6, 7], [1, 2, 3, 6])
    func `page-size-equals-number-of-changes: all changes sync, and then one GET suffices`(
        pageSize: Int, batchSize: Int
    ) throws {
        var configuration = SyncConfiguration()
        configuration.limits.pageSize = pageSize
        configuration.limits.batchSize = batchSize
        let scenario = try SyncScenario(configuration: configuration)
        for number in 0..<6 {
            try scenario.phone.create(["n": 1], pk: "p\(number)")
            try scenario.tablet.create(["n": 2], pk: "t\(number)")
        }
        try scenario.settle()
        for number in 0..<6 {
            try scenario.expectAgreement("p\(number)")
            try scenario.expectAgreement("t\(number)")
        }
        for device in scenario.devices {
            #expect(device.reports.last?.outcome == .inSync)
            #expect(device.reports.last?.requests == 1)
        }
    }

    @Test func `error-state-is-cleared by the next success, and the back-off starts anew`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        for _ in 0..<4 {
            try self.phone.sync(SyncScenario.collection)
            try self.phone.failNext(RemoteFailure(.offline, "no route"))
        }
        #expect(self.phone.reports.last?.failure != nil)
        try self.scenario.sync(self.phone)
        #expect(self.phone.reports.last?.failure == nil)
        #expect(self.phone.reports.last?.nextTry == nil)
        #expect(self.phone.reports.last?.outcome == .inSync)
        try self.phone.edit("42") { $0.title = "Soy milk" }
        #expect(!(try self.phone.engine.explain("42", in: SyncScenario.collection)).next.contains("no route"))
        let now = self.scenario.server.clock.now
        try self.phone.sync(SyncScenario.collection)
        try self.phone.failNext(RemoteFailure(.offline, "no route"))
        #expect(try #require(self.phone.reports.last?.nextTry) <= now + .seconds(1))
    }

    @Test func `unresolved-conflict-after-crash stays open, and other records sync`() throws {
        let scenario = try SyncScenario(configuration: SyncConfiguration(rules: .init(tactic: .askUser)))
        try scenario.phone.create(["title": "Milk"], pk: "42")
        try scenario.settle()
        try scenario.phone.edit("42") { $0.title = "Oat milk" }
        try scenario.sync(scenario.phone)
        try scenario.tablet.edit("42") { $0.title = "Soy milk" }
        try scenario.tablet.sync(SyncScenario.collection)
        for ghost in try scenario.tablet.restart() { _ = try scenario.remote.exchangeNow(ghost.request) }
        try scenario.sync(scenario.tablet)
        #expect(scenario.tablet.reports.last?.conflicts == ["42"])
        try scenario.tablet.restart()
        try scenario.tablet.create(["n": 1], pk: "other")
        try scenario.sync(scenario.tablet)
        #expect(scenario.tablet.reports.last?.conflicts == ["42"])
        #expect(try scenario.tablet.phase("other") == .synced)
        let conflict = try #require(try scenario.tablet.engine.conflict(of: "42", in: SyncScenario.collection))
        try scenario.tablet.run { (engine) throws(TidemarkError) in try engine.resolve(conflict, .takeClient).effects }
        try scenario.settle()
        #expect(try scenario.onServer("42") == ["title": "Soy milk"])
        try scenario.expectAgreement("42")
    }
}
