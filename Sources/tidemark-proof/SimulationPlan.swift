import Foundation
import Tidemark
import TidemarkSimulation
import TidemarkTesting

/// The requested runs. They run side by side, and are reported in the order of their seeds.
struct SimulationPlan: Sendable {
    /// A run and its report.
    struct Finding: Sendable {
        let simulation: Simulation
        let seed: UInt64?
        let report: SimulationReport

        /// The name in messages.
        var name: String { self.seed.map { "seed \($0)" } ?? "the script" }
    }

    private let seeds: ClosedRange<UInt64>?
    private let simulation: @Sendable (UInt64) -> Simulation

    /// Makes a plan of drawn runs.
    init(
        seeds: ClosedRange<UInt64>, steps: Int, devices: Int?, faults: Set<SimulationFault>, isThemed: Bool,
        isHandedOver: Bool?, lesser: LesserForm.Kind?, store: SimulatedStore
    ) {
        self.seeds = seeds
        self.simulation = {
            Simulation(
                seed: $0, steps: steps, devices: devices, faults: faults, isThemed: isThemed, lesser: lesser,
                isHandedOver: isHandedOver, store: store.make)
        }
    }

    /// Makes a plan of one run, from a script.
    init(script: Simulation) {
        self.seeds = nil
        self.simulation = { _ in script }
    }

    /// The first run.
    var first: Simulation { self.simulation(self.seeds?.lowerBound ?? 0) }

    /// Performs only the first run, and reports each of its steps.
    func runFirst(_ report: @escaping @Sendable (String) -> Void) async {
        let first = self.first
        await Simulation.onThread { _ = first.run(telling: report) }
    }

    /// Performs the runs up to the first failure, and returns their findings.
    func findings() async -> [Finding] {
        guard let seeds = self.seeds else {
            let first = self.first
            return [await Simulation.onThread { Finding(simulation: first, seed: nil, report: first.run()) }]
        }
        var findings: [Finding] = []
        await withTaskGroup(of: Finding.self) { group in
            var next = seeds.lowerBound
            var isOver = false
            func begin() {
                guard !isOver else { return }
                let (seed, make) = (next, self.simulation)
                (next, isOver) = seed == seeds.upperBound ? (seed, true) : (seed + 1, false)
                group.addTask {
                    let simulation = make(seed)
                    return await Simulation.onThread {
                        Finding(simulation: simulation, seed: seed, report: simulation.run())
                    }
                }
            }
            for _ in 0..<max(ProcessInfo.processInfo.activeProcessorCount, 1) { begin() }
            // The seeds before a failure have started already, so the first failure of all is among the findings.
            for await finding in group {
                findings.append(finding)
                if finding.report.violation != nil { isOver = true }
                begin()
            }
        }
        findings.sort { ($0.seed ?? 0) < ($1.seed ?? 0) }
        let failed = findings.firstIndex { $0.report.violation != nil }
        return Array(findings.prefix(failed.map { $0 + 1 } ?? findings.count))
    }
}

// MARK: - A script to keep

extension SimulationPlan {
    /// The length of a script that is short enough.
    private static let glance = 11

    /// How many runs after a failed one are searched for the same failure, and how many of those are shortened.
    private static let (successors, cuts) = (300 as UInt64, 10)

    /// The shortest script with the same failure as a run. Some runs can't be shortened to a short script; then following runs
    /// with the same failure are shortened as well.
    ///
    /// - Returns: The run of the script, and the script.
    func shortest(_ failed: Finding) -> (finding: Finding, shrunk: Simulation) {
        var shortest = (finding: failed, shrunk: failed.simulation.shrunk())
        guard let first = failed.seed, let last = self.seeds?.upperBound, let violation = failed.report.violation,
            first < last
        else { return shortest }
        var cuts = 0
        for seed in (first + 1)...(first + min(last - first, Self.successors)) {
            guard shortest.shrunk.count > Self.glance, cuts < Self.cuts else { break }
            let simulation = self.simulation(seed)
            let other = Finding(simulation: simulation, seed: seed, report: simulation.run())
            guard other.report.violation?.kind == violation.kind else { continue }
            cuts += 1
            let shrunk = other.simulation.shrunk()
            if shrunk.count < shortest.shrunk.count { shortest = (other, shrunk) }
        }
        return shortest
    }
}

/// The result of all runs.
struct SimulationOutcome {
    private let findings: [SimulationPlan.Finding]
    private let seconds: Double

    init(_ findings: [SimulationPlan.Finding], seconds: Double) {
        self.findings = findings
        self.seconds = seconds
    }

    /// The rows of the tables that the runs took.
    var rows: SimulationRows { self.findings.reduce(into: SimulationRows()) { $0.add($1.report.rows) } }

    private var steps: Int { self.findings.reduce(0) { $0 + $1.report.steps } }
    private var requests: Int { self.findings.reduce(0) { $0 + $1.report.requests } }

    /// FNV-1a over the digests of the runs; the digest of the run if there is only one.
    private var digest: String {
        guard self.findings.count > 1 else { return self.findings.first?.report.digest ?? "" }
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in self.findings.flatMap({ Array($0.report.digest.utf8) }) {
            state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        return String(state, radix: 16)
    }

    /// How often servers did less, as text; nothing for the reference server.
    private var lesser: String {
        var tally = LesserTally()
        for finding in self.findings { tally.add(finding.report.lesser) }
        guard tally != LesserTally() else { return "" }
        return
            "; \(tally.overwritten) words overwritten as declared, \(tally.lateRows) late rows, \(tally.alterations) altered"
            + " values, \(tally.altered) of them in journals"
    }

    /// The result as text.
    var text: String {
        let runs = self.findings.count == 1 ? "1 run" : "\(self.findings.count) runs"
        let pace = Int(Double(self.steps) / max(self.seconds, 0.001))
        let seconds = (self.seconds * 10).rounded() / 10
        return
            "\(runs), \(self.steps) steps, \(self.requests) requests, \(seconds) seconds (\(pace) steps a second), digest \(self.digest)\(self.lesser)"
    }
}

/// The stores of the devices of a simulation.
enum SimulatedStore: String, Sendable {
    case memory, sqlite

    /// Makes an empty store.
    var make: @Sendable () throws -> any CopyableStore {
        switch self {
        case .memory: { MemoryStore() }
        case .sqlite: { try SQLiteStore.sqliteInMemory() }
        }
    }
}
