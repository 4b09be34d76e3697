import CannedHTTP
import Foundation
import Tidemark
import TidemarkProof
import TidemarkSimulation

/// The requested concurrent runs. They run one after the other, since each run uses all cores.
struct ConcurrentPlan: Sendable {
    var seeds: ClosedRange<UInt64>
    var steps: Int
    var devices: Int?
    var store: SimulatedStore

    /// Runs them up to the first failure.
    func run() async throws -> ConcurrentOutcome {
        // This server begins each answer and then resets the connection, as a killed server does (Contract §3.5).
        let breaking = try CannedServer(
            .reset(Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{".utf8)))
        defer { withExtendedLifetime(breaking) {} }
        let remote = try HTTPRemote(url: breaking.url)
        let clock = ContinuousClock()
        let start = clock.now
        var outcome = ConcurrentOutcome()
        for seed in self.seeds {
            let report = try await self.run(seed, breaking: remote)
            outcome.runs += 1
            outcome.calls += report.steps
            outcome.requests += report.requests
            guard let violation = report.violation else { continue }
            outcome.failure = (seed, violation)
            break
        }
        outcome.seconds = (clock.now - start) / .seconds(1)
        return outcome
    }

    /// A run whose messages are lost on real connections.
    private func run(_ seed: UInt64, breaking: HTTPRemote) async throws -> SimulationReport {
        guard self.store == .sqlite else {
            return await ConcurrentSimulation(
                seed: seed, steps: self.steps, devices: self.devices, breaking: breaking
            ).run()
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tidemark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path
        let simulation = ConcurrentSimulation(
            seed: seed, steps: self.steps, devices: self.devices, breaking: breaking
        ) { device in
            try SQLiteStore(path: "\(path)/\(device).db")
        }
        return await simulation.run()
    }
}

/// The result of concurrent runs.
struct ConcurrentOutcome {
    var runs = 0
    var calls = 0
    var requests = 0
    var seconds = 0.0

    /// The first run that failed.
    var failure: (seed: UInt64, violation: SimulationViolation)?

    /// The result as text.
    var text: String {
        let runs = self.runs == 1 ? "1 run" : "\(self.runs) runs"
        let seconds = (self.seconds * 10).rounded() / 10
        return "\(runs), \(self.calls) calls that were taken, \(self.requests) requests, \(seconds) seconds"
    }
}
