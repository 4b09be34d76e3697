import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct HoldTests {
    /// A record that the server refused.
    private func held(_ policy: any RefusalPolicy) throws -> Meeting {
        var configuration = SyncConfiguration()
        configuration.policies.refused = policy
        let meeting = try Meeting(devices: ["phone"], configuration: configuration)
        try meeting.phone.create(["n": 1], pk: "a")
        try meeting.phone.sync(Meeting.collection)
        let problem: JSON = ["title": "No", "status": 422, "detail": "n is too small"]
        let sent = meeting.phone.outbox.removeFirst()
        try meeting.phone.fail(
            RemoteFailure(.refused, "No", problem: ProblemDetails(status: 422, title: "No", document: problem)),
            for: sent.token)
        return meeting
    }

    @Test func `SPEC 3.5 why a record is held survives a restart, as it was`() throws {
        let meeting = try self.held(.ask)
        let hold = try #require(try meeting.phone.snapshot("a")?.hold)
        #expect(
            hold.cause == .refused(status: 422, problem: ["title": "No", "status": 422, "detail": "n is too small"]))
        #expect(hold.isAsked)
        #expect(hold.reason == "No: n is too small")
        try meeting.phone.restart()
        #expect(try meeting.phone.snapshot("a")?.hold == hold)
    }

    @Test func `a person is asked only where the policy wants it`() throws {
        #expect(try self.held(.leave).phone.snapshot("a")?.hold?.isAsked == false)
    }

    @Test func `a hold that was stored as the server's problem alone is read as its refusal`() throws {
        let meeting = try self.held(.leave)
        let store = meeting.phone.store
        var stored = try #require(try store.record("a", in: Meeting.collection))
        stored.hold = Array(#"{"title":"No","status":409}"#.utf8)
        let changed = stored
        try store.transaction { () throws(TidemarkError) in try store.save(changed, in: Meeting.collection) }
        try meeting.phone.restart()
        let hold = try #require(try meeting.phone.snapshot("a")?.hold)
        #expect(hold.cause == .refused(status: 409, problem: ["title": "No", "status": 409]))
        #expect(hold.reason == "No")
    }
}
