import CoreSupport
import Foundation
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkSimulation
import Testing

@Suite struct SimulationTests {
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `every run of a seed keeps every guarantee (I1 to I11)`(seed: UInt64) {
        let simulation = Simulation(seed: seed, steps: 300)
        let violation = simulation.run().violation
        #expect(violation == nil, "seed \(seed):\n\(simulation.shrunk().script)")
    }

    /// With restarts, crashes, full disks, copies, and servers that are rolled back.
    @Test(arguments: 1...12 as ClosedRange<UInt64>, [200, 1_000_000])
    func `a replay of a whole trace, or of its end, agrees with the run (R24)`(seed: UInt64, limit: Int) {
        let tactics: [any Tactic] = [.autoMerge, .askUser, .takeServer]
        let configuration = SyncConfiguration(
            rules: CollectionRules(tactic: tactics[Int(seed % 3)]), traceLimit: limit)
        let simulation = Simulation(seed: seed, steps: 400, configuration: configuration)
        let violation = simulation.run().violation
        #expect(violation == nil, "seed \(seed):\n\(simulation.shrunk().script)")
    }

    @Test(arguments: [7, 8, 18, 20] as [UInt64])
    func `a seed and its script repeat the same run`(seed: UInt64) throws {
        let simulation = Simulation(seed: seed, steps: 400)
        let report = simulation.run()
        #expect(report.requests > 50)
        #expect(simulation.run() == report)
        #expect(Simulation(seed: seed, steps: 400).run() == report)
        let script = try Simulation(parsing: simulation.script)
        #expect(script.script == simulation.script)
        #expect(script.run() == report)
        #expect(Simulation(seed: seed + 100, steps: 400).run().digest != report.digest)
    }

    @Test(arguments: [3, 17] as [UInt64])
    func `a store that finds no records by references is simulated without them`(seed: UInt64) throws {
        let disk = Disk()
        let plain = Simulation(seed: seed, steps: 200) { UnreadableStore(on: disk) }
        #expect(plain.script.contains("references 1"))
        #expect(plain.run().violation == nil, "\(plain.run().violation.map { "\($0)" } ?? "")")
        var own = SyncConfiguration()
        own["notes"].references = ["/ref": "notes"]
        let declared = Simulation(seed: seed, steps: 200, configuration: own) { UnreadableStore(on: disk) }
        #expect(declared.run().violation?.details.contains("can't find records by them") == true)
    }

    /// Each script failed once. A new finding is a new file.
    @Test(arguments: scripts)
    func `a script that once failed passes`(script: String) throws {
        let text = try String(contentsOf: Self.folder.appending(path: script), encoding: .utf8)
        let report = try Simulation(parsing: text).run()
        #expect(report.violation == nil, "\(script)")
    }

    @Test(arguments: [
        "none", "empty-pages", "circle", "known-rows", "long-cursor", "contention", "standstill", "doubled-results",
        "odd-names",
        "unwritable 503", "poison notes a 0",
    ])
    func `a script names a server fault, and a device that retries keeps all guarantees`(
        trouble: String
    ) throws {
        let lines = ["phone create notes a v1", "phone create notes b v2", "server trouble \(trouble)"]
        let steps = (lines + ["phone persist notes", "phone begin notes", "phone carry 0 rest 5"]).map { $0 + "\n" }
        let simulation = try Simulation(parsing: "seed 1\ndevices 2\n\n" + steps.joined())
        #expect(simulation.script.hasSuffix("\n\n" + steps.joined()))
        #expect(simulation.run().violation == nil)
    }

    @Test(arguments: ["ends", "throws", "catches-before", "catches-after", "saves", "saves-twice", "saves-throws"])
    func `a script names the course of a transaction, undo, redo and answers by field (R25)`(course: String) throws {
        // A draft that was not saved keeps its number, which is saved later.
        let changesNothing = ["throws", "catches-after"].contains(course)
        let lines = [
            "phone transact notes a notes b v1 ends", "phone sync notes", "tablet sync notes",
            "phone transact notes a notes b v2 \(course)", "phone amend notes a /tags v3",
            "tablet amend notes a /tags v4", "tablet amend notes a /title v5", "tablet sync notes", "phone sync notes",
            "phone resolve notes 0 fields 5",
            "phone undo", "phone undo", "phone redo", "phone redo", "phone transact notes a notes b v6 saves",
            "phone undo", "phone redo",
        ]
        let steps = lines.map { $0 + "\n" }.joined()
        let simulation = try Simulation(parsing: "seed 1\ndevices 2\nrule /title ask\nrule /tags union\n\n\(steps)")
        #expect(simulation.script.hasSuffix("\n\n" + steps))
        let report = simulation.run()
        #expect(report.violation == nil)
        #expect(try Simulation(parsing: simulation.script).run() == report)
        let ending = try Simulation(parsing: simulation.script.replacing(" \(course)\n", with: " throws\n")).run()
        #expect((ending.digest == report.digest) == changesNothing)
    }

    /// A field rule that reports no loss and keeps neither side.
    private static var forgetful: SyncConfiguration {
        get throws {
            let rule: any FieldRule = .custom { _ in .value("both", lost: false) }
            return SyncConfiguration(rules: CollectionRules(fields: try FieldRules([("/title", rule)])))
        }
    }

    @Test func `the simulation finds a field rule that loses a value, in a few steps (I2)`() throws {
        let failing = try #require(
            (1...50 as ClosedRange<UInt64>).lazy
                .map { Simulation(seed: $0, steps: 300, configuration: try? Self.forgetful) }
                .first { $0.run().violation?.rule == "I2" })
        let shrunk = failing.shrunk()
        #expect(shrunk.count < 10, "\(shrunk.script)")
        let again = try Simulation(parsing: shrunk.script, configuration: try Self.forgetful)
        #expect(again.run().violation?.kind == "a value that was written is lost")
        #expect(try Simulation(parsing: shrunk.script).run().violation == nil)
    }

    @Test func `a script with a malformed line is refused by the number of the line`() {
        let none = #expect(throws: SimulationScriptError.self) {
            try Simulation(parsing: "devices 2\n\nphone dances\n")
        }
        #expect(none?.line == 3)
        #expect(none?.text == "phone dances")
        let late = #expect(throws: SimulationScriptError.self) {
            try Simulation(parsing: "phone restart\ndevices 3\n")
        }
        #expect(late?.line == 2, "settings come before the first step")
        #expect(throws: SimulationScriptError.self) { try Simulation(parsing: "devices 9") }
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Scripts")

    static let scripts: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        return (names ?? []).filter { $0.hasSuffix(".txt") }.sorted()
    }()
}
