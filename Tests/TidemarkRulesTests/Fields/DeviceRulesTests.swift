import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Two devices change the same field apart from each other, then meet.
@Suite("SPEC §4 field rules, two devices") struct DeviceRulesTests {
    /// A rule, what each device makes of the field, what both have in the end, and what the journal has.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var rules: [(String, any FieldRule)]
        var base: JSON
        var phone: JSON
        var tablet: JSON
        var result: JSON
        var lost: [String] = []

        var testDescription: String { self.name }
    }

    static let cases = [
        Case(name: "client", rules: [("/f", .client)], base: 1, phone: 2, tablet: 3, result: 3, lost: ["/f=2"]),
        Case(name: "server", rules: [("/f", .server)], base: 1, phone: 2, tablet: 3, result: 2, lost: ["/f=3"]),
        Case(name: "min", rules: [("/f", .min)], base: 9, phone: 2, tablet: 3, result: 2, lost: ["/f=3"]),
        Case(name: "max", rules: [("/f", .max)], base: 1, phone: 2, tablet: 3, result: 3, lost: ["/f=2"]),
        Case(name: "counter-delta", rules: [("/f", .sum)], base: 5, phone: 8, tablet: 6, result: 9),
        Case(name: "counter-delta, equal", rules: [("/f", .sum)], base: 5, phone: 6, tablet: 6, result: 7),
        Case(name: "union", rules: [("/f", .union)], base: [1], phone: [1, 2], tablet: [3, 1], result: [1, 2, 3]),
        Case(name: "list", rules: [("/f", .list)], base: [1, 2], phone: [1, 2, 3], tablet: [2], result: [2, 3]),
        Case(
            name: "text", rules: [("/f", .text)], base: "a quick fox", phone: "a slow fox", tablet: "a quick dog",
            result: "a slow dog"),
        Case(
            name: "text, clash", rules: [("/f", .text)], base: "a quick fox", phone: "a slow dog",
            tablet: "a fast fox", result: "a fast dog", lost: [#"/f="a slow dog""#]),
        Case(
            name: "keyed", rules: [("/f", .keyed("id")), ("/f/*/n", .sum)], base: [["id": 7, "n": 1]],
            phone: [["id": 7, "n": 2]], tablet: [["id": 7, "n": 2], ["id": 8]],
            result: [["id": 7, "n": 3], ["id": 8]]),
        Case(
            name: "keyed, clash", rules: [("/f", .keyed("id"))], base: [["id": 7, "t": "a"]],
            phone: [["id": 6], ["id": 7, "t": "s"]], tablet: [["id": 7, "t": "c"]],
            result: [["id": 6], ["id": 7, "t": "c"]], lost: [#"/f/7/t="s""#]),
        Case(
            name: "latest", rules: [("/f/body", .latest(by: "/f/at"))], base: ["body": "b", "at": 1],
            phone: ["body": "s", "at": 9], tablet: ["body": "c", "at": 1], result: ["body": "s", "at": 9],
            lost: [#"/f/body="c""#]),
        Case(
            name: "custom", rules: [("/f", .custom { _ in .value("both", lost: false) })], base: 1, phone: 2, tablet: 3,
            result: "both"),
    ]

    private func meet(_ rules: [(String, any FieldRule)], _ base: JSON, _ phone: JSON, _ tablet: JSON) throws -> Meeting
    {
        var configuration = SyncConfiguration()
        configuration.rules.fields = try FieldRules(rules)
        let meeting = try Meeting(configuration: configuration)
        try meeting.phone.create(["f": base], pk: "42")
        try meeting.settle()
        try meeting.phone.edit("42") { $0["f"] = phone }
        try meeting.tablet.edit("42") { $0["f"] = tablet }
        try meeting.sync(meeting.phone)
        try meeting.sync(meeting.tablet)
        return meeting
    }

    private func lost(_ device: Device) throws -> [String] {
        try device.journal().map { "\($0.path)=\(String(decoding: $0.raw.value ?? [], as: UTF8.self))" }
    }

    @Test(arguments: Self.cases)
    func `both devices come to the same, and the journal has what lost and no more`(_ rule: Case) throws {
        let meeting = try self.meet(rule.rules, rule.base, rule.phone, rule.tablet)
        try meeting.settle()
        for device in meeting.devices {
            #expect(try device.view("42") == ["f": rule.result])
            #expect(try device.phase("42") == .synced)
        }
        #expect(try meeting.onServer("42") == ["f": rule.result])
        #expect(try self.lost(meeting.tablet) == rule.lost)
        #expect(try self.lost(meeting.phone).isEmpty)
    }

    @Test func `ask leaves the record deciding with the clash listed, and resolving merges the rest`() throws {
        let rules: [(String, any FieldRule)] = [("/f/price", .ask), ("/f/n", .sum)]
        let meeting = try self.meet(
            rules, ["price": 1, "n": 1], ["price": 2, "n": 2], ["price": 3, "n": 2])
        #expect(try meeting.tablet.phase("42") == .edited(.deciding))
        let conflict = try #require(try meeting.tablet.engine.conflict(of: "42", in: Meeting.collection))
        #expect(conflict.undecided.map(\.path.text) == ["/f/price"])
        #expect(conflict.merged == ["f": ["price": 3, "n": 3]])
        #expect(try meeting.tablet.view("42") == ["f": ["price": 3, "n": 2]])
        try meeting.tablet.run { (engine) throws(TidemarkError) in
            try engine.resolve(conflict, .merge(["f": ["price": 2, "n": 3]])).effects
        }
        try meeting.settle()
        for device in meeting.devices { #expect(try device.view("42") == ["f": ["price": 2, "n": 3]]) }
        #expect(try self.lost(meeting.tablet) == ["/f/price=3"])
    }

    @Test func `undo-a-merge: what lost inside of a keyed array is restored to its own object`() throws {
        let meeting = try self.meet(
            [("/f", .keyed("id"))], [["id": 7, "t": "a"], ["id": 8]], [["id": 5], ["id": 7, "t": "s"], ["id": 8]],
            [["id": 7, "t": "c"], ["id": 8]])
        let entry = try #require(try meeting.tablet.journal().first)
        try meeting.tablet.run { (engine) throws(TidemarkError) in
            try engine.restore(entry.number, in: Meeting.collection)
        }
        try meeting.settle()
        #expect(try meeting.phone.view("42") == ["f": [["id": 5], ["id": 7, "t": "s"], ["id": 8]]])
    }

    @Test func `counter-delta: a sum goes on over several rounds, restarts and lost answers`() throws {
        let meeting = try self.meet([("/f", .sum)], 0, 1, 10)
        try meeting.phone.edit("42") { $0["f"] = 3 }
        try meeting.sync(meeting.phone)
        try meeting.tablet.edit("42") { $0["f"] = .number(JSONNumber(($0["f"]?.int ?? 0) + 100)) }
        try meeting.tablet.sync(Meeting.collection)
        try meeting.loseAnswer(meeting.tablet)
        try meeting.tablet.restart()
        meeting.server.clock.advance(by: .seconds(400))
        try meeting.settle()
        let total = try #require(try meeting.onServer("42")?["f"]?.int)
        #expect(try meeting.phone.view("42") == ["f": .number(JSONNumber(total))])
        #expect(try meeting.tablet.view("42") == ["f": .number(JSONNumber(total))])
        #expect(total == 113)
    }
}
