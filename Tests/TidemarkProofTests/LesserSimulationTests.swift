import Testing
import TidemarkProof
import TidemarkSimulation

@Suite struct `Servers that do less, in a simulation` {
    @Test(arguments: LesserForm.Kind.allCases)
    func `all that is lost is named by the guarantees, and the devices agree in the end (SPEC §12)`(
        kind: LesserForm.Kind
    ) async {
        var tally = LesserTally()
        // A write is overwritten in one run of ten.
        for seed in 1...(kind == .unconditional ? 40 : 12) as ClosedRange<UInt64> {
            let simulation = LesserSimulation(
                kind, seed: seed, steps: 300, devices: nil, faults: Set(SimulationFault.allCases))
            let report = await simulation.run()
            #expect(report.run.violation == nil, "\(kind), seed \(seed)")
            tally.add(report.tally)
        }
        // Each server does less than the reference server, and the runs show it.
        if kind == .unconditional { #expect(tally.overwritten > 0) }
        if kind == .late { #expect(tally.lateRows > 10) }
        if kind == .rounding { #expect(tally.alterations > 10 && tally.altered > 3) }
        if kind != .unconditional, kind != .drawn { #expect(tally.overwritten == 0) }
    }

    @Test func `the same seed or script reproduces a run against a limited server`() async throws {
        let simulation = LesserSimulation(
            .drawn, seed: 7, steps: 400, devices: nil, faults: Set(SimulationFault.allCases))
        let report = await simulation.run()
        #expect(report.run.requests > 20)
        #expect(await simulation.run() == report)
        #expect(try await LesserSimulation(.drawn, parsing: simulation.script).run() == report)
        let other = LesserSimulation(.drawn, seed: 8, steps: 400, devices: nil, faults: [])
        #expect(await other.run().run.digest != report.run.digest)
    }
}
