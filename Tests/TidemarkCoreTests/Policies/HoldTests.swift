import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct HoldTests {
    /// A record that the server refused.
    private func held(_ policy: any RefusalPolicy) throws -> SyncScenario {
        var configuration = SyncConfiguration()
        configuration.policies.refused = policy
        let scenario = try SyncScenario(devices: ["phone"], configuration: configuration)
        try scenario.phone.create(["n": 1], pk: "a")
        try scenario.phone.sync(SyncScenario.collection)
        let problem: JSON = ["title": "No", "status": 422, "detail": "n is too small"]
        let sent = scenario.phone.outbox.removeFirst()
        try scenario.phone.fail(
            RemoteFailure(.refused, "No", problem: ProblemDetails(status: 422, title: "No", document: problem)),
            for: sent.token)
        return scenario
    }

    @Test func `the reason of a hold survives a restart unchanged (Contract §3.5)`() throws {
        let scenario = try self.held(.ask)
        let hold = try #require(try scenario.phone.snapshot("a")?.hold)
        #expect(
            hold.cause == .refused(status: 422, problem: ["title": "No", "status": 422, "detail": "n is too small"]))
        #expect(hold.isAsked)
        #expect(hold.reason == "No: n is too small")
        try scenario.phone.restart()
        #expect(try scenario.phone.snapshot("a")?.hold == hold)
    }

    @Test func `the user is asked about a refusal only if the policy is ask`() throws {
        #expect(try self.held(.leave).phone.snapshot("a")?.hold?.isAsked == false)
    }

    @Test(arguments: [#"{"title":"No","status":409}"#, #"{"cause":"rounds","problem":{}}"#, "[1]", "{"])
    func `a hold that is damaged in the store leaves the record held, without a cause`(text: String) throws {
        let scenario = try self.held(.leave)
        let store = scenario.phone.store
        var stored = try #require(try store.record("a", in: SyncScenario.collection))
        stored.hold = Array(text.utf8)
        let changed = stored
        try store.transaction { () throws(TidemarkError) in try store.save(changed, in: SyncScenario.collection) }
        try scenario.phone.restart()
        let hold = try #require(try scenario.phone.snapshot("a")?.hold)
        #expect(hold.cause == .refused(status: nil, problem: ["title": "held"]))
        #expect(try scenario.phone.phase("a").activity == .held)
    }
}
