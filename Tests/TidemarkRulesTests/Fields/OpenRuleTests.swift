import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

/// A counter of an app: as `.sum`, but it never falls below zero.
struct Stock: FieldRule {
    let addsUp = true

    func decide(_ field: FieldConflict) -> FieldOutcome {
        let outcome = FieldRules.Sum().decide(field)
        guard case .value(let sum, _) = outcome, let left = sum?.int, left < 0 else { return outcome }
        return .value(0, lost: false)
    }
}

/// A rule around another one that asks a person where something would be lost.
struct AskAboutLosses: FieldRule {
    let rule: any FieldRule

    var addsUp: Bool { self.rule.addsUp }
    var keyedBy: String? { self.rule.keyedBy }
    var buildsUpon: Bool { self.rule.buildsUpon }

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

/// What holds for the built-in rules holds for those of an app.
@Suite("SPEC §4 R12 rules are open") struct OpenRuleTests {
    private static let lines = AskAboutLosses(rule: .keyed("id"))

    @Test(arguments: [(5, 6, 6, 7), (5, 2, 2, 0), (5, 7, 4, 6)])
    func `R12 equal changes of an app's own counter are two changes`(
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

    @Test func `R12 without a counter in it equal changes of an array are one change`() throws {
        #expect(
            try merging(
                Self.lines, inside: [("/*/n", .max)], base: [["id": 1, "n": 1]], server: [["id": 1, "n": 2]],
                client: [["id": 1, "n": 2]]) == Merging([["id": 1, "n": 2]]))
    }

    @Test func `a path goes by the keys of the objects, also where a rule stands around keyed`() throws {
        let rules = try FieldRules([("/lines", Self.lines)])
        let record: JSON = ["lines": [["id": 8], ["id": 7, "t": "a"]]]
        let path = try JSONPointer(parsing: "/lines/7/t")
        #expect(rules.place(of: path, in: record)?.text == "/lines/1/t")
        #expect(rules.value(at: path, in: record) == "a")
        #expect(rules.setting(path, to: "b", in: record) == ["lines": [["id": 8], ["id": 7, "t": "b"]]])
    }

    @Test func `what a rule around another one refuses is refused`() {
        let error = #expect(throws: TidemarkError.self) {
            try FieldRules([("/a", AskAboutLosses(rule: .latest(by: "seen")))])
        }
        #expect(error?.code == .invalidName)
    }

    @Test func `a rule that says nothing of itself adds nothing up and builds on nothing`() throws {
        let rule = Longest()
        #expect(!rule.addsUp && rule.keyedBy == nil && !rule.buildsUpon)
        #expect(Stock().buildsUpon && Self.lines.buildsUpon)
        try rule.check()
    }

    private static func meeting(phone: JSON, tablet: JSON) throws -> Meeting {
        let fields = try FieldRules([("/lines", Self.lines), ("/lines/*/n", Stock())])
        let meeting = try Meeting(configuration: SyncConfiguration(rules: .init(fields: fields)))
        try meeting.phone.create(["lines": [["id": 1, "n": 1], ["id": 2], ["id": 3]]], pk: "42")
        try meeting.settle()
        try meeting.phone.edit("42") { $0.lines = phone }
        try meeting.sync(meeting.phone)
        try meeting.tablet.edit("42") { $0.lines = tablet }
        try meeting.sync(meeting.tablet)
        return meeting
    }

    private static func resolve(_ meeting: Meeting, _ verdict: Verdict) throws {
        let conflict = try #require(try meeting.tablet.engine.conflict(of: "42", in: Meeting.collection))
        try meeting.tablet.run { (engine) throws(TidemarkError) in try engine.resolve(conflict, verdict).effects }
        try meeting.settle()
        try meeting.expectAgreement(on: "42")
    }

    @Test(arguments: [Verdict.Side.server, .client])
    func `of two orders the one of the side stands, with what both counted, also where a rule stands around keyed`(
        side: Verdict.Side
    ) throws {
        let meeting = try Self.meeting(
            phone: [["id": 3], ["id": 2], ["id": 1, "n": 2]], tablet: [["id": 2], ["id": 1, "n": 2], ["id": 3]])
        try Self.resolve(meeting, .clashes(side))
        let order: JSON =
            side == .server ? [["id": 3], ["id": 2], ["id": 1, "n": 3]] : [["id": 2], ["id": 1, "n": 3], ["id": 3]]
        #expect(try meeting.onServer("42") == ["lines": order])
    }

    @Test func `R12 two devices that count the same count twice by an app's own counter`() throws {
        let counted: JSON = [["id": 1, "n": 2], ["id": 2], ["id": 3]]
        let meeting = try Self.meeting(phone: counted, tablet: counted)
        try meeting.settle()
        try meeting.expectAgreement(on: "42")
        #expect(try meeting.onServer("42") == ["lines": [["id": 1, "n": 3], ["id": 2], ["id": 3]]])
    }
}
