import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

/// Who asks, and who answers.
@Suite struct IdentityTests {
    @Test func `401-mid-queue: in the middle of a paged pull and of a POST, nothing is dropped`() throws {
        var configuration = SyncConfiguration()
        configuration.limits.pageSize = 2
        configuration.limits.batchSize = 2
        let meeting = try Meeting(configuration: configuration)
        for number in 0..<5 {
            try meeting.phone.create(["n": 1], pk: "p\(number)")
            try meeting.tablet.create(["n": 2], pk: "t\(number)")
        }
        try meeting.sync(meeting.tablet)
        for _ in 0..<30 {
            try meeting.phone.sync(Meeting.collection)
            guard !meeting.phone.outbox.isEmpty else { break }
            try meeting.carryOne(meeting.phone)
            guard !meeting.phone.outbox.isEmpty else { break }
            try meeting.phone.failNext(RemoteFailure(.auth, "401"))
            #expect(meeting.phone.reports.last?.outcome == .unauthorised)
            try meeting.phone.edit("p0") { $0.n = 9 }
            try meeting.phone.renew()
        }
        try meeting.settle()
        for number in 0..<5 {
            try meeting.expectAgreement("p\(number)")
            try meeting.expectAgreement("t\(number)")
        }
        #expect(try meeting.onServer("p0") == ["n": 9])
    }

    @Test(arguments: [false, true])
    func `account-switch: after another sign-in the queue does not go to the other account`(isRestarted: Bool) throws {
        let server = try InProcessServer(tokens: ["mine", "theirs"])
        let (mine, theirs) = (InProcessRemote(server, token: "mine"), InProcessRemote(server, token: "theirs"))
        let phone = try Device("phone", seed: 1, clock: server.clock)
        try phone.create(["n": 1], pk: "first")
        try phone.sync(Meeting.collection)
        try phone.hear(mine, phone.outbox.removeFirst())
        try phone.create(["secret": true], pk: "second")
        try phone.sync(Meeting.collection)
        try phone.failNext(RemoteFailure(.auth, "401"))
        try phone.renew()
        if isRestarted { try phone.restart() }
        try phone.sync(Meeting.collection)
        while !phone.outbox.isEmpty { try phone.hear(theirs, phone.outbox.removeFirst()) }
        #expect(phone.reports.last?.failure?.failureClass == .identityChanged)
        let other = try Device("other", seed: 2, clock: server.clock)
        try other.sync(Meeting.collection)
        while !other.outbox.isEmpty { try other.hear(theirs, other.outbox.removeFirst()) }
        #expect(try other.phase("second") == .absent, "the queue belongs to the account that made it")
        try phone.renew()
        try phone.sync(Meeting.collection)
        while !phone.outbox.isEmpty { try phone.hear(mine, phone.outbox.removeFirst()) }
        #expect(try phone.phase("second") == .synced)
        #expect(try phone.phase("first") == .synced)
    }

    @Test func `account-switch: credentials that were renewed are in doubt after a restart, whatever watermarks name`()
        throws
    {
        let meeting = try Meeting()
        let phone = meeting.phone
        try phone.create(["n": 1], pk: "first")
        try meeting.settle()
        try phone.create(["secret": true], pk: "second")
        try phone.renew()
        try phone.restart()
        try phone.sync(Meeting.collection)
        #expect(phone.outbox.map(\.request.frozen) == [[]], "whose account it is, only an answer can say")
        // This server would have taken edits with any watermark, into any account.
        try phone.answerNext(answerBody())
        #expect(phone.reports.last?.failure?.failureClass == .identityChanged)
        #expect(phone.outbox.isEmpty)
        try phone.renew()
        try meeting.settle()
        #expect(try meeting.onServer("second") == ["secret": true])
    }

    @Test func `copied-device: two that began as one settle what was out once, and go their ways`() throws {
        let meeting = try Meeting()
        try meeting.phone.create(["title": "Milk", "count": 1], pk: "42")
        try meeting.settle()
        try meeting.phone.edit("42") { $0.title = "Oat milk" }
        try meeting.phone.create(["n": 1], pk: "new")
        try meeting.phone.sync(Meeting.collection)
        try meeting.loseAnswer(meeting.phone)
        let twin = try meeting.phone.copied(as: "twin", seed: 99)
        meeting.devices.append(twin)
        try twin.edit("42") { $0.count = 2 }
        try meeting.phone.edit("42") { $0.phone = true }
        try twin.delete("new")
        try meeting.sync(twin)
        try meeting.sync(meeting.phone)
        try meeting.settle()
        #expect(try meeting.onServer("42") == ["title": "Oat milk", "count": 2, "phone": true])
        #expect(try meeting.onServer("new") == nil)
        try meeting.expectAgreement("42")
        try meeting.expectAgreement("new")
    }

    @Test func `I8 other-server-behind-the-url: two histories behind one address are not read for ever`() throws {
        let meeting = try Meeting(devices: ["phone"])
        try meeting.phone.create(["n": 1], pk: "42")
        try meeting.settle()
        try meeting.phone.edit("42") { $0.n = 2 }
        let servers = [
            InProcessRemote(try InProcessServer(clock: meeting.server.clock, epoch: "epoch-2")), meeting.remote,
        ]
        try meeting.phone.sync(Meeting.collection)
        var requests = 0
        while !meeting.phone.outbox.isEmpty {
            try #require(requests < 30, "it asks for ever, and never waits")
            try meeting.phone.hear(servers[requests % 2], meeting.phone.outbox.removeFirst())
            requests += 1
        }
        #expect(try meeting.phone.view("42") == ["n": 2])
        try meeting.settle()
        #expect(try meeting.onServer("42") == ["n": 2])
        try meeting.expectAgreement("42")
    }

    @Test func `other-server-behind-the-url: a stranger's answer to a POST is not taken for ours`() throws {
        let meeting = try Meeting()
        try meeting.phone.create(["n": 1], pk: "42")
        try meeting.settle()
        try meeting.phone.edit("42") { $0.n = 2 }
        try meeting.phone.sync(Meeting.collection)
        let edit = try JSON(parsing: try #require(meeting.phone.outbox.first?.request.frozen.first))
        let id = try #require(edit["request_id"]?.text)
        let item = #"{"pk":"42","updated_at":5,"is_active":true,"data":{"n":"stranger"}}"#
        try meeting.phone.answerNext(
            answerBody(
                results: #"{"request_id":\#(id),"pk":"42","is_conflicted":false,"item":\#(item),"error":null}"#,
                items: #"{"pk":"other","updated_at":6,"is_active":true,"data":{}}"#))
        #expect(meeting.phone.reports.last?.outcome == .unauthorised)
        #expect(try meeting.phone.view("42") == ["n": 2])
        #expect(try meeting.phone.phase("other") == .absent)
        try meeting.phone.renew()
        try meeting.settle()
        #expect(try meeting.onServer("42") == ["n": 2])
        try meeting.expectAgreement("42")
    }
}
