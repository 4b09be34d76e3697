import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// What an earlier version has stored still says what it said.
@Suite struct FormerShapesTests {
    private struct OneMoreSecondEachTime: RetryPolicy {
        func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration { .seconds(attempt) }
    }

    let meeting: Meeting

    init() throws {
        self.meeting = try Meeting(
            devices: ["phone"], configuration: SyncConfiguration(retry: OneMoreSecondEachTime()))
        try self.meeting.phone.create(["n": 1], pk: "42")
    }

    private func rewrite(_ body: (MemoryStore) throws(TidemarkError) -> Void) throws {
        let store = self.meeting.phone.store
        try store.transaction { () throws(TidemarkError) in try body(store) }
        try self.meeting.phone.restart()
    }

    @Test func `the GET after a POST that failed in an earlier process says nothing of that POST (SPEC 3.1)`() throws {
        try self.rewrite { (store) throws(TidemarkError) in
            var state = try store.state(of: Meeting.collection)
            state.trouble =
                #"{"attempts":4,"posts":1,"read":true,"failure":{"class":"busy","message":"It is busy"}}"#
            try store.save(state, of: Meeting.collection)
        }
        let phone = self.meeting.phone
        try phone.sync(Meeting.collection)
        #expect(phone.outbox.map(\.request.uploads.count) == [0])
        try self.meeting.carryOne(phone)
        #expect(phone.outbox.map(\.request.uploads.count) == [1])
        try phone.failNext(RemoteFailure(.busy, "It is busy"))
        let nextTry = try #require(phone.reports.last?.nextTry)
        #expect(nextTry - self.meeting.server.clock.now == .seconds(5))
    }

    @Test func `a problem that has a cause of its own is the problem of a hold all the same`() throws {
        try self.rewrite { (store) throws(TidemarkError) in
            guard var record = try store.record("42", in: Meeting.collection) else { return }
            record.phase = .created(.held)
            record.hold = Array(#"{"title":"Refused","cause":"rounds"}"#.utf8)
            try store.save(record, in: Meeting.collection)
        }
        let engine = self.meeting.phone.engine
        #expect(try engine.status(of: Meeting.collection).held.map(\.reason) == ["Refused"])
        let hold = try #require(try self.meeting.phone.snapshot("42")?.hold)
        #expect(hold.cause == .refused(status: nil, problem: ["title": "Refused", "cause": "rounds"]))
    }
}
