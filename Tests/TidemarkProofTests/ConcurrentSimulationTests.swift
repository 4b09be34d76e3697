import Testing
import TidemarkProof
import TidemarkSimulation

@Suite struct `Concurrent callers of a client` {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `concurrent calls keep every guarantee in any order (I2, I3, I5, I8, I9, R24)`(seed: UInt64) async {
        let report = await ConcurrentSimulation(seed: seed, steps: 400).run()
        #expect(report.violation == nil, "seed \(seed)")
        #expect(report.steps > 50)
        #expect(report.requests > 20)
    }
}
