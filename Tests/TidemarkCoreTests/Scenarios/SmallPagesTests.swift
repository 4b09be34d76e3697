import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkServer
import TidemarkTesting
import Testing

/// A server that puts few rows on a page, so that many pages bring only rows that the device has already.
@Suite struct SmallPagesTests {
    private static func meeting(page: Int) throws -> Meeting {
        var limits = ServerLimits()
        limits.page = page
        return try Meeting(limits: limits)
    }

    /// Carries what a device asks, in no more requests than a limit.
    private func carry(_ device: Device, of meeting: Meeting, in limit: Int) throws {
        try device.sync(Meeting.collection)
        for _ in 0..<limit where !device.outbox.isEmpty { try meeting.carryOne(device) }
        #expect(device.outbox.isEmpty, "it still asks after \(limit) requests")
        #expect(device.reports.last?.failure?.message == nil)
        #expect(device.reports.last?.outcome == .inStep)
    }

    @Test(arguments: [1, 2, 7, 10])
    func `one sync sends a batch whose answer was lost, whatever the server's page (I8)`(page: Int) throws {
        let meeting = try Self.meeting(page: page)
        let pks = (0..<100).map { "p\($0)" }
        for pk in pks { try meeting.phone.create(["n": 1], pk: pk) }
        try meeting.phone.sync(Meeting.collection)
        try meeting.loseAnswer(meeting.phone)
        try self.carry(meeting.phone, of: meeting, in: 103)
        try self.carry(meeting.tablet, of: meeting, in: 103)
        for pk in pks { try meeting.expectAgreement(pk) }
    }

    @Test(arguments: [1, 7])
    func `one sync reads the rows of another device after its own (I8)`(page: Int) throws {
        let meeting = try Self.meeting(page: page)
        for number in 0..<30 { try meeting.phone.create(["n": 1], pk: "p\(number)") }
        try meeting.phone.sync(Meeting.collection)
        try meeting.loseAnswer(meeting.phone)
        try meeting.tablet.create(["n": 2], pk: "later")
        try meeting.tablet.sync(Meeting.collection)
        for _ in 0..<60 where !meeting.tablet.outbox.isEmpty { try meeting.carryOne(meeting.tablet) }
        try self.carry(meeting.phone, of: meeting, in: 60)
        #expect(try meeting.phone.view("later") == ["n": 2])
    }
}
