import Foundation
import TidemarkProof
import TidemarkSimulation

/// The requested runs over servers that do less. They run side by side.
struct LesserPlan: Sendable {
    var kind: LesserForm.Kind
    var seeds: ClosedRange<UInt64>
    var steps: Int
    var devices: Int?
    var faults: Set<SimulationFault>

    /// The text of a run; nil for drawn runs.
    var script: String?

    /// The run of a seed, or of the script.
    func simulation(_ seed: UInt64) throws -> LesserSimulation {
        if let script { return try LesserSimulation(self.kind, parsing: script) }
        return LesserSimulation(self.kind, seed: seed, steps: self.steps, devices: self.devices, faults: self.faults)
    }

    /// Runs them up to the first failure.
    func run() async throws -> LesserOutcome {
        let clock = ContinuousClock()
        let start = clock.now
        var outcome = LesserOutcome()
        try await withThrowingTaskGroup(of: (UInt64, LesserReport).self) { group in
            let seeds = self.script == nil ? self.seeds : 0...0
            var next: UInt64? = seeds.lowerBound
            func begin() throws {
                guard let seed = next else { return }
                next = seed < seeds.upperBound ? seed + 1 : nil
                let simulation = try self.simulation(seed)
                group.addTask { (seed, await simulation.run()) }
            }
            for _ in 0..<max(ProcessInfo.processInfo.activeProcessorCount, 1) { try begin() }
            // The seeds before a failure have started already, so the first failure of all is found.
            while let (seed, report) = try await group.next() {
                outcome.add(report, of: self.script == nil ? seed : nil)
                if report.run.violation != nil { next = nil }
                try begin()
            }
        }
        outcome.seconds = (clock.now - start) / .seconds(1)
        return outcome
    }
}

/// The result of runs over servers that do less.
struct LesserOutcome {
    private var runs = 0
    private var steps = 0
    private var requests = 0
    private var tally = LesserTally()
    var seconds = 0.0

    /// The failed run with the smallest seed, which is nil for a script.
    private(set) var failure: (seed: UInt64?, report: LesserReport)?

    mutating func add(_ report: LesserReport, of seed: UInt64?) {
        self.runs += 1
        self.steps += report.run.steps
        self.requests += report.run.requests
        self.tally.add(report.tally)
        guard report.run.violation != nil, self.failure.map({ ($0.seed ?? 0) > (seed ?? 0) }) ?? true else { return }
        self.failure = (seed, report)
    }

    /// The result as text.
    var text: String {
        let runs = self.runs == 1 ? "1 run" : "\(self.runs) runs"
        let seconds = (self.seconds * 10).rounded() / 10
        return
            "\(runs), \(self.steps) steps, \(self.requests) requests, \(seconds) seconds; \(self.tally.overwritten) words"
            + " overwritten as declared, \(self.tally.lateRows) late rows, \(self.tally.alterations) altered values,"
            + " \(self.tally.altered) of them in journals"
    }
}
