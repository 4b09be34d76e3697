import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Two devices change the same field independently, then sync.
@Suite("Contract §4 field rules, two devices") struct DeviceRulesTests {
    /// A rule, each device's value of the field, the final value on both, and the journal's entries.
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

    private func meet(_ rules: [(String, any FieldRule)], _ base: JSON, _ phone: JSON, _ tablet: JSON) throws
        -> SyncScenario
    {
        var configuration = SyncConfiguration()
        configuration.rules.fields = try FieldRules(rules)
        let scenario = try SyncScenario(configuration: configuration)
        try scenario.phone.create(["f": base], pk: "42")
        try scenario.settle()
        try scenario.phone.edit("42") { $0["f"] = phone }
        try scenario.tablet.edit("42") { $0["f"] = tablet }
        try scenario.sync(scenario.phone)
        try scenario.sync(scenario.tablet)
        return scenario
    }

    private func lost(_ device: Device) throws -> [String] {
        try device.journal().map { "\($0.path)=\(String(decoding: $0.raw.value ?? [], as: UTF8.self))" }
    }

    @Test(arguments: Self.cases)
    func `both devices converge, and the journal has the discarded values only`(_ rule: Case) throws {
        let scenario = try self.meet(rule.rules, rule.base, rule.phone, rule.tablet)
        try scenario.settle()
        for device in scenario.devices {
            #expect(try device.view("42") == ["f": rule.result])
            #expect(try device.phase("42") == .synced)
        }
        #expect(try scenario.onServer("42") == ["f": rule.result])
        #expect(try self.lost(scenario.tablet) == rule.lost)
        #expect(try self.lost(scenario.phone).isEmpty)
    }

    @Test func `ask leaves the record deciding, and resolving merges the other fields`() throws {
        let rules: [(String, any FieldRule)] = [("/f/price", .ask), ("/f/n", .sum)]
        let scenario = try self.meet(
            rules, ["price": 1, "n": 1], ["price": 2, "n": 2], ["price": 3, "n": 2])
        #expect(try scenario.tablet.phase("42") == .edited(.deciding))
        let conflict = try #require(try scenario.tablet.engine.conflict(of: "42", in: SyncScenario.collection))
        #expect(conflict.undecided.map(\.path.text) == ["/f/price"])
        #expect(conflict.merged == ["f": ["price": 3, "n": 3]])
        #expect(try scenario.tablet.view("42") == ["f": ["price": 3, "n": 2]])
        try scenario.tablet.run { (engine) throws(TidemarkError) in
            try engine.resolve(conflict, .merge(["f": ["price": 2, "n": 3]])).effects
        }
        try scenario.settle()
        for device in scenario.devices { #expect(try device.view("42") == ["f": ["price": 2, "n": 3]]) }
        #expect(try self.lost(scenario.tablet) == ["/f/price=3"])
    }

    @Test func `undo-a-merge: a value lost in a keyed array is restored to its own object`() throws {
        let scenario = try self.meet(
            [("/f", .keyed("id"))], [["id": 7, "t": "a"], ["id": 8]], [["id": 5], ["id": 7, "t": "s"], ["id": 8]],
            [["id": 7, "t": "c"], ["id": 8]])
        let entry = try #require(try scenario.tablet.journal().first)
        try scenario.tablet.run { (engine) throws(TidemarkError) in
            try engine.restore(entry.number, in: SyncScenario.collection)
        }
        try scenario.settle()
        #expect(try scenario.phone.view("42") == ["f": [["id": 5], ["id": 7, "t": "s"], ["id": 8]]])
    }

    @Test func `counter-delta: a sum is exact over several rounds, restarts and lost answers`() throws {
        let scenario = try self.meet([("/f", .sum)], 0, 1, 10)
        try scenario.phone.edit("42") { $0["f"] = 3 }
        try scenario.sync(scenario.phone)
        try scenario.tablet.edit("42") { $0["f"] = .number(JSONNumber(($0["f"]?.int ?? 0) + 100)) }
        try scenario.tablet.sync(SyncScenario.collection)
        try scenario.loseAnswer(scenario.tablet)
        try scenario.tablet.restart()
        scenario.server.clock.advance(by: .seconds(400))
        try scenario.settle()
        let total = try #require(try scenario.onServer("42")?["f"]?.int)
        #expect(try scenario.phone.view("42") == ["f": .number(JSONNumber(total))])
        #expect(try scenario.tablet.view("42") == ["f": .number(JSONNumber(total))])
        #expect(total == 113)
    }
}
