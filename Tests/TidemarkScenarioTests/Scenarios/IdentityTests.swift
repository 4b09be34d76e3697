import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

/// The client's account, and the server that answers.
@Suite struct IdentityTests {
    @Test func `401-mid-queue: a 401 between pages or during a POST drops nothing`() throws {
        var configuration = SyncConfiguration()
        configuration.limits.pageSize = 2
        configuration.limits.batchSize = 2
        let scenario = try SyncScenario(configuration: configuration)
        for number in 0..<5 {
            try scenario.phone.create(["n": 1], pk: "p\(number)")
            try scenario.tablet.create(["n": 2], pk: "t\(number)")
        }
        try scenario.sync(scenario.tablet)
        for _ in 0..<30 {
            try scenario.phone.sync(SyncScenario.collection)
            guard !scenario.phone.outbox.isEmpty else { break }
            try scenario.carryOne(scenario.phone)
            guard !scenario.phone.outbox.isEmpty else { break }
            try scenario.phone.failNext(RemoteFailure(.auth, "401"))
            #expect(scenario.phone.reports.last?.outcome == .unauthorized)
            try scenario.phone.edit("p0") { $0.n = 9 }
            try scenario.phone.renew()
        }
        try scenario.settle()
        for number in 0..<5 {
            try scenario.expectAgreement("p\(number)")
            try scenario.expectAgreement("t\(number)")
        }
        #expect(try scenario.onServer("p0") == ["n": 9])
    }

    @Test(arguments: [false, true])
    func `account-switch: the queue is not sent after a sign-in to another account`(isRestarted: Bool) throws {
        let server = try InProcessServer(tokens: ["mine", "theirs"])
        let (mine, theirs) = (InProcessRemote(server, token: "mine"), InProcessRemote(server, token: "theirs"))
        let phone = try Device("phone", seed: 1, clock: server.clock)
        try phone.create(["n": 1], pk: "first")
        try phone.sync(SyncScenario.collection)
        try phone.hear(mine, phone.outbox.removeFirst())
        try phone.create(["secret": true], pk: "second")
        try phone.sync(SyncScenario.collection)
        try phone.failNext(RemoteFailure(.auth, "401"))
        try phone.renew()
        if isRestarted { try phone.restart() }
        try phone.sync(SyncScenario.collection)
        while !phone.outbox.isEmpty { try phone.hear(theirs, phone.outbox.removeFirst()) }
        #expect(phone.reports.last?.failure?.failureClass == .identityChanged)
        let other = try Device("other", seed: 2, clock: server.clock)
        try other.sync(SyncScenario.collection)
        while !other.outbox.isEmpty { try other.hear(theirs, other.outbox.removeFirst()) }
        #expect(try other.phase("second") == .absent, "the queue belongs to the account that made it")
        try phone.renew()
        try phone.sync(SyncScenario.collection)
        while !phone.outbox.isEmpty { try phone.hear(mine, phone.outbox.removeFirst()) }
        #expect(try phone.phase("second") == .synced)
        #expect(try phone.phase("first") == .synced)
    }

    @Test func `account-switch: renewed credentials are verified first, also after a restart`() throws {
        let scenario = try SyncScenario()
        let phone = scenario.phone
        try phone.create(["n": 1], pk: "first")
        try scenario.settle()
        try phone.create(["secret": true], pk: "second")
        try phone.renew()
        try phone.restart()
        try phone.sync(SyncScenario.collection)
        #expect(phone.outbox.map(\.request.encodedEdit) == [[]], "only an answer can name the account")
        // This server would have accepted edits with any cursor, for any account.
        try phone.answerNext(answerBody())
        #expect(phone.reports.last?.failure?.failureClass == .identityChanged)
        #expect(phone.outbox.isEmpty)
        try phone.renew()
        try scenario.settle()
        #expect(try scenario.onServer("second") == ["secret": true])
    }

    @Test func `account-switch: credentials renewed before the first answer are verified first`() throws {
        let scenario = try SyncScenario()
        let phone = scenario.phone
        try phone.create(["n": 1], pk: "first")
        try phone.sync(SyncScenario.collection)
        let sent = phone.outbox.removeFirst()
        try phone.create(["secret": true], pk: "second")
        try phone.renew()
        try phone.receive(try scenario.remote.exchangeNow(sent.request), for: sent.token)
        #expect(try phone.phase("first") == .synced)
        #expect(phone.outbox.map(\.request.encodedEdit) == [[]], "that answer is of the former credentials")
    }

    @Test func `copied-device: two copies settle a pending upload once, and both continue`() throws {
        let scenario = try SyncScenario()
        try scenario.phone.create(["title": "Milk", "count": 1], pk: "42")
        try scenario.settle()
        try scenario.phone.edit("42") { $0.title = "Oat milk" }
        try scenario.phone.create(["n": 1], pk: "new")
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.loseAnswer(scenario.phone)
        let twin = try scenario.phone.copied(as: "twin", seed: 99)
        scenario.devices.append(twin)
        try twin.edit("42") { $0.count = 2 }
        try scenario.phone.edit("42") { $0.phone = true }
        try twin.delete("new")
        try scenario.sync(twin)
        try scenario.sync(scenario.phone)
        try scenario.settle()
        #expect(try scenario.onServer("42") == ["title": "Oat milk", "count": 2, "phone": true])
        #expect(try scenario.onServer("new") == nil)
        try scenario.expectAgreement("42")
        try scenario.expectAgreement("new")
    }

    @Test func `other-server-behind-the-url: alternating histories are not read endlessly (I8)`() throws {
        let scenario = try SyncScenario(devices: ["phone"])
        try scenario.phone.create(["n": 1], pk: "42")
        try scenario.settle()
        try scenario.phone.edit("42") { $0.n = 2 }
        let servers = [
            InProcessRemote(try InProcessServer(clock: scenario.server.clock, epoch: "epoch-2")), scenario.remote,
        ]
        try scenario.phone.sync(SyncScenario.collection)
        var requests = 0
        while !scenario.phone.outbox.isEmpty {
            try #require(requests < 30, "the device sends requests without end")
            try scenario.phone.hear(servers[requests % 2], scenario.phone.outbox.removeFirst())
            requests += 1
        }
        #expect(try scenario.phone.view("42") == ["n": 2])
        try scenario.settle()
        #expect(try scenario.onServer("42") == ["n": 2])
        try scenario.expectAgreement("42")
    }

    /// With two requests to each server, a full resync ends on each of them, and the next POST is refused by the other one.
    @Test(arguments: [1, 2, 3])
    func `other-server-behind-the-url: servers that alternate are named while edits are pending (I8)`(
        requestsEach: Int
    ) throws {
        let scenario = try SyncScenario(devices: ["phone"])
        let phone = scenario.phone
        for pk in ["42", "7"] { try phone.create(["n": 1], pk: pk) }
        try scenario.settle()
        for pk in ["42", "7"] { try phone.edit(pk) { $0.n = 2 } }
        // Both name the same account.
        let servers = [
            InProcessRemote(try InProcessServer(clock: scenario.server.clock, epoch: "epoch-2")), scenario.remote,
        ]
        try phone.sync(SyncScenario.collection)
        var requests = 0
        while !phone.outbox.isEmpty {
            try #require(requests < 30, "the device sends requests without end")
            try phone.hear(servers[requests / requestsEach % 2], phone.outbox.removeFirst())
            requests += 1
        }
        let report = try #require(phone.reports.last)
        if report.outcome != .inSync {
            #expect(report.failure?.message.contains("do several servers answer at this URL?") == true)
            #expect(report.nextTry != nil)
        }
        for pk in ["42", "7"] { #expect(try phone.view(pk) == ["n": 2]) }
        try scenario.settle()
        for pk in ["42", "7"] {
            #expect(try scenario.onServer(pk) == ["n": 2])
            try scenario.expectAgreement(pk)
        }
    }

    @Test func `other-server-behind-the-url: another server's answer to a POST is refused`() throws {
        let scenario = try SyncScenario()
        try scenario.phone.create(["n": 1], pk: "42")
        try scenario.settle()
        try scenario.phone.edit("42") { $0.n = 2 }
        try scenario.phone.sync(SyncScenario.collection)
        let edit = try JSON(parsing: try #require(scenario.phone.outbox.first?.request.encodedEdit.first))
        let id = try #require(edit["request_id"]?.text)
        let item = #"{"pk":"42","updated_at":5,"is_active":true,"data":{"n":"stranger"}}"#
        try scenario.phone.answerNext(
            answerBody(
                results: #"{"request_id":\#(id),"pk":"42","is_conflicted":false,"item":\#(item),"error":null}"#,
                items: #"{"pk":"other","updated_at":6,"is_active":true,"data":{}}"#))
        #expect(scenario.phone.reports.last?.outcome == .unauthorized)
        #expect(try scenario.phone.view("42") == ["n": 2])
        #expect(try scenario.phone.phase("other") == .absent)
        try scenario.phone.renew()
        try scenario.settle()
        #expect(try scenario.onServer("42") == ["n": 2])
        try scenario.expectAgreement("42")
    }
}
