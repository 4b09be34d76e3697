import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// The memory of an exchange that another process has stored.
@Suite struct StoredMemoryTests {
    let scenario: SyncScenario

    init() throws {
        self.scenario = try SyncScenario(devices: ["phone"])
        try self.scenario.phone.create(["n": 1], pk: "42")
    }

    private func rewrite(_ body: (MemoryStore) throws(TidemarkError) -> Void) throws {
        let store = self.scenario.phone.store
        try store.transaction { () throws(TidemarkError) in try body(store) }
        try self.scenario.phone.restart()
    }

    /// The memory may have said that the credentials were renewed, so that nothing is sent before an answer names the account.
    @Test(
        arguments: [
            "", "[", "[]", #"{"attempts":"many"}"#, #"{"batchSize":-1}"#, #"{"batchSize":0}"#,
            #"{"attempts":9223372036854775807}"#, #"{"pageSize":9223372036854775807}"#, #"{"readsFirst":1}"#,
        ], [true, false])
    func `an unreadable memory of the exchange is read as after a failure under renewed credentials (Contract §3.1)`(
        memory: String, isOtherAccount: Bool
    ) throws {
        let phone = self.scenario.phone
        try self.scenario.settle()
        try phone.edit("42") { $0.n = 2 }
        try self.rewrite { (store) throws(TidemarkError) in
            var state = try store.state(of: SyncScenario.collection)
            state.exchangeMemory = memory
            try store.save(state, of: SyncScenario.collection)
        }
        try phone.sync(SyncScenario.collection)
        #expect(phone.outbox.map(\.request.uploads.count) == [0], "only an answer can name the account")
        if isOtherAccount {
            try phone.answerNext(answerBody())
            #expect(phone.reports.last?.failure?.failureClass == .identityChanged)
            #expect(phone.outbox.isEmpty)
            return
        }
        try self.scenario.carryOne(phone)
        #expect(phone.outbox.map(\.request.uploads.count) == [1])
        try self.scenario.carry(phone)
        #expect(try self.scenario.onServer("42") == ["n": 2])
        #expect(try phone.store.state(of: SyncScenario.collection).exchangeMemory == nil)
    }
}
