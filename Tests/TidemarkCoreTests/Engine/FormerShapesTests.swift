import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Formats of earlier versions keep their meaning in the store.
@Suite struct FormerShapesTests {
    private struct OneMoreSecondEachTime: RetryPolicy {
        func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration { .seconds(attempt) }
    }

    let scenario: SyncScenario

    init() throws {
        self.scenario = try SyncScenario(
            devices: ["phone"], configuration: SyncConfiguration(retry: OneMoreSecondEachTime()))
        try self.scenario.phone.create(["n": 1], pk: "42")
    }

    private func rewrite(_ body: (MemoryStore) throws(TidemarkError) -> Void) throws {
        let store = self.scenario.phone.store
        try store.transaction { () throws(TidemarkError) in try body(store) }
        try self.scenario.phone.restart()
    }

    @Test func `a GET does not end the back-off of an earlier process's POST (SPEC 3.1)`() throws {
        try self.rewrite { (store) throws(TidemarkError) in
            var state = try store.state(of: SyncScenario.collection)
            state.trouble =
                #"{"attempts":4,"posts":1,"read":true,"failure":{"class":"busy","message":"It is busy"}}"#
            try store.save(state, of: SyncScenario.collection)
        }
        let phone = self.scenario.phone
        try phone.sync(SyncScenario.collection)
        #expect(phone.outbox.map(\.request.uploads.count) == [0])
        try self.scenario.carryOne(phone)
        #expect(phone.outbox.map(\.request.uploads.count) == [1])
        try phone.failNext(RemoteFailure(.busy, "It is busy"))
        let nextTry = try #require(phone.reports.last?.nextTry)
        #expect(nextTry - self.scenario.server.clock.now == .seconds(5))
    }

    @Test func `a stored problem that has a member named cause is read as a refusal`() throws {
        try self.rewrite { (store) throws(TidemarkError) in
            guard var record = try store.record("42", in: SyncScenario.collection) else { return }
            record.phase = .created(.held)
            record.hold = Array(#"{"title":"Refused","cause":"rounds"}"#.utf8)
            try store.save(record, in: SyncScenario.collection)
        }
        let engine = self.scenario.phone.engine
        #expect(try engine.status(of: SyncScenario.collection).held.map(\.reason) == ["Refused"])
        let hold = try #require(try self.scenario.phone.snapshot("42")?.hold)
        #expect(hold.cause == .refused(status: nil, problem: ["title": "Refused", "cause": "rounds"]))
    }
}
