import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `A server that forgets deletions without a word (SPEC §12)` {
    private static let quirks = LesserServer.Quirks(forgetsDeletions: true)

    private func inStep(as declared: RemoteCapabilities? = nil) throws -> LesserMeeting {
        let meeting = try LesserMeeting(Self.quirks, as: declared)
        for pk in ["1", "2"] { try meeting.phone.create(["a": 1], pk: pk) }
        try meeting.settle()
        return meeting
    }

    /// The phone deletes a record, and the server forgets that before the tablet asks.
    private func deletedAndForgotten(as declared: RemoteCapabilities? = nil) throws -> LesserMeeting {
        let meeting = try self.inStep(as: declared)
        try meeting.phone.delete("1")
        try meeting.sync(meeting.phone)
        meeting.clock.advance(by: .seconds(61))
        meeting.server.forgetDeletions()
        return meeting
    }

    private func requests(of device: Device, _ meeting: LesserMeeting) throws -> [ExchangeRequest] {
        var requests: [ExchangeRequest] = []
        try device.sync(Meeting.collection)
        while let sent = device.outbox.first {
            requests.append(sent.request)
            try meeting.carryOne(device)
        }
        return requests
    }

    @Test func `I3 a listing in time shows what is gone`() throws {
        let meeting = try self.deletedAndForgotten()
        try meeting.settle()
        #expect(try meeting.tablet.phase("1") == .absent)
        #expect(try meeting.tablet.view("2") == ["a": 1])
    }

    @Test func `a server that says it knows deletions for ever, and does not, is believed`() throws {
        let meeting = try self.deletedAndForgotten(as: .native)
        try meeting.settle()
        #expect(try meeting.tablet.phase("1") == .synced)
    }

    @Test func `what is unsent is not lost by it, and goes out after it`() throws {
        let meeting = try self.deletedAndForgotten()
        try meeting.tablet.edit("1") { $0.a = 2 }
        try meeting.tablet.edit("2") { $0.a = 2 }
        try meeting.tablet.create(["a": 3], pk: "3")
        let requests = try self.requests(of: meeting.tablet, meeting)
        #expect(requests[0].uploads.isEmpty && requests[0].watermark == nil)
        try meeting.settle()
        for device in [meeting.phone, meeting.tablet] {
            #expect(try device.view("1") == ["a": 2])
            #expect(try device.view("2") == ["a": 2])
            #expect(try device.view("3") == ["a": 3])
        }
    }

    @Test func `R17 an upload of unknown fate is sent again as it was`() throws {
        let meeting = try self.inStep()
        try meeting.tablet.edit("2") { $0.a = 2 }
        try meeting.tablet.sync(Meeting.collection)
        let former = try #require(meeting.tablet.outbox.first?.request.uploads.first)
        try meeting.loseAnswer(meeting.tablet)
        meeting.clock.advance(by: .seconds(400))
        let requests = try self.requests(of: meeting.tablet, meeting)
        #expect(requests[0].watermark == nil)
        let sent = requests.flatMap(\.uploads)
        #expect(sent.allSatisfy { $0.frozen == former.frozen })
        #expect(try meeting.tablet.view("2") == ["a": 2])
        #expect(try meeting.tablet.phase("2") == .synced)
    }

    @Test func `a listing is begun once in that time, also by a process that was started since`() throws {
        let meeting = try self.deletedAndForgotten()
        #expect(try self.requests(of: meeting.tablet, meeting).map(\.watermark).first == .some(nil))
        try meeting.tablet.restart()
        meeting.clock.advance(by: .seconds(30))
        #expect(try self.requests(of: meeting.tablet, meeting).allSatisfy { $0.watermark != nil })
        meeting.clock.advance(by: .seconds(31))
        #expect(try self.requests(of: meeting.tablet, meeting).first?.watermark == nil)
    }

    /// The tablet was shown a row of record 1 and its cursor stayed, since its edit of 2 was given up while it was out.
    private func shownAhead() throws -> LesserMeeting {
        let meeting = try self.inStep()
        for pk in ["1", "2"] { try meeting.tablet.edit(pk) { $0.b = 2 } }
        try meeting.tablet.sync(Meeting.collection)
        try meeting.tablet.resign("2")
        try meeting.carryOne(meeting.tablet)
        try meeting.tablet.failNext(RemoteFailure(.offline, "the network is gone"))
        return meeting
    }

    @Test func `I1 what was shown and has been deleted and forgotten since is not taken for lost`() throws {
        let meeting = try self.shownAhead()
        try meeting.phone.create(["a": 1], pk: "3")
        try meeting.sync(meeting.phone)
        try meeting.phone.delete("1")
        try meeting.sync(meeting.phone)
        meeting.clock.advance(by: .seconds(400))
        meeting.server.forgetDeletions()
        try meeting.settle()
        #expect(try meeting.tablet.phase("1") == .absent)
        #expect(meeting.tablet.reports.allSatisfy { $0.lostByServer == nil })
        #expect(try meeting.tablet.journal().allSatisfy { $0.reason != .serverWentBack })
    }

    @Test func `a store that does not know when it read everything does so`() throws {
        let meeting = try self.inStep()
        let device = meeting.tablet
        try device.store.transaction { () throws(TidemarkError) in
            var state = try device.store.state(of: Meeting.collection)
            state.listedAt = nil
            try device.store.save(state, of: Meeting.collection)
        }
        #expect(try self.requests(of: device, meeting).first?.watermark == nil)
        #expect(try device.store.state(of: Meeting.collection).listedAt != nil)
    }

    @Test func `a time that is still to come is not believed`() throws {
        let meeting = try self.inStep()
        let device = meeting.tablet
        try device.store.transaction { () throws(TidemarkError) in
            var state = try device.store.state(of: Meeting.collection)
            state.listedAt = meeting.clock.now + .seconds(10_000)
            try device.store.save(state, of: Meeting.collection)
        }
        #expect(try self.requests(of: device, meeting).first?.watermark == nil)
    }

    @Test func `no other server is listed in time`() throws {
        let meeting = try self.inStep(as: .native)
        meeting.clock.advance(by: .seconds(1_000_000_000))
        #expect(try self.requests(of: meeting.tablet, meeting).allSatisfy { $0.watermark != nil })
        #expect(try meeting.tablet.store.state(of: Meeting.collection).listedAt == nil)
    }
}
