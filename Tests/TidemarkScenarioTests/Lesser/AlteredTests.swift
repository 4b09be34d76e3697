import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `Values that a server alters on accept (Contract §12)` {
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

    /// Whether the server may alter values, and the reasons in the journal then.
    private static let declared: [(RemoteCapabilities.Values, [JournalEntry.Reason])] = [
        (.byValue, []), (.rounded, [.altered]),
    ]

    /// A create that is in flight.
    private func sent(
        _ values: RemoteCapabilities.Values
    ) throws -> (server: ScriptedServer, upload: UploadRequest) {
        let server = try ScriptedServer { $0.values = values }
        try server.create(["n": 1, "title": "ours"], pk: "42")
        return (server, try #require(try server.begin().first))
    }

    @Test(arguments: Self.declared)
    func `another value in the answer to a resent create is another client's, if the server alters none`(
        values: RemoteCapabilities.Values, reasons: [JournalEntry.Reason]
    ) throws {
        let (server, upload) = try self.sent(values)
        #expect(try server.sendAgain() == nil)
        #expect(try server.answer().map(\.requestID) == [upload.requestID])
        try server.answer([], upload.accepted(#"{"n":1,"title":"theirs"}"#, 2))
        #expect(try server.record("42")?.confirmed.data == Array(#"{"n":1,"title":"theirs"}"#.utf8))
        #expect(try server.journal().map(\.reason) == reasons)
    }

    @Test(arguments: Self.declared)
    func `another value in a row that was read after the write is another client's, if the server alters none`(
        values: RemoteCapabilities.Values, reasons: [JournalEntry.Reason]
    ) throws {
        let (server, upload) = try self.sent(values)
        var result = upload.accepted(#"{"n":1,"title":"theirs"}"#, 2)
        result.isReadBack = true
        try server.answer([], result)
        #expect(try server.record("42")?.confirmed.data == Array(#"{"n":1,"title":"theirs"}"#.utf8))
        #expect(try server.journal().map(\.reason) == reasons)
    }

    @Test func `a server that rounds numbers needs no entry in accepts`() throws {
        #expect(try LesserServer(LesserServer.Quirks(roundsNumbers: true)).capabilities.guaranteesNotKept.isEmpty)
    }

    @Test func `a value that is rounded to its former one is altered, and not overwritten (I8)`() throws {
        let quirks = LesserServer.Quirks(checksFirst: true, roundsNumbers: true, countsEveryWrite: true)
        let scenario = try LesserScenario(quirks)
        try scenario.phone.create(["n": Self.exact, "m": 1], pk: "42")
        try scenario.settle()
        try scenario.phone.edit("42") { ($0.n, $0.m) = (Self.exact, 2) }
        try scenario.sync(scenario.phone)
        #expect(scenario.phone.reports.last?.requests == 1)
        #expect(scenario.phone.reports.last?.outcome == .inSync)
        #expect(try scenario.phone.view("42") == ["n": Self.rounded, "m": 2])
        let entries = try scenario.phone.journal()
        #expect(entries.map(\.reason) == [.altered, .altered])
        #expect(try entries.allSatisfy { try $0.lostValue == Self.exact })
    }

    /// A rule that prefers the server's value decides about conflicts, and not whose write an accepted row shows.
    @Test(arguments: [
        FieldRules.Server() as any FieldRule, FieldRules.Extreme(.smallest), FieldRules.Ask(), FieldRules.Client(),
    ])
    func `a rounded value is this client's write under each field rule (R4)`(rule: any FieldRule) throws {
        var configuration = SyncConfiguration()
        configuration[SyncScenario.collection].fields = try FieldRules([("/n", rule)])
        let scenario = try LesserScenario(
            LesserServer.Quirks(checksFirst: true, roundsNumbers: true), configuration: configuration)
        let phone = scenario.phone
        try phone.create(["n": 1, "m": 1], pk: "42")
        try scenario.settle()
        try phone.edit("42") { $0.n = Self.exact }
        try phone.sync(SyncScenario.collection)
        try phone.edit("42") { $0.m = 2 }
        let count = phone.events("42").count
        try scenario.carry(phone)
        #expect(phone.events("42").dropFirst(count) == [.acceptedEarlier, .repeated, .sent, .accepted])
        #expect(phone.reports.last?.outcome == .inSync)
        #expect(try phone.view("42") == ["n": Self.rounded, "m": 2])
        #expect(try phone.journal().map(\.reason) == [.altered])
    }

    @Test func `an edit is watched even if the server rounded one of its members (I1)`() throws {
        let quirks = LesserServer.Quirks(checksFirst: true, roundsNumbers: true, countsEveryWrite: true)
        let scenario = try LesserScenario(quirks)
        try scenario.phone.create(["n": Self.exact, "m": 1], pk: "42")
        try scenario.settle()
        scenario.clock.advance(by: .seconds(60))
        try scenario.settle()
        try scenario.phone.edit("42") { ($0.n, $0.m) = (Self.exact, 2) }
        try scenario.tablet.edit("42") { $0.b = 2 }
        try scenario.tablet.sync(SyncScenario.collection)
        try scenario.carryOne(scenario.tablet) { try scenario.sync(scenario.phone) }
        #expect(scenario.server.rows["42"]?.data == ["n": Self.rounded, "m": 1, "b": 2])
        try scenario.settle()
        #expect(try scenario.tablet.view("42") == ["n": Self.rounded, "m": 2, "b": 2])
        #expect(try scenario.phone.journal().map(\.reason) == [.altered, .altered, .overwritten])
    }
}
