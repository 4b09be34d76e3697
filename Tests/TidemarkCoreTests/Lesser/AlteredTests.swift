import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `Values that a server alters on accept (SPEC §12)` {
    private static let exact: JSON = 123_456_789_012_345_678
    private static let rounded = JSON(123_456_789_012_345_680 as Double)

    private func inSync(_ content: JSON, as declared: RemoteCapabilities? = nil) throws -> LesserScenario {
        let scenario = try LesserScenario(LesserServer.Quirks(roundsNumbers: true), as: declared)
        try scenario.phone.create(content, pk: "42")
        try scenario.settle()
        return scenario
    }

    @Test func `an altered value is shown, and the sent one is journalled (I2)`() throws {
        let scenario = try self.inSync(["n": Self.exact, "m": 1.50, "s": "x"])
        #expect(try scenario.phone.view("42")?.n == Self.rounded)
        #expect(try scenario.tablet.view("42")?.n == Self.rounded)
        let entries = try scenario.phone.journal()
        #expect(entries.map(\.reason) == [.altered])
        #expect(entries.map(\.path.text) == ["/n"])
        #expect(try entries.first?.lostValue == Self.exact)
        #expect(entries.first?.lostSide == .client)
        #expect(try scenario.tablet.journal().isEmpty)
    }

    @Test func `an edit is checked like a create, and an equal value is no loss`() throws {
        let scenario = try self.inSync(["n": 1])
        #expect(try scenario.phone.journal().isEmpty)
        try scenario.phone.edit("42") { $0.n = Self.exact }
        try scenario.settle()
        #expect(try scenario.phone.journal().map(\.reason) == [.altered])
    }

    @Test func `a server with exact values is not checked for altered ones`() throws {
        let scenario = try self.inSync(["n": Self.exact], as: .native)
        #expect(try scenario.phone.journal().isEmpty)
    }

    @Test func `a server that rounds numbers needs no entry in accepts`() throws {
        #expect(try LesserServer(LesserServer.Quirks(roundsNumbers: true)).capabilities.guaranteesNotKept.isEmpty)
    }
}
