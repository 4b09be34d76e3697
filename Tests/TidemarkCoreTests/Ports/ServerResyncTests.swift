import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct ServerResyncTests {
    private let scenario: SyncScenario
    private var phone: Device { self.scenario.phone }

    init() throws {
        self.scenario = try SyncScenario()
        for number in 1...3 { try self.scenario.tablet.create(["n": 1], pk: "t\(number)") }
        try self.scenario.settle()
    }

    private func carryOne(_ change: (inout ExchangeAnswer) throws -> Void) throws {
        let sent = self.phone.outbox.removeFirst()
        self.scenario.server.clock.advance(by: .milliseconds(1))
        var answer = try self.scenario.remote.exchangeNow(sent.request)
        try change(&answer)
        try self.phone.receive(answer, for: sent.token)
    }

    private func page(of pks: Set<String>) throws -> FeedPage {
        let all = try self.scenario.remote.exchangeNow(
            ExchangeRequest(collection: SyncScenario.collection, cursor: nil, limit: 100))
        let rows = all.page.rows.filter { pks.contains(all.page.pk(of: $0)) }
        return FeedPage(bytes: all.page.bytes, rows: rows)
    }

    @Test func `a full resync begun by a partly applied answer drops no unread record (Contract §6)`() throws {
        try self.phone.edit("t3") { $0.a = 2 }
        try self.phone.sync(SyncScenario.collection)
        try self.phone.failNext(RemoteFailure(.offline, "It broke off."))
        try self.scenario.tablet.edit("t3") { $0.b = 2 }
        try self.scenario.sync(self.scenario.tablet)
        try self.phone.sync(SyncScenario.collection)
        try self.carryOne { #expect($0.results.isEmpty, "a GET shows a row of the record whose upload is unconfirmed") }
        #expect(self.phone.outbox.first?.request.uploads.count == 1)
        try self.scenario.tablet.edit("t3") { $0.b = 3 }
        try self.scenario.sync(self.scenario.tablet)
        try self.carryOne { answer in
            answer.page = try self.page(of: ["t1", "t3"])
            answer.beginsResync = true
            answer.hasMore = true
        }
        try self.scenario.carry(self.phone)
        try self.scenario.settle()
        for pk in ["t1", "t2", "t3"] { try self.scenario.expectAgreement(pk) }
    }

    @Test func `a failure of another account inside an answer is refused (Contract §3.5)`() throws {
        for pk in ["a", "b"] { try self.phone.create(["n": 1], pk: pk) }
        try self.phone.sync(SyncScenario.collection)
        let former = try self.phone.store.state(of: SyncScenario.collection)
        try self.carryOne { answer in
            answer.results.removeLast()
            var failure = RemoteFailure(.historyLost, "The cursor has died.", serverRolledBack: true)
            failure.account = "another"
            answer.failure = failure
        }
        #expect(self.phone.reports.last?.failure?.failureClass == .identityChanged)
        #expect(self.phone.outbox.isEmpty)
        #expect(try self.phone.store.state(of: SyncScenario.collection).claim == nil)
        #expect(try self.phone.store.state(of: SyncScenario.collection).cursor == former.cursor)
    }
}
