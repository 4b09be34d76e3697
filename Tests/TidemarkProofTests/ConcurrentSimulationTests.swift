import Testing
import TidemarkProof
import TidemarkSimulation

@Suite struct `Callers that use a client at once` {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `keep every promise, in whatever order they come (I2, I3, I5, I8, I9, R24)`(seed: UInt64) async {
        let report = await ConcurrentSimulation(seed: seed, steps: 400).run()
        #expect(report.violation == nil, "seed \(seed)")
        #expect(report.steps > 50)
        #expect(report.requests > 20)
    }
}
