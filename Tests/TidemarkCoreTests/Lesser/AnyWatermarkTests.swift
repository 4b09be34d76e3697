import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// What came ahead of the watermark, on a server that takes watermarks which it has not given out: that it went back shows
/// only where the feed comes to its end without it.
@Suite struct `A server that takes any watermark (SPEC §12)` {
    /// The phone is told of one change, and has given the other up; then the server is put back to before both.
    private func wentBack(
        _ change: (Device) throws -> Void, givingUp givenUp: (Device) throws -> Void
    ) throws -> LesserMeeting {
        let meeting = try LesserMeeting()
        for pk in ["lost", "given up"] { try meeting.phone.create(["a": 1], pk: pk) }
        try meeting.sync(meeting.phone)
        let backup = meeting.server.state
        try change(meeting.phone)
        try givenUp(meeting.phone)
        try meeting.phone.sync(Meeting.collection)
        try meeting.phone.resign("given up")
        try meeting.carryOne(meeting.phone)
        meeting.server.goBack(to: backup)
        try meeting.carry(meeting.phone)
        return meeting
    }

    @Test func `I1 an edit that was shown early and lost is journalled`() throws {
        let meeting = try self.wentBack {
            try $0.edit("lost") { $0.a = 2 }
        } givingUp: {
            try $0.edit("given up") { $0.b = 2 }
        }
        #expect(try meeting.phone.view("lost") == ["a": 1])
        #expect(try meeting.phone.journal().contains { $0.reason == .serverWentBack && $0.pk == "lost" })
        #expect(try meeting.phone.phase("lost") == .synced)
    }

    @Test func `I3 a deletion that was shown early and lost is no deletion`() throws {
        let meeting = try self.wentBack {
            try $0.delete("lost")
        } givingUp: {
            try $0.delete("given up")
        }
        #expect(try meeting.phone.view("lost") == ["a": 1])
        #expect(try meeting.phone.phase("lost") == .synced)
    }
}
