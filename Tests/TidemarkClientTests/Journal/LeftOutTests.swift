import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

/// A tactic that always returns the same verdict.
private struct Always: Tactic {
    var verdict: Verdict

    func decide(_ conflict: RecordConflict) -> Verdict? { self.verdict }
}

/// Changes of both sides that merged content leaves out (Contract §4).
@Suite struct LeftOutTests {
    /// The tablet's edit meets the phone's. Both changed title and count, and each changed other fields, too.
    private static func scenario(_ tactic: any Tactic, fields: FieldRules = FieldRules()) throws -> SyncScenario {
        let rules = CollectionRules(tactic: tactic, fields: fields)
        let scenario = try SyncScenario(configuration: SyncConfiguration(rules: rules))
        try scenario.phone.create(["title": "Milk", "old": 1, "count": 1], pk: "42")
        try scenario.settle()
        try scenario.phone.edit("42") { view in
            view.title = "Oat milk"
            view.price = 3
            view.count = 2
        }
        try scenario.sync(scenario.phone)
        try scenario.tablet.edit("42") { view in
            view.title = "Soy milk"
            view.note = "no sugar"
            view.old = nil
            view.count = 5
        }
        try scenario.sync(scenario.tablet)
        return scenario
    }

    private static func lines(_ device: Device) throws -> [String] {
        try device.journal().map { entry in
            "\(entry.lostSide) \(entry.path) \(entry.raw.value.map { String(decoding: $0, as: UTF8.self) } ?? "removed")"
        }
    }

    private static func resolve(_ device: Device, _ verdict: Verdict) throws {
        let conflict = try #require(try device.engine.conflict(of: "42", in: SyncScenario.collection))
        try device.run { (engine) throws(TidemarkError) in try engine.resolve(conflict, verdict).effects }
    }

    @Test(arguments: [false, true])
    func `merge-verdict-leaves-out (I2): a one-sided change is journalled and restorable`(byPerson: Bool) throws {
        let verdict = Verdict.merge(["title": "Soy milk", "old": 1, "count": 5])
        let scenario = try Self.scenario(byPerson ? .askUser : Always(verdict: verdict) as any Tactic)
        if byPerson { try Self.resolve(scenario.tablet, verdict) }
        #expect(
            try Self.lines(scenario.tablet) == [
                "server /count 2", #"server /title "Oat milk""#, #"client /note "no sugar""#, "client /old removed",
                "server /price 3",
            ])
        for entry in try scenario.tablet.journal() where entry.path.text != "/title" {
            try scenario.tablet.run { (engine) throws(TidemarkError) in
                try engine.restore(entry.number, in: SyncScenario.collection)
            }
        }
        try scenario.settle()
        try scenario.expectAgreement("42")
        #expect(
            try scenario.onServer("42") == ["title": "Soy milk", "note": "no sugar", "price": 3, "count": 2])
    }

    @Test func `merge-verdict-leaves-out: a value that a rule merged has lost nothing`() throws {
        let fields = try FieldRules([("/count", .sum)])
        let scenario = try Self.scenario(.askUser, fields: fields)
        let conflict = try #require(try scenario.tablet.engine.conflict(of: "42", in: SyncScenario.collection))
        try Self.resolve(scenario.tablet, .merge(try #require(conflict.merged)))
        #expect(try Self.lines(scenario.tablet) == [#"server /title "Oat milk""#])
        try scenario.settle()
        #expect(try scenario.onServer("42")?.count == 6)
    }

    @Test func `merge-verdict-leaves-out: overriding a rule's value journals both changes`() throws {
        let fields = try FieldRules([("/count", .sum)])
        let scenario = try Self.scenario(.askUser, fields: fields)
        try Self.resolve(
            scenario.tablet, .merge(["title": "Soy milk", "note": "no sugar", "price": 3, "count": 100]))
        #expect(
            try Self.lines(scenario.tablet) == [
                #"server /title "Oat milk""#, "client /count 5", "server /count 2",
            ])
    }

    @Test func `merge-verdict-leaves-out: only missing members of added objects are journalled`() throws {
        let scenario = try SyncScenario(configuration: SyncConfiguration(rules: .init(tactic: .askUser)))
        try scenario.phone.create(["title": "Milk"], pk: "42")
        try scenario.settle()
        try scenario.phone.edit("42") { $0 = ["title": "Oat", "size": ["x": 1, "y": 2]] }
        try scenario.sync(scenario.phone)
        try scenario.tablet.edit("42") { $0 = ["title": "Soy", "size": ["z": 3]] }
        try scenario.sync(scenario.tablet)
        try Self.resolve(scenario.tablet, .merge(["title": "Soy", "size": ["x": 1, "z": 3]]))
        #expect(try Self.lines(scenario.tablet) == [#"server /title "Oat""#, "server /size/y 2"])
    }

    @Test func `merge-verdict-leaves-out: in a keyed array only decided fields are journalled`() throws {
        let fields = try FieldRules([("/lines", .keyed("id")), ("/lines/*/n", .ask)])
        let scenario = try SyncScenario(configuration: SyncConfiguration(rules: .init(fields: fields)))
        try scenario.phone.create(["lines": [["id": 1, "n": 1]]], pk: "42")
        try scenario.settle()
        try scenario.phone.edit("42") { $0 = ["lines": [["id": 1, "n": 2], ["id": 2, "n": 2]]] }
        try scenario.sync(scenario.phone)
        try scenario.tablet.edit("42") { $0 = ["lines": [["id": 1, "n": 3], ["id": 3, "n": 3]]] }
        try scenario.sync(scenario.tablet)
        try Self.resolve(
            scenario.tablet,
            .merge(["lines": [["id": 1, "n": 2], ["id": 2, "n": 2], ["id": 3, "n": 3]]]))
        #expect(try Self.lines(scenario.tablet) == ["client /lines/1/n 3"])
    }
}
