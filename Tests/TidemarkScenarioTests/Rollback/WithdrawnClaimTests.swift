import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// State after a refusal that another account's answer withdraws.
@Suite struct WithdrawnClaimTests {
    let server: RestorableServer
    let laptop: Device

    init() throws {
        self.server = try RestorableServer()
        self.laptop = try Device("laptop", seed: 1, clock: self.server.clock)
        for number in 0..<2 { try self.laptop.create(["n": 1], pk: "\(number)") }
        try self.server.sync(self.laptop)
    }

    @Test func `a full resync that another account answered does not count as done (Contract §12)`() throws {
        var capabilities = RemoteCapabilities.native
        capabilities.tombstones = .kept(.seconds(1000), isSignalled: false)
        let phone = try Device("phone", seed: 2, clock: self.server.clock, capabilities: capabilities)
        try self.server.sync(phone)
        let former = try phone.store.state(of: SyncScenario.collection).resyncBegan
        self.server.clock.advance(by: .seconds(900))
        try phone.sync(SyncScenario.collection)
        try phone.failNext(RemoteFailure(.historyLost, "410"))
        let sent = phone.outbox.removeFirst()
        var answer = try self.server.exchange(sent.request)
        answer.account = "another"
        try phone.receive(answer, for: sent.token)
        #expect(try phone.store.state(of: SyncScenario.collection).claim == nil)
        #expect(try phone.store.state(of: SyncScenario.collection).resyncBegan == former)
    }
}
