import Testing
import TidemarkSimulation

@Suite struct `Servers that do less, in a simulation` {
    @Test(arguments: LesserForm.Kind.allCases)
    func `all that is lost is named by the guarantees, and the devices agree in the end (Contract §12)`(
        kind: LesserForm.Kind
    ) async {
        var tally = LesserTally()
        // A write is overwritten in one run of ten.
        for seed in 1...(kind == .unconditional ? 40 : 12) as ClosedRange<UInt64> {
            let simulation = Self.simulation(kind, seed: seed, steps: 300)
            let report = await Simulation.onThread { simulation.run() }
            #expect(report.violation == nil, "\(kind), seed \(seed)")
            tally.add(report.lesser)
        }
        // Each server does less than the reference server, and the runs show it.
        if kind == .unconditional { #expect(tally.overwritten > 0) }
        if kind == .late { #expect(tally.lateRows > 10) }
        if kind == .rounding { #expect(tally.alterations > 10 && tally.altered > 3) }
        if kind != .unconditional, kind != .drawn { #expect(tally.overwritten == 0) }
    }

    @Test func `the same seed or script reproduces a run against a limited server`() async throws {
        let simulation = Self.simulation(.drawn, seed: 7, steps: 400)
        let report = await Simulation.onThread { simulation.run() }
        #expect(report.requests > 20)
        #expect(await Simulation.onThread { simulation.run() } == report)
        let parsed = try Simulation(parsing: simulation.script, lesser: .drawn)
        #expect(await Simulation.onThread { parsed.run() } == report)
        let other = Self.simulation(.drawn, seed: 8, steps: 400)
        #expect(await Simulation.onThread { other.run() }.digest != report.digest)
    }

    @Test func `a write is over with the edit that replaces it, also if an undo brings its value back`() async throws {
        let script = """
            seed 1
            devices 1

            phone transact notes c notes b v125 ends
            phone transact notes c notes a v143 ends
            phone begin notes
            phone undo
            """
        let simulation = try Simulation(parsing: script, lesser: .drawn)
        #expect(await Simulation.onThread { simulation.run() }.violation == nil)
    }

    private static func simulation(_ kind: LesserForm.Kind, seed: UInt64, steps: Int) -> Simulation {
        Simulation(seed: seed, steps: steps, devices: nil, faults: Set(SimulationFault.allCases), lesser: kind)
    }
}
