import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// A full resync that was requested, and whose first page has not come (SPEC §6).
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

    private func phone(_ policy: ServerWentBackPolicy = .journal) throws -> Device {
        var configuration = SyncConfiguration(serverWentBack: policy)
        configuration.limits.pageSize = 1
        return try Device("phone", seed: 2, clock: self.server.clock, configuration: configuration)
    }

    private func state(of device: Device) throws -> CollectionState {
        try device.store.state(of: Meeting.collection)
    }

    /// Another account's server refuses the next request, and answers the one after it.
    private func meetAStranger(_ phone: Device) throws {
        try phone.failNext(RemoteFailure(.historyLost, "410", serverWentBack: true))
        #expect(phone.outbox.map(\.request.watermark) == [nil])
        let sent = phone.outbox.removeFirst()
        var answer = try self.server.exchange(sent.request)
        answer.account = "another"
        try phone.receive(answer, for: sent.token)
        #expect(phone.reports.last?.failure?.failureClass == .identityChanged)
    }

    @Test func `R18 until its first page comes, the only request is a GET without a cursor, also after a restart`()
        throws
    {
        let phone = try self.phone()
        try self.server.sync(phone)
        let former = try self.state(of: phone)
        try phone.create(["n": 2], pk: "new")
        try phone.sync(Meeting.collection)
        try phone.failNext(RemoteFailure(.historyLost, "410"))
        let claimed = former.with { $0.claim = .historyLost }
        #expect(try self.state(of: phone).with { $0.trouble = nil } == claimed, "and nothing else has changed")
        try phone.restart()
        try phone.sync(Meeting.collection)
        let request = try #require(phone.outbox.first?.request)
        #expect(request.uploads.isEmpty && request.watermark == nil && request.seen == former.watermark)
        #expect(try phone.store.record("new", in: Meeting.collection)?.upload?.recognition == .byAnswer)
        try self.server.carryOne(phone)
        #expect(try phone.store.record("new", in: Meeting.collection)?.upload?.recognition == .byContent)
        #expect(try self.state(of: phone).resync == CollectionState.Resync(.historyLost, isRunning: true))
        #expect(try self.state(of: phone).listing == former.listing + 1)
        try self.server.sync(phone)
        #expect(try self.state(of: phone).resync == nil)
        #expect(try self.server.content("new") == ["n": 2])
    }

    @Test(arguments: [false, true])
    func `W8 a refusal that another account's answer withdraws leaves everything as it was`(isRunning: Bool) throws {
        let phone = try self.phone()
        try self.server.sync(phone)
        try phone.sync(Meeting.collection)
        if isRunning {
            try phone.failNext(RemoteFailure(.historyLost, "410"))
            try self.server.carryOne(phone)
        }
        let former = try self.state(of: phone)
        #expect(former.resync?.isRunning == (isRunning ? true : nil))
        try self.meetAStranger(phone)
        #expect(try self.state(of: phone).with { $0.trouble = nil } == former)
        try phone.renew()
        try phone.sync(Meeting.collection)
        #expect(phone.outbox.map(\.request.watermark) == [former.watermark])
        try self.server.sync(phone)
        #expect(try phone.journal().isEmpty)
        for number in 0..<4 { #expect(try phone.phase("\(number)") == .synced) }
    }

    @Test func `W8 another account's answer does not withdraw what was requested here`() throws {
        let phone = try self.phone()
        try self.server.sync(phone)
        try phone.strikeContent(of: "1")
        try phone.resign("1")
        try phone.sync(Meeting.collection)
        try self.meetAStranger(phone)
        #expect(try self.state(of: phone).resync == CollectionState.Resync(.wanted))
        #expect(try self.state(of: phone).claim == nil)
        try phone.renew()
        try self.server.sync(phone)
        #expect(try phone.view("1") == ["n": 1])
        #expect(try phone.journal().allSatisfy { $0.reason != .serverWentBack })
    }

    @Test
    func `I1 a damaged record that is resigned during a full resync after a rollback hides nothing that was lost`()
        throws
    {
        let phone = try self.phone()
        try self.server.sync(phone)
        try self.laptop.edit("3") { $0.n = 2 }
        try self.server.sync(self.laptop, phone)
        try self.server.putBack()
        try phone.sync(Meeting.collection)
        for _ in 0..<2 { try self.server.carryOne(phone) }
        #expect(try self.state(of: phone).resync == CollectionState.Resync(.rollback, isRunning: true))
        try phone.failNext(RemoteFailure(.offline, "The network is gone."))
        try phone.strikeContent(of: "1")
        try phone.resign("1")
        #expect(try self.state(of: phone).resync == CollectionState.Resync(.rollback))
        try self.server.sync(phone)
        #expect(try phone.journal().filter { $0.reason == .serverWentBack }.map(\.path.text) == ["/n"])
        #expect(try phone.view("1") == ["n": 1] && phone.view("3") == ["n": 1])
    }

    @Test(arguments: [ServerWentBackPolicy.journal, .pause])
    func `I1 another epoch on the first page of a full resync is a rollback, before the page is applied`(
        policy: ServerWentBackPolicy
    ) throws {
        let phone = try self.phone(policy)
        try self.server.sync(phone)
        let former = try self.state(of: phone)
        try self.server.setUpAnew()
        try self.laptop.create(["n": 5], pk: "new")
        try phone.sync(Meeting.collection)
        // The reason that is given is another.
        try phone.failNext(RemoteFailure(.historyLost, "That is too old."))
        let sent = phone.outbox.removeFirst()
        let request = ExchangeRequest(collection: Meeting.collection, watermark: nil, limit: 1)
        try phone.receive(try self.server.exchange(request), for: sent.token)
        if policy == .pause {
            #expect(phone.reports.last?.outcome == .unreachable)
            #expect(try self.state(of: phone).epoch == former.epoch)
            for number in 0..<4 { #expect(try phone.phase("\(number)") == .synced) }
            try phone.renew()
        }
        try self.server.sync(phone)
        #expect(try self.state(of: phone).epoch != former.epoch)
        #expect(try phone.journal().filter { $0.reason == .serverWentBack }.count == 4)
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
    /// The file has something else in the place of a record's content.
    fileprivate func strikeContent(of pk: String) throws {
        try self.store.transaction { () throws(TidemarkError) in
            guard var record = try self.store.record(pk, in: Meeting.collection) else { return }
            record.confirmed.data = Array(#"{"title":"Mi"#.utf8)
            try self.store.save(record, in: Meeting.collection)
        }
        try self.restart()
    }
}
