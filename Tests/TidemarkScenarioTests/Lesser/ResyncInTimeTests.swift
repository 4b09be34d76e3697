import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `A server that forgets deletions silently (Contract §12)` {
    private static let quirks = LesserServer.Quirks(forgetsDeletions: true)

    private func inSync(as declared: RemoteCapabilities? = nil) throws -> LesserScenario {
        let scenario = try LesserScenario(Self.quirks, as: declared)
        for pk in ["1", "2"] { try scenario.phone.create(["a": 1], pk: pk) }
        try scenario.settle()
        return scenario
    }

    /// The phone deletes a record, and the server forgets the deletion before the tablet syncs.
    private func deletedAndForgotten(as declared: RemoteCapabilities? = nil) throws -> LesserScenario {
        let scenario = try self.inSync(as: declared)
        try scenario.phone.delete("1")
        try scenario.sync(scenario.phone)
        scenario.clock.advance(by: .seconds(61))
        scenario.server.forgetDeletions()
        return scenario
    }

    private func requests(of device: Device, _ scenario: LesserScenario) throws -> [ExchangeRequest] {
        var requests: [ExchangeRequest] = []
        try device.sync(SyncScenario.collection)
        while let sent = device.outbox.first {
            requests.append(sent.request)
            try scenario.carryOne(device)
        }
        return requests
    }

    @Test func `a periodic full resync removes records deleted on the server (I3)`() throws {
        let scenario = try self.deletedAndForgotten()
        try scenario.settle()
        #expect(try scenario.tablet.phase("1") == .absent)
        #expect(try scenario.tablet.view("2") == ["a": 1])
    }

    @Test func `a server that falsely declares that it signals its horizon gets no periodic full resync`() throws {
        let scenario = try self.deletedAndForgotten(as: .native)
        try scenario.settle()
        #expect(try scenario.tablet.phase("1") == .synced)
    }

    @Test func `a periodic full resync keeps unsent changes, and sends them afterwards`() throws {
        let scenario = try self.deletedAndForgotten()
        try scenario.tablet.edit("1") { $0.a = 2 }
        try scenario.tablet.edit("2") { $0.a = 2 }
        try scenario.tablet.create(["a": 3], pk: "3")
        let requests = try self.requests(of: scenario.tablet, scenario)
        #expect(requests[0].uploads.isEmpty && requests[0].cursor == nil)
        try scenario.settle()
        for device in [scenario.phone, scenario.tablet] {
            #expect(try device.view("1") == ["a": 2])
            #expect(try device.view("2") == ["a": 2])
            #expect(try device.view("3") == ["a": 3])
        }
    }

    @Test func `an unconfirmed upload is sent again unchanged by a periodic full resync (R17)`() throws {
        let scenario = try self.inSync()
        try scenario.tablet.edit("2") { $0.a = 2 }
        try scenario.tablet.sync(SyncScenario.collection)
        let former = try #require(scenario.tablet.outbox.first?.request.uploads.first)
        try scenario.loseAnswer(scenario.tablet)
        scenario.clock.advance(by: .seconds(400))
        let requests = try self.requests(of: scenario.tablet, scenario)
        #expect(requests[0].cursor == nil)
        let sent = requests.flatMap(\.uploads)
        #expect(sent.allSatisfy { $0.encodedEdit == former.encodedEdit })
        #expect(try scenario.tablet.view("2") == ["a": 2])
        #expect(try scenario.tablet.phase("2") == .synced)
    }

    @Test func `a full resync is begun once in each period, also across a restart`() throws {
        let scenario = try self.deletedAndForgotten()
        #expect(try self.requests(of: scenario.tablet, scenario).map(\.cursor).first == .some(nil))
        try scenario.tablet.restart()
        scenario.clock.advance(by: .seconds(30))
        #expect(try self.requests(of: scenario.tablet, scenario).allSatisfy { $0.cursor != nil })
        scenario.clock.advance(by: .seconds(31))
        #expect(try self.requests(of: scenario.tablet, scenario).first?.cursor == nil)
    }

    /// The tablet received a row of record 1, and its cursor stayed, since its edit of 2 was resigned during the POST.
    private func receivedBeyondCursor() throws -> LesserScenario {
        let scenario = try self.inSync()
        for pk in ["1", "2"] { try scenario.tablet.edit(pk) { $0.b = 2 } }
        try scenario.tablet.sync(SyncScenario.collection)
        try scenario.tablet.resign("2")
        try scenario.carryOne(scenario.tablet)
        try scenario.tablet.failNext(RemoteFailure(.offline, "the network is gone"))
        return scenario
    }

    @Test func `a received row that was deleted and forgotten does not count as lost (I1)`() throws {
        let scenario = try self.receivedBeyondCursor()
        try scenario.phone.create(["a": 1], pk: "3")
        try scenario.sync(scenario.phone)
        try scenario.phone.delete("1")
        try scenario.sync(scenario.phone)
        scenario.clock.advance(by: .seconds(400))
        scenario.server.forgetDeletions()
        try scenario.settle()
        #expect(try scenario.tablet.phase("1") == .absent)
        #expect(scenario.tablet.reports.allSatisfy { $0.lostByServer == nil })
        #expect(try scenario.tablet.journal().allSatisfy { $0.reason != .serverRolledBack })
    }

    @Test func `a store without the time of its last full resync begins one`() throws {
        let scenario = try self.inSync()
        let device = scenario.tablet
        try device.store.transaction { () throws(TidemarkError) in
            var state = try device.store.state(of: SyncScenario.collection)
            state.resyncBegan = nil
            try device.store.save(state, of: SyncScenario.collection)
        }
        #expect(try self.requests(of: device, scenario).first?.cursor == nil)
        #expect(try device.store.state(of: SyncScenario.collection).resyncBegan != nil)
    }

    @Test func `the time of a last full resync in the future is ignored`() throws {
        let scenario = try self.inSync()
        let device = scenario.tablet
        try device.store.transaction { () throws(TidemarkError) in
            var state = try device.store.state(of: SyncScenario.collection)
            state.resyncBegan = scenario.clock.now + .seconds(10_000)
            try device.store.save(state, of: SyncScenario.collection)
        }
        #expect(try self.requests(of: device, scenario).first?.cursor == nil)
    }

    @Test func `a server that signals its horizon gets no periodic full resync`() throws {
        let scenario = try self.inSync(as: .native)
        scenario.clock.advance(by: .seconds(1_000_000_000))
        #expect(try self.requests(of: scenario.tablet, scenario).allSatisfy { $0.cursor != nil })
        #expect(try scenario.tablet.store.state(of: SyncScenario.collection).resyncBegan == nil)
    }
}
