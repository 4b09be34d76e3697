import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Failures of credentials and accounts (Contract §3.5).
@Suite struct AccessTests {
    let scenario: SyncScenario
    var phone: Device { self.scenario.phone }

    init() throws {
        self.scenario = try SyncScenario(devices: ["phone"])
        try self.scenario.phone.create(["n": 1], pk: "42")
        try self.scenario.settle()
        try self.scenario.phone.edit("42") { $0.n = 2 }
    }

    @Test func `one-401-is-not-for-ever: a requested sync tries once, and a success resumes`() throws {
        try self.phone.sync(SyncScenario.collection)
        let edits = try #require(self.phone.outbox.first).request.encodedEdit
        try self.phone.failNext(RemoteFailure(.auth, "401"))
        #expect(self.phone.reports.last?.outcome == .unauthorized)
        #expect(self.phone.reports.last?.nextTry == nil, "no retry is planned")
        self.scenario.server.clock.advance(by: .seconds(6_000))
        for _ in 1...3 {
            try self.phone.sync(SyncScenario.collection)
            #expect(self.phone.outbox.map(\.request.encodedEdit) == [[]], "one try, which sends nothing")
            try self.phone.failNext(RemoteFailure(.auth, "401"))
            #expect(self.phone.outbox.isEmpty)
            #expect(self.phone.reports.last?.outcome == .unauthorized)
        }
        try self.phone.sync(SyncScenario.collection)
        try self.scenario.carryOne(self.phone)
        #expect(self.phone.outbox.map(\.request.encodedEdit) == [edits])
        try self.scenario.carry(self.phone)
        #expect(self.phone.reports.last?.outcome == .inSync)
        #expect(try self.scenario.onServer("42") == ["n": 2])
    }

    @Test func `one-401-is-not-for-ever: a wake tries nothing during the pause`() throws {
        try self.phone.sync(SyncScenario.collection)
        try self.phone.failNext(RemoteFailure(.busy, "503"))
        let until = try #require(self.phone.wakes[SyncScenario.collection])
        try self.phone.sync(SyncScenario.collection)
        try self.phone.failNext(RemoteFailure(.auth, "401"))
        for hours in 1...3 {
            let now = until + .seconds(3_600 * hours)
            try self.phone.run { (engine) throws(TidemarkError) in try engine.wake(SyncScenario.collection, now: now) }
            #expect(self.phone.outbox.isEmpty)
        }
    }

    @Test func `one-401-is-not-for-ever: a requested sync does not end another account's pause`() throws {
        try self.phone.sync(SyncScenario.collection)
        try self.phone.failNext(RemoteFailure(.identityChanged, "another account"))
        try self.phone.sync(SyncScenario.collection)
        #expect(self.phone.outbox.isEmpty)
        #expect(self.phone.reports.last?.outcome == .unauthorized)
        try self.phone.renew()
        try self.scenario.sync(self.phone)
        #expect(self.phone.reports.last?.outcome == .inSync)
    }

    @Test(
        arguments: [
            (511, [:], "<html>Sign in</html>"), (200, ["Content-Type": "text/html"], "<html>Sign in</html>"),
            (302, ["Location": "http://login.example/"], ""),
        ] as [(Int, [String: String], String)])
    func `portal-is-not-a-bad-token: a portal is retried, and the user told to sign in`(
        status: Int, headers: [String: String], page: String
    ) throws {
        try self.phone.sync(SyncScenario.collection)
        try self.phone.answerNext(page, status: status, headers: headers)
        let report = try #require(self.phone.reports.last)
        #expect(report.outcome == .unreachable, "never unauthorized")
        #expect(report.failure?.failureClass == .portal)
        #expect(report.failure?.message.contains("sign in") == true)
        #expect(try self.phone.phase("42") == .edited(.unconfirmed), "nothing is dropped")
        let until = try #require(report.nextTry)
        try self.phone.run { (engine) throws(TidemarkError) in try engine.wake(SyncScenario.collection, now: until) }
        try self.scenario.carry(self.phone)
        #expect(self.phone.reports.last?.outcome == .inSync)
        #expect(try self.scenario.onServer("42") == ["n": 2])
    }

    @Test func `portal-is-not-a-bad-token: a day behind a portal holds and halves nothing`() throws {
        for number in 0..<10 { try self.phone.create([:], pk: "new \(number)") }
        for _ in 1...30 {
            try self.phone.sync(SyncScenario.collection)
            try self.phone.failNext(RemoteFailure(.portal, "sign in"))
        }
        try self.phone.sync(SyncScenario.collection)
        try self.scenario.carryOne(self.phone)
        #expect(self.phone.outbox.first?.request.uploads.count == 11)
        try self.scenario.carry(self.phone)
        #expect(self.phone.reports.last?.outcome == .inSync)
    }

    @Test(arguments: [FailureClass.auth, .identityChanged])
    func `one-401-is-not-for-ever: a late failure of old credentials pauses nothing`(late: FailureClass) throws {
        try self.phone.sync(SyncScenario.collection)
        let sent = self.phone.outbox.removeFirst()
        try self.phone.renew()
        try self.phone.fail(RemoteFailure(late, "The credentials are old."), for: sent.token)
        #expect(self.phone.reports.last?.failure?.failureClass == .cancelled)
        #expect(try self.phone.phase("42") == .edited(.unconfirmed), "nothing is dropped")
        try self.scenario.sync(self.phone)
        #expect(self.phone.reports.last?.outcome == .inSync)
        #expect(try self.scenario.onServer("42") == ["n": 2])
    }
}
