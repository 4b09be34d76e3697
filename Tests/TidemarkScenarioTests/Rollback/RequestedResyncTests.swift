import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// A full resync that was requested, before its first page arrives (Contract §6).
@Suite struct RequestedResyncTests {
    let server: RestorableServer
    let laptop: Device

    init() throws {
        self.server = try RestorableServer()
        self.laptop = try Device("laptop", seed: 1, clock: self.server.clock)
        for number in 0..<4 { try self.laptop.create(["n": 1], pk: "\(number)") }
        try self.server.sync(self.laptop)
        try self.server.backUp()
    }

    private func phone(_ policy: ServerRollbackPolicy = .journal) throws -> Device {
        var configuration = SyncConfiguration(serverRolledBack: policy)
        configuration.limits.pageSize = 1
        return try Device("phone", seed: 2, clock: self.server.clock, configuration: configuration)
    }

    private func state(of device: Device) throws -> CollectionState {
        try device.store.state(of: SyncScenario.collection)
    }

    /// Another account's server refuses the next request, and answers the one after it.
    private func answerAsAnotherAccount(_ phone: Device) throws {
        try phone.failNext(RemoteFailure(.historyLost, "410", serverRolledBack: true))
        #expect(phone.outbox.map(\.request.cursor) == [nil])
        let sent = phone.outbox.removeFirst()
        var answer = try self.server.exchange(sent.request)
        answer.account = "another"
        try phone.receive(answer, for: sent.token)
        #expect(phone.reports.last?.failure?.failureClass == .identityChanged)
    }

    @Test func `a requested full resync sends only a GET before its first page (R18)`() throws {
        let phone = try self.phone()
        try self.server.sync(phone)
        let former = try self.state(of: phone)
        try phone.create(["n": 2], pk: "new")
        try phone.sync(SyncScenario.collection)
        try phone.failNext(RemoteFailure(.historyLost, "410"))
        let claimed = former.with { $0.claim = .historyLost }
        #expect(try self.state(of: phone).with { $0.exchangeMemory = nil } == claimed, "and nothing else has changed")
        try phone.restart()
        try phone.sync(SyncScenario.collection)
        let request = try #require(phone.outbox.first?.request)
        #expect(request.uploads.isEmpty && request.cursor == nil && request.seen == former.cursor)
        #expect(try phone.store.record("new", in: SyncScenario.collection)?.upload?.recognition == .byAnswer)
        try self.server.carryOne(phone)
        #expect(try phone.store.record("new", in: SyncScenario.collection)?.upload?.recognition == .byContent)
        #expect(try self.state(of: phone).resync == CollectionState.Resync(.historyLost, isRunning: true))
        #expect(try self.state(of: phone).resyncGeneration == former.resyncGeneration + 1)
        try self.server.sync(phone)
        #expect(try self.state(of: phone).resync == nil)
        #expect(try self.server.content("new") == ["n": 2])
    }

    @Test func `a malformed item that was quarantined before a full resync needs no more tries (Contract §3.5)`() throws
    {
        let phone = try Device("phone", seed: 1, clock: ManualClock())
        let odd = answerBody(items: #"{"pk":"x","updated_at":1,"is_active":true,"data":7}"#)
        for _ in 1...SyncLimits().malformedTries {
            try phone.sync(SyncScenario.collection)
            try phone.answerNext(odd)
        }
        #expect(phone.reports.last?.outcome == .held)
        try phone.sync(SyncScenario.collection)
        try phone.failNext(RemoteFailure(.historyLost, "410"))
        try phone.answerNext(odd)
        #expect(phone.reports.last?.outcome == .held)
        #expect(phone.reports.last?.held == ["x"])
        #expect(try self.state(of: phone).resync == nil)
    }

    @Test(arguments: [false, true])
    func `a refusal that another account's answer withdraws changes nothing (W8)`(isRunning: Bool) throws {
        let phone = try self.phone()
        try self.server.sync(phone)
        try phone.sync(SyncScenario.collection)
        if isRunning {
            try phone.failNext(RemoteFailure(.historyLost, "410"))
            try self.server.carryOne(phone)
        }
        let former = try self.state(of: phone)
        #expect(former.resync?.isRunning == (isRunning ? true : nil))
        try self.answerAsAnotherAccount(phone)
        #expect(try self.state(of: phone).with { $0.exchangeMemory = nil } == former)
        try phone.renew()
        try phone.sync(SyncScenario.collection)
        #expect(phone.outbox.map(\.request.cursor) == [former.cursor])
        try self.server.sync(phone)
        #expect(try phone.journal().isEmpty)
        for number in 0..<4 { #expect(try phone.phase("\(number)") == .synced) }
    }

    @Test func `another account's answer does not withdraw a full resync requested here (W8)`() throws {
        let phone = try self.phone()
        try self.server.sync(phone)
        try phone.strikeContent(of: "1")
        try phone.resign("1")
        try phone.sync(SyncScenario.collection)
        try self.answerAsAnotherAccount(phone)
        #expect(try self.state(of: phone).resync == CollectionState.Resync(.wanted))
        #expect(try self.state(of: phone).claim == nil)
        try phone.renew()
        try self.server.sync(phone)
        #expect(try phone.view("1") == ["n": 1])
        #expect(try phone.journal().allSatisfy { $0.reason != .serverRolledBack })
    }

    @Test func `a damaged record resigned during a full resync hides no lost value (I1)`() throws {
        let phone = try self.phone()
        try self.server.sync(phone)
        try self.laptop.edit("3") { $0.n = 2 }
        try self.server.sync(self.laptop, phone)
        try self.server.putBack()
        try phone.sync(SyncScenario.collection)
        for _ in 0..<2 { try self.server.carryOne(phone) }
        #expect(try self.state(of: phone).resync == CollectionState.Resync(.rollback, isRunning: true))
        try phone.failNext(RemoteFailure(.offline, "The network is gone."))
        try phone.strikeContent(of: "1")
        try phone.resign("1")
        #expect(try self.state(of: phone).resync == CollectionState.Resync(.rollback))
        try self.server.sync(phone)
        #expect(try phone.journal().filter { $0.reason == .serverRolledBack }.map(\.path.text) == ["/n"])
        #expect(try phone.view("1") == ["n": 1] && phone.view("3") == ["n": 1])
    }

    @Test(arguments: [ServerRollbackPolicy.journal, .pause])
    func `another epoch on the first page of a full resync is a rollback (I1)`(policy: ServerRollbackPolicy) throws {
        let phone = try self.phone(policy)
        try self.server.sync(phone)
        let former = try self.state(of: phone)
        try self.server.setUpAnew()
        try self.laptop.create(["n": 5], pk: "new")
        try phone.sync(SyncScenario.collection)
        // The server gives another reason.
        try phone.failNext(RemoteFailure(.historyLost, "That is too old."))
        let sent = phone.outbox.removeFirst()
        let request = ExchangeRequest(collection: SyncScenario.collection, cursor: nil, limit: 1)
        try phone.receive(try self.server.exchange(request), for: sent.token)
        if policy == .pause {
            #expect(phone.reports.last?.outcome == .unreachable)
            #expect(try self.state(of: phone).epoch == former.epoch)
            for number in 0..<4 { #expect(try phone.phase("\(number)") == .synced) }
            try phone.renew()
        }
        try self.server.sync(phone)
        #expect(try self.state(of: phone).epoch != former.epoch)
        #expect(try phone.journal().filter { $0.reason == .serverRolledBack }.count == 4)
        #expect(try phone.phase("0") == .absent)
    }
}

extension CollectionState {
    fileprivate func with(_ change: (inout CollectionState) -> Void) -> CollectionState {
        var state = self
        change(&state)
        return state
    }
}

extension Device {
    /// Replaces the content of a stored record by truncated JSON, and restarts.
    fileprivate func strikeContent(of pk: String) throws {
        try self.store.transaction { () throws(TidemarkError) in
            guard var record = try self.store.record(pk, in: SyncScenario.collection) else { return }
            record.confirmed.data = Array(#"{"title":"Mi"#.utf8)
            try self.store.save(record, in: SyncScenario.collection)
        }
        try self.restart()
    }
}
