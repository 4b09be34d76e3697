import Foundation
import TidemarkSimulation
import Testing

/// The store of a device changes hands between its owner and guests (Contract §13, §14).
@Suite struct HandoverSimulationTests {
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `stores that change hands keep every guarantee (I1 to I11, R28 to R32)`(seed: UInt64) {
        let simulation = Self.simulation(seed)
        #expect(simulation.script.contains(" hand "))
        let report = simulation.run()
        #expect(report.violation == nil, "seed \(seed):\n\(simulation.shrunk().script)")
        #expect(report.hasConverged)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `servers that do less are used by several clients of one store (R30)`(seed: UInt64) async {
        let simulation = Self.simulation(seed, lesser: .drawn)
        let violation = await Simulation.onThread { simulation.run() }.violation
        #expect(violation == nil, "seed \(seed): \(violation.map { "\($0)" } ?? "")")
    }

    @Test(arguments: [3, 8] as [UInt64])
    func `a script repeats a run in which stores change hands`(seed: UInt64) throws {
        let simulation = Self.simulation(seed)
        let parsed = try Simulation(parsing: simulation.script)
        #expect(parsed.script == simulation.script)
        #expect(parsed.run() == simulation.run())
    }

    @Test func `the seeds of the kept transcripts have no changes of hands, and one of four others has`() {
        func share(_ seeds: ClosedRange<UInt64>) -> Int {
            seeds.count { Simulation(seed: $0, steps: 100).script.contains(" hand ") }
        }
        #expect(share(1901...2000) == 0)
        #expect((10...40).contains(share(2001...2100)))
    }

    private static func simulation(_ seed: UInt64, lesser: LesserForm.Kind? = nil) -> Simulation {
        Simulation(
            seed: seed, steps: 300, devices: nil, faults: Set(SimulationFault.allCases), lesser: lesser,
            isHandedOver: true)
    }
}
