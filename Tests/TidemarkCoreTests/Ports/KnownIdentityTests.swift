import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

@Suite struct `The known account and epoch in a request` {
    private let scenario: SyncScenario
    private var phone: Device { self.scenario.phone }

    init() throws {
        self.scenario = try SyncScenario()
    }

    private func known(_ collection: String = SyncScenario.collection) throws -> ServerIdentity {
        try self.phone.sync(collection)
        return try #require(self.phone.outbox.first).request.known
    }

    @Test func `a request before the first answer names no account and no epoch`() throws {
        try self.phone.create(["n": 1], pk: "1")
        #expect(try self.known() == ServerIdentity())
    }

    @Test func `a later request names the store's account and the collection's epoch`() throws {
        try self.phone.sync(SyncScenario.collection)
        let sent = self.phone.outbox.removeFirst()
        let answer = try self.scenario.remote.exchangeNow(sent.request)
        try self.phone.receive(answer, for: sent.token)
        let both = ServerIdentity(account: answer.account, epoch: answer.epoch)
        #expect(try self.known() == both)
        try self.phone.restart()
        #expect(try self.known() == both)
        try self.phone.restart()
        #expect(try self.known("others") == ServerIdentity(account: answer.account))
    }

    @Test func `a remote that fails before it writes has changed and lost nothing`() throws {
        try self.scenario.sync(self.phone)
        try self.phone.create(["n": 1], pk: "1")
        try self.phone.sync(SyncScenario.collection)
        let sent = self.phone.outbox.removeFirst()
        #expect(sent.request.known.account != nil)
        try self.phone.fail(RemoteFailure(.identityChanged, "Someone else answers here."), for: sent.token)
        #expect(try self.scenario.onServer("1") == nil)
        #expect(self.phone.reports.last?.outcome == .unauthorized)
        #expect(try self.phone.phase("1") == .created(.unconfirmed))
    }
}
