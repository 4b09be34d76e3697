import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `What a server alters as it takes it (SPEC §12)` {
    private static let exact: JSON = 123_456_789_012_345_678
    private static let rounded = JSON(123_456_789_012_345_680 as Double)

    private func inStep(_ content: JSON, as declared: RemoteCapabilities? = nil) throws -> LesserMeeting {
        let meeting = try LesserMeeting(LesserServer.Quirks(roundsNumbers: true), as: declared)
        try meeting.phone.create(content, pk: "42")
        try meeting.settle()
        return meeting
    }

    @Test func `I2 what was sent is journalled, and what the server has is shown`() throws {
        let meeting = try self.inStep(["n": Self.exact, "m": 1.50, "s": "x"])
        #expect(try meeting.phone.view("42")?.n == Self.rounded)
        #expect(try meeting.tablet.view("42")?.n == Self.rounded)
        let entries = try meeting.phone.journal()
        #expect(entries.map(\.reason) == [.altered])
        #expect(entries.map(\.path.text) == ["/n"])
        #expect(try entries.first?.lostValue == Self.exact)
        #expect(entries.first?.lostSide == .client)
        #expect(try meeting.tablet.journal().isEmpty)
    }

    @Test func `an edit is looked at like a create, and what comes back equal is no loss`() throws {
        let meeting = try self.inStep(["n": 1])
        #expect(try meeting.phone.journal().isEmpty)
        try meeting.phone.edit("42") { $0.n = Self.exact }
        try meeting.settle()
        #expect(try meeting.phone.journal().map(\.reason) == [.altered])
    }

    @Test func `nobody looks where values are exact`() throws {
        let meeting = try self.inStep(["n": Self.exact], as: .native)
        #expect(try meeting.phone.journal().isEmpty)
    }

    @Test func `what a lesser server alters needs no one's consent`() throws {
        #expect(try LesserServer(LesserServer.Quirks(roundsNumbers: true)).capabilities.mustBeAccepted.isEmpty)
    }
}
