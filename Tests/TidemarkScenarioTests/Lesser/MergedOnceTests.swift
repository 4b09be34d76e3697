import Synchronization
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@testable import TidemarkCore

/// The merge of a conflict is made once, and passed on to the tactic and to the journal.
@Suite struct MergedOnceTests {
    /// A rule that counts its decisions. A merge makes one for a field that both sides changed.
    private final class Counting: FieldRule {
        private let decisions = Mutex(0)

        func decide(_ field: FieldConflict) -> FieldOutcome {
            self.decisions.withLock { $0 += 1 }
            return .client
        }

        /// The number of decisions since the last call.
        func count() -> Int {
            self.decisions.withLock { count in
                defer { count = 0 }
                return count
            }
        }
    }

    private let rule = Counting()

    private func configuration(_ tactic: any Tactic) throws -> SyncConfiguration {
        SyncConfiguration(rules: CollectionRules(tactic: tactic, fields: try FieldRules([("/n", self.rule)])))
    }

    /// The phone has changed the field, and then the tablet, which has not synced yet.
    private func scenario(_ tactic: any Tactic) throws -> SyncScenario {
        let scenario = try SyncScenario(configuration: try self.configuration(tactic))
        try scenario.phone.create(["n": 1], pk: "42")
        try scenario.settle()
        try scenario.phone.edit("42") { $0.n = 2 }
        try scenario.sync(scenario.phone)
        try scenario.tablet.edit("42") { $0.n = 3 }
        return scenario
    }

    @Test(arguments: [AutoMerge() as any Tactic, TakeServer(), TakeClient(), AskUser()])
    func `a conflict is merged once, whichever tactic decides (Contract §4)`(tactic: any Tactic) throws {
        let scenario = try self.scenario(tactic)
        #expect(self.rule.count() == 0)
        try scenario.sync(scenario.tablet)
        #expect(scenario.tablet.events("42").contains(.clashed))
        #expect(self.rule.count() == 1)
    }

    @Test func `a decision of the user merges once, and a conflict that is read from the store once, too`() throws {
        let scenario = try self.scenario(.askUser)
        try scenario.sync(scenario.tablet)
        _ = self.rule.count()
        try scenario.tablet.restart()
        let conflict = try #require(try scenario.tablet.engine.conflict(of: "42", in: SyncScenario.collection))
        #expect(self.rule.count() == 1)
        try scenario.tablet.run { (engine) throws(TidemarkError) in
            try engine.resolve(conflict, .clashes(.server)).effects
        }
        #expect(self.rule.count() == 1)
        #expect(try scenario.tablet.journal().map { try $0.lostValue } == [3])
    }

    @Test func `an accepted answer that meets a later edit merges by the rules, and for the client`() throws {
        let scenario = try LesserScenario(
            LesserServer.Quirks(roundsNumbers: true), configuration: try self.configuration(.autoMerge))
        try scenario.phone.create(["n": 1], pk: "42")
        try scenario.settle()
        try scenario.phone.edit("42") { $0.n = 123_456_789_012_345_678 }
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.phone.edit("42") { $0.n = 2 }
        #expect(self.rule.count() == 0)
        try scenario.carry(scenario.phone)
        #expect(self.rule.count() == 2)
        #expect(try scenario.phone.view("42") == ["n": 2])
    }

    // MARK: The same losses

    private static let rules: [(String, any FieldRule)] = [
        ("/client", .client), ("/server", .server), ("/whole", .whole), ("/min", FieldRules.Extreme(.smallest)),
        ("/max", FieldRules.Extreme(.largest)), ("/sum", .sum), ("/union", .union), ("/list", .list),
        ("/keyed", .keyed("id")), ("/keyed/*/sum", .sum), ("/text", .text), ("/latest", .latest(by: "/sum")),
        ("/ask", .ask), ("/kept", .custom { _ in .value("both", lost: false) }),
        ("/lost", .custom { _ in .value("both", lost: true) }),
    ]

    /// Draws records with a field for each rule, and some without one.
    private struct Draw {
        var generator: SeededGenerator

        mutating func number(below limit: Int) -> Int { Int(self.generator.next() % UInt64(limit)) }

        mutating func record() -> JSON {
            var record: JSON = [:]
            for name in MergedOnceTests.rules.map({ $0.0.dropFirst() }) + ["free", "other"]
            where !name.contains("*") && self.number(below: 8) > 0 {
                record[String(name)] = self.value(of: String(name))
            }
            return record
        }

        private mutating func value(of name: String) -> JSON {
            let number = JSON(self.number(below: 4))
            switch name {
            case "union", "list": return .array((0..<self.number(below: 4)).map { _ in JSON(self.number(below: 4)) })
            case "keyed":
                let ids = (0..<4).filter { _ in self.number(below: 2) == 0 }
                return .array(ids.map { ["id": JSON($0), "sum": JSON(self.number(below: 4)), "x": number] })
            case "text":
                return .string(JSONString((0..<3).map { _ in "w\(self.number(below: 3))" }.joined(separator: " ")))
            case "whole", "other": return ["x": number, "y": JSON(self.number(below: 2))]
            case _: return self.number(below: 8) == 0 ? .string("s") : number
            }
        }
    }

    private static func lines(_ losses: Losses) -> [String] {
        losses.values.map { "\($0.side) \($0.path.text) \($0.value?.text ?? "nothing")" } + [losses.version ?? "none"]
    }

    @Test func `the losses of a merge that was passed on are those of a new one, under all rules (I2)`() throws {
        let algebra = JSONChanges(fields: try FieldRules(Self.rules))
        var (clashes, journalled) = (0, 0)
        for seed in 0..<300 as Range<UInt64> {
            var draw = Draw(generator: SeededGenerator(seed: seed))
            let (base, server, client) = (draw.record(), draw.record(), draw.record())
            var machine = Record.Machine(
                phase: .edited(.idle), confirmed: .row(version: "1", RecordPayload(base)),
                edits: try algebra.change(from: RecordPayload(base), to: RecordPayload(client)))
            let step = try machine.receive(.feedRow(.row(version: "2", RecordPayload(server))), algebra)
            guard step.event == .clashed, let question = try machine.conflict(algebra) else { continue }
            clashes += 1
            let merge = try #require(step.clash)
            let passed = try RecordConflict(question, of: "1", in: "c", algebra, round: 1, merge: merge)
            let anew = try RecordConflict(question, of: "1", in: "c", algebra, round: 1)
            #expect(passed.clashes == anew.clashes && passed.merged == anew.merged && passed.asked == anew.asked)
            let verdicts: [Verdict] = [
                .clashes(.server), .clashes(.client), .takeServer, .takeClient, .keepBoth(newPK: "2"),
                .merge(passed.merged ?? [:]), .merge(draw.record()),
            ]
            for verdict in verdicts {
                let driven = DrivenInput(verdict, about: passed, algebra.fields)
                var after = machine
                let settled = try after.receive(driven.input, algebra)
                guard settled.actions.has(.journal) else { continue }
                journalled += 1
                for isMerge in [true, false] {
                    let losses = try [driven.merge, nil].map { merge throws in
                        try Losses(of: settled, from: machine, to: after, isMerge: isMerge, merge: merge, algebra)
                    }
                    #expect(Self.lines(losses[0]) == Self.lines(losses[1]), "seed \(seed), \(verdict)")
                }
            }
        }
        #expect(clashes > 200 && journalled > 1_000)
    }
}
