import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

/// A counter of an app: as `.sum`, but it never falls below zero.
struct Stock: FieldRule {
    let isAdditive = true

    func decide(_ field: FieldConflict) -> FieldOutcome {
        let outcome = FieldRules.Sum().decide(field)
        guard case .value(let sum, _) = outcome, let left = sum?.int, left < 0 else { return outcome }
        return .value(0, lost: false)
    }
}

/// A rule that wraps another rule and asks the user if a value would be lost.
struct AskAboutLosses: FieldRule {
    let rule: any FieldRule

    var isAdditive: Bool { self.rule.isAdditive }
    var keyedBy: String? { self.rule.keyedBy }
    var isIncremental: Bool { self.rule.isIncremental }

    func check() throws(TidemarkError) { try self.rule.check() }

    func decide(_ field: FieldConflict) -> FieldOutcome {
        switch self.rule.decide(field) {
        case .client, .server, .value(_, lost: true): .ask
        case .merged(let value, let clashes):
            .merged(
                value,
                clashes: clashes.map {
                    JSONMerge.Clash(
                        path: $0.path, base: $0.base, server: $0.server, client: $0.client, winner: .undecided)
                })
        case .value(_, lost: false), .ask: self.rule.decide(field)
        }
    }
}

/// Custom rules have the same abilities as the built-in rules.
@Suite("Contract §4 custom rules have the abilities of built-in rules (R12)") struct OpenRuleTests {
    private static let lines = AskAboutLosses(rule: .keyed("id"))

    @Test(arguments: [(5, 6, 6, 7), (5, 2, 2, 0), (5, 7, 4, 6)])
    func `equal increments of a custom counter are added twice (R12)`(
        base: Int, server: Int, client: Int, sum: Int
    ) throws {
        func number(_ number: Int) -> JSON { .number(JSONNumber(number)) }
        let (base, server, client) = (number(base), number(server), number(client))
        #expect(try merging(Stock(), base: base, server: server, client: client) == Merging(number(sum)))
        #expect(
            try merging(
                Self.lines, inside: [("/*/n", Stock())], base: [["id": 1, "n": base]],
                server: [["id": 1, "n": server]], client: [["id": 1, "n": client]])
                == Merging([["id": 1, "n": number(sum)]]))
    }

    @Test func `equal changes of an array without a counter are one change (R12)`() throws {
        #expect(
            try merging(
                Self.lines, inside: [("/*/n", .max)], base: [["id": 1, "n": 1]], server: [["id": 1, "n": 2]],
                client: [["id": 1, "n": 2]]) == Merging([["id": 1, "n": 2]]))
    }

    @Test func `a path uses the keys of the objects, also if a rule wraps keyed`() throws {
        let rules = try FieldRules([("/lines", Self.lines)])
        let record: JSON = ["lines": [["id": 8], ["id": 7, "t": "a"]]]
        let path = try JSONPointer(parsing: "/lines/7/t")
        #expect(rules.place(of: path, in: record)?.text == "/lines/1/t")
        #expect(rules.value(at: path, in: record) == "a")
        #expect(rules.setting(path, to: "b", in: record) == ["lines": [["id": 8], ["id": 7, "t": "b"]]])
    }

    @Test func `a rule that wraps an invalid rule is refused`() {
        let error = #expect(throws: TidemarkError.self) {
            try FieldRules([("/a", AskAboutLosses(rule: .latest(by: "seen")))])
        }
        #expect(error?.code == .invalidName)
    }

    @Test func `a custom rule has no isAdditive, keyedBy or isIncremental by default`() throws {
        let rule = Longest()
        #expect(!rule.isAdditive && rule.keyedBy == nil && !rule.isIncremental)
        #expect(Stock().isIncremental && Self.lines.isIncremental)
        try rule.check()
    }

    private static func scenario(phone: JSON, tablet: JSON) throws -> SyncScenario {
        let fields = try FieldRules([("/lines", Self.lines), ("/lines/*/n", Stock())])
        let scenario = try SyncScenario(configuration: SyncConfiguration(rules: .init(fields: fields)))
        try scenario.phone.create(["lines": [["id": 1, "n": 1], ["id": 2], ["id": 3]]], pk: "42")
        try scenario.settle()
        try scenario.phone.edit("42") { $0.lines = phone }
        try scenario.sync(scenario.phone)
        try scenario.tablet.edit("42") { $0.lines = tablet }
        try scenario.sync(scenario.tablet)
        return scenario
    }

    private static func resolve(_ scenario: SyncScenario, _ verdict: Verdict) throws {
        let conflict = try #require(try scenario.tablet.engine.conflict(of: "42", in: SyncScenario.collection))
        try scenario.tablet.run { (engine) throws(TidemarkError) in try engine.resolve(conflict, verdict).effects }
        try scenario.settle()
        try scenario.expectAgreement(on: "42")
    }

    @Test(arguments: [Verdict.Side.server, .client])
    func `choosing a side keeps its order of objects, with the counts of both sides`(
        side: Verdict.Side
    ) throws {
        let scenario = try Self.scenario(
            phone: [["id": 3], ["id": 2], ["id": 1, "n": 2]], tablet: [["id": 2], ["id": 1, "n": 2], ["id": 3]])
        try Self.resolve(scenario, .clashes(side))
        let order: JSON =
            side == .server ? [["id": 3], ["id": 2], ["id": 1, "n": 3]] : [["id": 2], ["id": 1, "n": 3], ["id": 3]]
        #expect(try scenario.onServer("42") == ["lines": order])
    }

    @Test func `two devices with equal increments of a custom counter count twice (R12)`() throws {
        let counted: JSON = [["id": 1, "n": 2], ["id": 2], ["id": 3]]
        let scenario = try Self.scenario(phone: counted, tablet: counted)
        try scenario.settle()
        try scenario.expectAgreement(on: "42")
        #expect(try scenario.onServer("42") == ["lines": [["id": 1, "n": 3], ["id": 2], ["id": 3]]])
    }
}
