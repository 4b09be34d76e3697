import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// The first complaint everywhere: something could be sent, and nothing will.
@Suite struct StuckQueuesTests {
    let meeting: Meeting
    var phone: Device { self.meeting.phone }

    init() throws {
        self.meeting = try Meeting()
        try self.meeting.phone.create(["title": "Milk"], pk: "42")
        try self.meeting.settle()
    }

    @Test(arguments: 0..<8)
    func `throw-then-no-more-writes: one write that failed is the last word on nothing`(write: Int) throws {
        let full = TidemarkError(.storeFull, "The disk is full.")
        try self.phone.edit("42") { $0.title = "Oat milk" }
        self.phone.store.failNextWrite(after: write, with: full)
        try? self.phone.edit("42") { $0.n = 1 }
        try? self.meeting.sync(self.phone)
        try? self.phone.create(["n": 1], pk: "new")
        self.phone.outbox = []
        try self.phone.edit("42") { $0.n = 2 }
        try? self.phone.create(["n": 1], pk: "new")
        // Whatever was out when the disk was full has been forgotten by a network that drops it.
        try self.phone.restart()
        try self.meeting.settle()
        #expect(try self.meeting.onServer("42") == ["title": "Oat milk", "n": 2])
        #expect(try self.meeting.onServer("new") == ["n": 1])
        try self.meeting.expectAgreement("42")
    }

    @Test(arguments: FailureClass.allCases)
    func `connected-but-stuck: after a failure of any class the next sync sends all that is pending`(
        failure: FailureClass
    ) throws {
        for number in 0..<7 {
            try self.phone.edit("42") { $0.n = .number(JSONNumber(number)) }
            try self.phone.create([:], pk: "new \(number)")
            try self.phone.sync(Meeting.collection)
            guard !self.phone.outbox.isEmpty else { continue }
            try self.phone.failNext(RemoteFailure(failure, "no"))
            // What the class made it ask anew is lost, too.
            if !self.phone.outbox.isEmpty { try self.phone.failNext(RemoteFailure(.offline, "no")) }
        }
        try self.phone.renew()
        for pk in try self.phone.engine.status(of: Meeting.collection).held.map(\.pk) {
            try self.phone.run { (engine) throws(TidemarkError) in try engine.release(pk, in: Meeting.collection) }
        }
        try self.meeting.sync(self.phone)
        #expect(self.phone.reports.last?.outcome == .inStep)
        try self.meeting.settle()
        #expect(try self.meeting.onServer("42") == ["title": "Milk", "n": 6])
        for number in 0..<7 { try self.meeting.expectAgreement("new \(number)") }
    }

    @Test func `pause-during-retry: a wake of before does not end the pause, and renewing ends both`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(Meeting.collection)
        try self.phone.failNext(RemoteFailure(.busy, "503", retryAfter: .delay(.seconds(5))))
        let until = try #require(self.phone.wakes[Meeting.collection])
        try self.phone.sync(Meeting.collection)
        try self.phone.failNext(RemoteFailure(.auth, "401"))
        try self.phone.run { (engine) throws(TidemarkError) in try engine.wake(Meeting.collection, now: until) }
        #expect(self.phone.outbox.isEmpty)
        try self.phone.renew()
        try self.phone.run { (engine) throws(TidemarkError) in try engine.wake(Meeting.collection, now: until) }
        try self.meeting.sync(self.phone)
        #expect(try self.phone.phase("42") == .synced)
        #expect(self.phone.reports.last?.outcome == .inStep)
    }

    @Test func `pause-during-retry: renewing while it waits, or while a request is out, breaks nothing`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(Meeting.collection)
        try self.phone.renew()
        try self.phone.failNext(RemoteFailure(.busy, "503"))
        try self.phone.renew()
        try self.meeting.sync(self.phone)
        #expect(try self.meeting.onServer("42") == ["title": "Oat milk"])
    }

    @Test(arguments: [1, 2, 3, 4, 6, 7], [1, 2, 3, 6])
    func `page-size-equals-number-of-changes: all go, and all come, and then it rests`(
        pageSize: Int, batchSize: Int
    ) throws {
        var configuration = SyncConfiguration()
        configuration.limits.pageSize = pageSize
        configuration.limits.batchSize = batchSize
        let meeting = try Meeting(configuration: configuration)
        for number in 0..<6 {
            try meeting.phone.create(["n": 1], pk: "p\(number)")
            try meeting.tablet.create(["n": 2], pk: "t\(number)")
        }
        try meeting.settle()
        for number in 0..<6 {
            try meeting.expectAgreement("p\(number)")
            try meeting.expectAgreement("t\(number)")
        }
        for device in meeting.devices {
            #expect(device.reports.last?.outcome == .inStep)
            #expect(device.reports.last?.requests == 1)
        }
    }

    @Test func `error-state-is-cleared by the next success, and the waits begin anew`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        for _ in 0..<4 {
            try self.phone.sync(Meeting.collection)
            try self.phone.failNext(RemoteFailure(.offline, "no route"))
        }
        #expect(self.phone.reports.last?.failure != nil)
        try self.meeting.sync(self.phone)
        #expect(self.phone.reports.last?.failure == nil)
        #expect(self.phone.reports.last?.nextTry == nil)
        #expect(self.phone.reports.last?.outcome == .inStep)
        try self.phone.edit("42") { $0.title = "Soy milk" }
        #expect(!(try self.phone.engine.explain("42", in: Meeting.collection)).next.contains("no route"))
        let now = self.meeting.server.clock.now
        try self.phone.sync(Meeting.collection)
        try self.phone.failNext(RemoteFailure(.offline, "no route"))
        #expect(try #require(self.phone.reports.last?.nextTry) <= now + .seconds(1))
    }

    @Test func `unresolved-conflict-after-crash is asked again, and the rest goes on`() throws {
        let meeting = try Meeting(configuration: SyncConfiguration(rules: .init(tactic: .askUser)))
        try meeting.phone.create(["title": "Milk"], pk: "42")
        try meeting.settle()
        try meeting.phone.edit("42") { $0.title = "Oat milk" }
        try meeting.sync(meeting.phone)
        try meeting.tablet.edit("42") { $0.title = "Soy milk" }
        try meeting.tablet.sync(Meeting.collection)
        for ghost in try meeting.tablet.restart() { _ = try meeting.remote.exchangeNow(ghost.request) }
        try meeting.sync(meeting.tablet)
        #expect(meeting.tablet.reports.last?.conflicts == ["42"])
        try meeting.tablet.restart()
        try meeting.tablet.create(["n": 1], pk: "other")
        try meeting.sync(meeting.tablet)
        #expect(meeting.tablet.reports.last?.conflicts == ["42"])
        #expect(try meeting.tablet.phase("other") == .synced)
        let conflict = try #require(try meeting.tablet.engine.conflict(of: "42", in: Meeting.collection))
        try meeting.tablet.run { (engine) throws(TidemarkError) in try engine.resolve(conflict, .takeClient).effects }
        try meeting.settle()
        #expect(try meeting.onServer("42") == ["title": "Soy milk"])
        try meeting.expectAgreement("42")
    }
}
