import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkServer
import TidemarkTesting
import Testing

/// Messages that are lost, repeated or late.
@Suite struct RepeatedTests {
    let scenario: SyncScenario
    var phone: Device { self.scenario.phone }
    var tablet: Device { self.scenario.tablet }

    init() throws {
        self.scenario = try SyncScenario()
        try self.scenario.phone.create(["title": "Milk", "count": 1], pk: "42")
        try self.scenario.settle()
    }

    @Test(arguments: 1...4)
    func `lost-ack-create: the record is created once, and the next edit is an edit`(losses: Int) throws {
        try self.phone.create(["n": 1], pk: "new")
        for _ in 0..<losses {
            try self.phone.sync(SyncScenario.collection)
            try self.scenario.loseAnswer(self.phone)
        }
        try self.phone.edit("new") { $0.n = 2 }
        try self.scenario.sync(self.phone)
        #expect(try self.phone.phase("new") == .synced)
        #expect(!self.phone.events("new").contains(.clashed))
        try self.scenario.settle()
        #expect(try self.scenario.onServer("new") == ["n": 2])
        try self.scenario.expectAgreement("new")
    }

    @Test(arguments: [false, true])
    func `lost-ack-edit: another device's later edit of the record stays`(isSameField: Bool) throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(SyncScenario.collection)
        try self.scenario.loseAnswer(self.phone)
        try self.scenario.sync(self.tablet)
        try self.tablet.edit("42") { $0[isSameField ? "title" : "count"] = "tablet" }
        try self.scenario.sync(self.tablet)
        try self.phone.restart()
        try self.scenario.settle()
        try self.scenario.expectAgreement("42")
        #expect(try self.scenario.onServer("42")?[isSameField ? "title" : "count"] == "tablet")
        #expect(try self.scenario.onServer("42")?.title == (isSameField ? "tablet" : "Oat milk"))
    }

    @Test(arguments: [false, true])
    func `lost-ack-delete is done when the server no longer has the record`(isPurged: Bool) throws {
        try self.phone.delete("42")
        try self.phone.sync(SyncScenario.collection)
        try self.scenario.loseAnswer(self.phone)
        #expect(try self.scenario.onServer("42") == nil)
        if isPurged {
            self.scenario.server.clock.advance(by: .seconds(200 * 86_400))
            try self.scenario.server.purge(olderThan: .seconds(1))
        }
        try self.scenario.sync(self.phone)
        #expect(try self.phone.phase("42") == .absent)
        #expect(self.phone.reports.last?.outcome == .inSync)
        try self.scenario.settle()
        try self.scenario.expectAgreement("42")
    }

    @Test func `lost-ack-delete: a record that another device made again stays`() throws {
        try self.phone.delete("42")
        try self.phone.sync(SyncScenario.collection)
        try self.scenario.loseAnswer(self.phone)
        try self.scenario.sync(self.tablet)
        try self.tablet.create(["title": "Again"], pk: "42")
        try self.scenario.sync(self.tablet)
        try self.scenario.settle()
        #expect(try self.scenario.onServer("42") == ["title": "Again"])
        try self.scenario.expectAgreement("42")
    }

    @Test func `late-duplicate-of-refused-create does not restore a deleted record`() throws {
        var limits = ServerLimits()
        limits.record = 100
        let scenario = try SyncScenario(limits: limits)
        let large = JSON.string(JSONString(String(repeating: "x", count: 200)))
        try scenario.phone.create(["n": large], pk: "new")
        try scenario.phone.sync(SyncScenario.collection)
        let duplicate = try #require(scenario.phone.outbox.first).request
        try scenario.carry(scenario.phone)
        #expect(try scenario.phone.phase("new") == .created(.held))
        try scenario.phone.delete("new")
        try scenario.sync(scenario.phone)
        #expect(try scenario.phone.phase("new") == .absent)
        _ = try scenario.remote.exchangeNow(duplicate)
        #expect(try scenario.onServer("new") == nil)
    }

    @Test func `late-duplicate-of-refused-create: a late create is not applied after its delete`() throws {
        try self.phone.create(["n": 1], pk: "new")
        try self.phone.sync(SyncScenario.collection)
        let duplicate = try #require(self.phone.outbox.first).request
        try self.phone.failNext(RemoteFailure(.offline, "lost, or only late"))
        try self.phone.delete("new")
        try self.scenario.sync(self.phone)
        #expect(try self.phone.phase("new") == .absent)
        _ = try self.scenario.remote.exchangeNow(duplicate)
        #expect(try self.scenario.onServer("new") == nil)
        try self.scenario.settle()
        try self.scenario.expectAgreement("new")
    }

    @Test func `stale-cache-200: a stale answer does no harm, and a pending edit is merged`() throws {
        let stale = try self.scenario.remote.exchangeNow(
            ExchangeRequest(collection: SyncScenario.collection, cursor: nil, limit: 500))
        try self.tablet.edit("42") { $0.count = 2 }
        try self.tablet.create(["n": 1], pk: "new")
        try self.scenario.settle()
        try self.phone.sync(SyncScenario.collection)
        let sent = self.phone.outbox.removeFirst()
        try self.phone.receive(stale, for: sent.token)
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.scenario.settle()
        #expect(try self.scenario.onServer("42") == ["title": "Oat milk", "count": 2])
        try self.scenario.expectAgreement("42")
        try self.scenario.expectAgreement("new")
    }

    @Test func `stale-cache-200: a stale full resync restores nothing and loses nothing unsent`() throws {
        let stale = try self.scenario.remote.exchangeNow(
            ExchangeRequest(collection: SyncScenario.collection, cursor: nil, limit: 500))
        try self.tablet.create(["n": 1], pk: "new")
        try self.tablet.delete("42")
        try self.scenario.settle()
        try self.phone.edit("new") { $0.n = 2 }
        try self.phone.sync(SyncScenario.collection)
        try self.phone.failNext(RemoteFailure(.historyLost, "410"))
        let sent = self.phone.outbox.removeFirst()
        try self.phone.receive(stale, for: sent.token)
        try self.scenario.carry(self.phone)
        try self.scenario.settle()
        #expect(try self.scenario.onServer("42") == nil)
        #expect(try self.scenario.onServer("new") == ["n": 2])
        try self.scenario.expectAgreement("42")
        try self.scenario.expectAgreement("new")
    }

    @Test(arguments: ["", "{}", "[]", "null", #"{"items":null,"max_updated_at":"w","more":false}"#, "<html></html>"])
    func `empty-answer-is-not-no-rows: no record is removed, also during a full resync`(body: String) throws {
        let before = self.phone.reports.last?.cursor
        try self.phone.sync(SyncScenario.collection)
        try self.phone.answerNext(body)
        #expect(self.phone.reports.last?.outcome != .inSync)
        #expect(self.phone.reports.last?.cursor == before)
        try self.phone.renew()
        try self.phone.sync(SyncScenario.collection)
        try self.phone.failNext(RemoteFailure(.historyLost, "410"))
        try self.phone.answerNext(body)
        #expect(try self.phone.phase("42") == .synced)
        try self.phone.renew()
        try self.scenario.settle()
        try self.scenario.expectAgreement("42")
    }
}
