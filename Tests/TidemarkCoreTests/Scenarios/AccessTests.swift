import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// What is said about who we are (SPEC §3.5).
@Suite struct AccessTests {
    let meeting: Meeting
    var phone: Device { self.meeting.phone }

    init() throws {
        self.meeting = try Meeting(devices: ["phone"])
        try self.meeting.phone.create(["n": 1], pk: "42")
        try self.meeting.settle()
        try self.meeting.phone.edit("42") { $0.n = 2 }
    }

    @Test func `one-401-is-not-for-ever: a sync that is asked for tries once, and a success ends the pause`() throws {
        try self.phone.sync(Meeting.collection)
        let edits = try #require(self.phone.outbox.first).request.frozen
        try self.phone.failNext(RemoteFailure(.auth, "401"))
        #expect(self.phone.reports.last?.outcome == .unauthorised)
        #expect(self.phone.reports.last?.nextTry == nil, "nothing is tried by itself")
        self.meeting.server.clock.advance(by: .seconds(6_000))
        for _ in 1...3 {
            try self.phone.sync(Meeting.collection)
            #expect(self.phone.outbox.map(\.request.frozen) == [[]], "one try, which sends nothing")
            try self.phone.failNext(RemoteFailure(.auth, "401"))
            #expect(self.phone.outbox.isEmpty)
            #expect(self.phone.reports.last?.outcome == .unauthorised)
        }
        try self.phone.sync(Meeting.collection)
        try self.meeting.carryOne(self.phone)
        #expect(self.phone.outbox.map(\.request.frozen) == [edits])
        try self.meeting.carry(self.phone)
        #expect(self.phone.reports.last?.outcome == .inStep)
        #expect(try self.meeting.onServer("42") == ["n": 2])
    }

    @Test func `one-401-is-not-for-ever: a wake tries nothing while it is paused, and no attempt was counted`() throws {
        try self.phone.sync(Meeting.collection)
        try self.phone.failNext(RemoteFailure(.busy, "503"))
        let until = try #require(self.phone.wakes[Meeting.collection])
        try self.phone.sync(Meeting.collection)
        try self.phone.failNext(RemoteFailure(.auth, "401"))
        for hours in 1...3 {
            let now = until + .seconds(3_600 * hours)
            try self.phone.run { (engine) throws(TidemarkError) in try engine.wake(Meeting.collection, now: now) }
            #expect(self.phone.outbox.isEmpty)
        }
    }

    @Test func `one-401-is-not-for-ever: another account stays a pause, whoever asks`() throws {
        try self.phone.sync(Meeting.collection)
        try self.phone.failNext(RemoteFailure(.identityChanged, "someone else"))
        try self.phone.sync(Meeting.collection)
        #expect(self.phone.outbox.isEmpty)
        #expect(self.phone.reports.last?.outcome == .unauthorised)
        try self.phone.renew()
        try self.meeting.sync(self.phone)
        #expect(self.phone.reports.last?.outcome == .inStep)
    }

    @Test(
        arguments: [
            (511, [:], "<html>Sign in</html>"), (200, ["Content-Type": "text/html"], "<html>Sign in</html>"),
            (302, ["Location": "http://login.example/"], ""),
        ] as [(Int, [String: String], String)])
    func `portal-is-not-a-bad-token: it is waited out, by itself, and the person is told to sign in`(
        status: Int, headers: [String: String], page: String
    ) throws {
        try self.phone.sync(Meeting.collection)
        try self.phone.answerNext(page, status: status, headers: headers)
        let report = try #require(self.phone.reports.last)
        #expect(report.outcome == .unreachable, "never unauthorised")
        #expect(report.failure?.failureClass == .portal)
        #expect(report.failure?.message.contains("sign in") == true)
        #expect(try self.phone.phase("42") == .edited(.unconfirmed), "nothing is dropped")
        let until = try #require(report.nextTry)
        try self.phone.run { (engine) throws(TidemarkError) in try engine.wake(Meeting.collection, now: until) }
        try self.meeting.carry(self.phone)
        #expect(self.phone.reports.last?.outcome == .inStep)
        #expect(try self.meeting.onServer("42") == ["n": 2])
    }

    @Test func `portal-is-not-a-bad-token: a day behind one holds nothing and halves nothing`() throws {
        for number in 0..<10 { try self.phone.create([:], pk: "new \(number)") }
        for _ in 1...30 {
            try self.phone.sync(Meeting.collection)
            try self.phone.failNext(RemoteFailure(.portal, "sign in"))
        }
        try self.phone.sync(Meeting.collection)
        try self.meeting.carryOne(self.phone)
        #expect(self.phone.outbox.first?.request.uploads.count == 11)
        try self.meeting.carry(self.phone)
        #expect(self.phone.reports.last?.outcome == .inStep)
    }

    @Test(arguments: [FailureClass.auth, .identityChanged])
    func `one-401-is-not-for-ever: what old credentials brought pauses nobody who has renewed them since`(
        late: FailureClass
    ) throws {
        try self.phone.sync(Meeting.collection)
        let sent = self.phone.outbox.removeFirst()
        try self.phone.renew()
        try self.phone.fail(RemoteFailure(late, "Who is it?"), for: sent.token)
        #expect(self.phone.reports.last?.failure?.failureClass == .cancelled)
        #expect(try self.phone.phase("42") == .edited(.unconfirmed), "nothing is dropped")
        try self.meeting.sync(self.phone)
        #expect(self.phone.reports.last?.outcome == .inStep)
        #expect(try self.meeting.onServer("42") == ["n": 2])
    }
}
