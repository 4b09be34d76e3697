import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Two meanings of "take" (Contract §4): a verdict on the clashes settles the conflicting fields, and merges the others.
@Suite struct ClashVerdictTests {
    private static let asking = try? FieldRules([
        ("/price", .ask), ("/count", .sum), ("/lines", .keyed("id")), ("/lines/*/n", .ask),
    ])

    /// The tablet's edit of a record meets the phone's edit, which is already on the server.
    private static func scenario(
        _ tactic: any Tactic = .autoMerge, base: JSON, phone: JSON, tablet: JSON
    ) throws -> SyncScenario {
        let rules = CollectionRules(tactic: tactic, fields: try #require(Self.asking))
        let scenario = try SyncScenario(configuration: SyncConfiguration(rules: rules))
        try scenario.phone.create(base, pk: "42")
        try scenario.settle()
        try scenario.phone.edit("42") { $0 = phone }
        try scenario.sync(scenario.phone)
        try scenario.tablet.edit("42") { $0 = tablet }
        try scenario.sync(scenario.tablet)
        return scenario
    }

    private static func resolve(_ scenario: SyncScenario, _ verdict: Verdict) throws {
        let conflict = try #require(try scenario.tablet.engine.conflict(of: "42", in: SyncScenario.collection))
        try scenario.tablet.run { (engine) throws(TidemarkError) in try engine.resolve(conflict, verdict).effects }
        try scenario.settle()
        try scenario.expectAgreement("42")
    }

    private static func lines(_ device: Device) throws -> [String] {
        try device.journal().map { entry in
            let value = entry.raw.value.map { String(decoding: $0, as: UTF8.self) } ?? "removed"
            return "\(entry.reason): \(entry.lostSide) \(entry.path) \(value)"
        }
    }

    private static let base: JSON = ["price": 1, "count": 1, "title": "Milk"]
    private static let there: JSON = ["price": 2, "count": 2, "title": "Milk", "shop": "corner"]
    private static let here: JSON = ["price": 3, "count": 11, "title": "Oat milk"]

    @Test(arguments: [
        (Verdict.Side.client, 3, "take-client: server /price 2"), (.server, 2, "take-server: client /price 3"),
    ])
    func `ask-about-one-field: fields that were not asked about are merged`(
        side: Verdict.Side, price: Int, line: String
    ) throws {
        let scenario = try Self.scenario(base: Self.base, phone: Self.there, tablet: Self.here)
        try Self.resolve(scenario, .clashes(side))
        let number = JSON.number(JSONNumber(price))
        #expect(
            try scenario.onServer("42") == ["price": number, "count": 12, "title": "Oat milk", "shop": "corner"])
        #expect(try Self.lines(scenario.tablet) == [line])
    }

    @Test func `answers by field settle each field for its side, also within an array that is merged by key`() throws {
        func record(_ price: Int, _ a: String, _ b: String, _ title: String) -> JSON {
            [
                "price": JSON(price), "title": JSON(title), "count": 1,
                "lines": [["id": "a", "n": JSON(a)], ["id": "b", "n": JSON(b)]],
            ]
        }
        let scenario = try Self.scenario(
            base: record(1, "A", "B", "Milk"), phone: record(2, "A there", "B there", "Milk"),
            tablet: record(3, "A here", "B here", "Oat milk"))
        let conflict = try #require(try scenario.tablet.engine.conflict(of: "42", in: SyncScenario.collection))
        let paths = conflict.asked.map(\.path)
        #expect(paths.map(\.text) == ["/lines/a/n", "/lines/b/n", "/price"])
        // A field without a side, and a field that was not asked about.
        let title = try JSONPointer(parsing: "/title")
        for answers in [
            [paths[0]: Verdict.Side.client], [paths[0]: .client, paths[1]: .server, paths[2]: .server, title: .client],
        ] {
            let error = #expect(throws: TidemarkError.self) { try Self.resolve(scenario, .fields(answers)) }
            #expect(error?.code == .invalidAnswers)
        }
        try Self.resolve(scenario, .fields([paths[0]: .client, paths[1]: .server, paths[2]: .server]))
        #expect(try scenario.onServer("42") == record(2, "A here", "B there", "Oat milk"))
        #expect(
            try Self.lines(scenario.tablet) == [
                "merge: server /lines/a/n \"A there\"", "merge: client /lines/b/n \"B here\"", "merge: client /price 3",
            ])
    }

    @Test(arguments: [Verdict.Side.server, .client])
    func `an answer about a record that one side deleted is one about the whole record`(side: Verdict.Side) throws {
        var configuration = SyncConfiguration()
        configuration.rules.tactic = .askUser
        let scenario = try SyncScenario(configuration: configuration)
        try scenario.phone.create(["n": 1], pk: "42")
        try scenario.settle()
        try scenario.phone.delete("42")
        try scenario.sync(scenario.phone)
        try scenario.tablet.edit("42") { $0.n = 2 }
        try scenario.sync(scenario.tablet)
        try Self.resolve(scenario, .fields([.root: side]))
        #expect(try scenario.onServer("42") == (side == .client ? ["n": 2] : nil))
    }

    @Test(arguments: [(Verdict.takeClient, here), (.takeServer, there)])
    func `ask-about-one-field: takeClient and takeServer take the whole record`(verdict: Verdict, final: JSON) throws {
        let scenario = try Self.scenario(base: Self.base, phone: Self.there, tablet: Self.here)
        try Self.resolve(scenario, verdict)
        #expect(try scenario.onServer("42") == final)
    }

    @Test func `a verdict on the clashes settles every conflicting field`() throws {
        let scenario = try Self.scenario(
            .askUser, base: ["a": 1, "b": 1, "c": 1], phone: ["a": 2, "b": 2, "c": 1], tablet: ["a": 3, "b": 3, "c": 3])
        try Self.resolve(scenario, .clashes(.server))
        #expect(try scenario.onServer("42") == ["a": 2, "b": 2, "c": 3])
        #expect(try Self.lines(scenario.tablet) == ["take-server: client /a 3", "take-server: client /b 3"])
    }

    @Test(arguments: [Verdict.Side.server, .client])
    func `a verdict settles only the conflicting field of an object in an array`(side: Verdict.Side) throws {
        let scenario = try Self.scenario(
            base: ["lines": [["id": 1, "n": 1, "t": "a"]]],
            phone: ["lines": [["id": 1, "n": 2, "t": "a"], ["id": 2, "n": 2]]],
            tablet: ["lines": [["id": 1, "n": 3, "t": "b"], ["id": 3, "n": 3]]])
        try Self.resolve(scenario, .clashes(side))
        let n: JSON = side == .server ? 2 : 3
        #expect(
            try scenario.onServer("42") == [
                "lines": [["id": 1, "n": n, "t": "b"], ["id": 2, "n": 2], ["id": 3, "n": 3]]
            ])
    }

    @Test func `a verdict takes one side's order of an array, with the inserts of both`() throws {
        func line(_ ids: Int...) -> JSON {
            ["lines": .array(ids.map { ["id": .number(JSONNumber($0))] })]
        }
        let scenario = try Self.scenario(
            .askUser, base: line(1, 2, 3), phone: line(3, 2, 1, 4), tablet: line(2, 1, 3, 5))
        try Self.resolve(scenario, .clashes(.server))
        let ids = try scenario.onServer("42")?["lines"]?.array?.compactMap { $0["id"]?.int }
        #expect(ids?.filter { $0 < 4 } == [3, 2, 1])
        #expect(Set(ids ?? []) == [1, 2, 3, 4, 5])
    }

    @Test(arguments: [Verdict.Side.server, .client])
    func `a verdict on a deletion takes one side as a whole`(side: Verdict.Side) throws {
        let rules = CollectionRules(tactic: .askUser)
        let scenario = try SyncScenario(configuration: SyncConfiguration(rules: rules))
        try scenario.phone.create(["a": 1], pk: "42")
        try scenario.settle()
        try scenario.phone.delete("42")
        try scenario.sync(scenario.phone)
        try scenario.tablet.edit("42") { $0.a = 2 }
        try scenario.sync(scenario.tablet)
        try Self.resolve(scenario, .clashes(side))
        #expect(try scenario.onServer("42") == (side == .server ? nil : ["a": 2]))
        #expect(try scenario.tablet.journal().count == 1)
    }

    @Test func `an app's tactic may settle the clashes, too`() throws {
        struct ServerOnClashes: Tactic {
            func decide(_ conflict: RecordConflict) -> Verdict? { .clashes(.server) }
        }
        let scenario = try Self.scenario(
            ServerOnClashes(), base: Self.base, phone: Self.there, tablet: Self.here)
        try scenario.settle()
        #expect(
            try scenario.onServer("42") == ["price": 2, "count": 12, "title": "Oat milk", "shop": "corner"])
        #expect(try Self.lines(scenario.tablet) == ["take-server: client /price 3"])
    }

    @Test func `ask-about-one-field: a verdict on outdated values is refused (R22)`() throws {
        let scenario = try Self.scenario(base: Self.base, phone: Self.there, tablet: Self.here)
        let conflict = try #require(try scenario.tablet.engine.conflict(of: "42", in: SyncScenario.collection))
        try scenario.phone.edit("42") { $0.price = 4 }
        try scenario.sync(scenario.phone)
        try scenario.sync(scenario.tablet)
        var resolution = SyncEngine.Resolution.settled
        try scenario.tablet.run { (engine) throws(TidemarkError) in
            let outcome = try engine.resolve(conflict, .clashes(.client))
            resolution = outcome.value
            return outcome.effects
        }
        #expect(resolution == .stale)
        #expect(try scenario.tablet.phase("42") == .edited(.deciding))
    }
}
