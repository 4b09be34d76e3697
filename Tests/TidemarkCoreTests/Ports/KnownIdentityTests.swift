import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

@Suite struct `What a remote is told of whose data the store holds` {
    private let meeting: Meeting
    private var phone: Device { self.meeting.phone }

    init() throws {
        self.meeting = try Meeting()
    }

    private func known(_ collection: String = Meeting.collection) throws -> ServerIdentity {
        try self.phone.sync(collection)
        return try #require(self.phone.outbox.first).request.known
    }

    @Test func `before the first answer nothing is known`() throws {
        try self.phone.create(["n": 1], pk: "1")
        #expect(try self.known() == ServerIdentity())
    }

    @Test func `then it is what the answers named, in a later process too, and the epoch is each collection's own`()
        throws
    {
        try self.phone.sync(Meeting.collection)
        let sent = self.phone.outbox.removeFirst()
        let answer = try self.meeting.remote.exchangeNow(sent.request)
        try self.phone.receive(answer, for: sent.token)
        let both = ServerIdentity(account: answer.account, epoch: answer.epoch)
        #expect(try self.known() == both)
        try self.phone.restart()
        #expect(try self.known() == both)
        try self.phone.restart()
        #expect(try self.known("others") == ServerIdentity(account: answer.account))
    }

    @Test func `a remote that stops before it writes has changed nothing, and nothing is lost`() throws {
        try self.meeting.sync(self.phone)
        try self.phone.create(["n": 1], pk: "1")
        try self.phone.sync(Meeting.collection)
        let sent = self.phone.outbox.removeFirst()
        #expect(sent.request.known.account != nil)
        try self.phone.fail(RemoteFailure(.identityChanged, "Someone else answers here."), for: sent.token)
        #expect(try self.meeting.onServer("1") == nil)
        #expect(self.phone.reports.last?.outcome == .unauthorised)
        #expect(try self.phone.phase("1") == .created(.unconfirmed))
    }
}
