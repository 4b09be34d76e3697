package import TidemarkSimulation
import Dispatch
import Synchronization
import TidemarkTesting

/// Devices and a server that does less than the reference server: it compares no versions, it has rows that become visible
/// late, no feed, or it changes values.
///
/// It is the third mode of ``Simulation``. The remote is a `RowRemote`, and declares the server's capabilities. The property is
/// that all that is lost is named by the guarantees of these capabilities, and that all devices agree with the server in the
/// end. The same seed repeats the same run.
package struct LesserSimulation: Sendable {
    private var plan: SimulationScript
    private let kind: LesserForm.Kind

    /// Draws a run.
    package init(_ kind: LesserForm.Kind, seed: UInt64, steps: Int, devices: Int?, faults: Set<SimulationFault>) {
        var draw = SimulationDraw(seed: seed)
        self.plan = draw.script(steps: steps, devices: devices, faults: faults, isThemed: false)
        self.kind = kind
    }

    /// Reads a script. The abilities of the server follow from the kind and from the seed of the script.
    ///
    /// - Throws: ``SimulationScriptError``.
    package init(_ kind: LesserForm.Kind, parsing script: String) throws(SimulationScriptError) {
        self.plan = try SimulationScript(parsing: script)
        self.kind = kind
    }

    /// The run as text.
    package var script: String { self.plan.text }

    /// The number of steps.
    package var count: Int { self.plan.steps.count }

    /// Runs the simulation.
    package func run(telling tell: (@Sendable (String) -> Void)? = nil) async -> LesserReport {
        await Self.perform(self.plan, self.kind, tell)
    }

    /// Runs the simulation, and adds all that its devices do to a transcript.
    package func run(into transcript: SimulationTranscript) async -> LesserReport {
        await Self.perform(self.plan, self.kind, nil, transcript)
    }

    /// The shortest run with the same failure that is found.
    ///
    /// - Parameter report: The report of this run.
    package func shrunk(from report: LesserReport) async -> LesserSimulation {
        guard let violation = report.run.violation else { return self }
        let (plan, kind) = (self.plan, self.kind)
        var shrunk = self
        shrunk.plan = await withCheckedContinuation { continuation in
            // The search blocks, so it must not use a thread of the tasks that it waits for.
            DispatchQueue.global().async {
                var shrinking = SimulationShrinking { script in
                    Self.violation(of: script, kind)?.isSame(as: violation) ?? false
                }
                continuation.resume(returning: shrinking.shrunk(plan, upTo: report.run.steps))
            }
        }
        return shrunk
    }

    private final class Finding: Sendable {
        let violation = Mutex<SimulationViolation?>(nil)
    }

    /// Runs a script, and blocks the thread until its end.
    private static func violation(of script: SimulationScript, _ kind: LesserForm.Kind) -> SimulationViolation? {
        let (finding, end) = (Finding(), DispatchSemaphore(value: 0))
        Task {
            let violation = await Self.perform(script, kind, nil).run.violation
            finding.violation.withLock { $0 = violation }
            end.signal()
        }
        end.wait()
        return finding.violation.withLock { $0 }
    }

    private static func perform(
        _ script: SimulationScript, _ kind: LesserForm.Kind, _ tell: (@Sendable (String) -> Void)?,
        _ transcript: SimulationTranscript? = nil
    ) async -> LesserReport {
        let setting = script.setting
        let form = LesserForm(kind, seed: setting.seed)
        tell?("\(form)")
        var performed = 0
        var violation: SimulationViolation?
        var run: LesserRun?
        do {
            let started = try LesserRun(setting, form, transcript)
            run = started
            started.tell = tell
            for step in script.steps {
                performed += 1
                try await started.perform(step)
            }
            try await started.end()
        } catch let found as SimulationViolation {
            violation = found
        } catch {
            violation = SimulationViolation("R24", "an unexpected error", "\(error)")
        }
        transcript?.end(run?.devices.map(\.device) ?? [], after: violation)
        await run?.close()
        let report = SimulationReport(
            violation: violation, steps: performed, requests: run?.requests ?? 0, devices: setting.devices,
            hasConverged: violation == nil, digest: run?.digest.text ?? "")
        return LesserReport(run: report, tally: run?.tally ?? LesserTally())
    }
}

/// The result of a simulation over a server that does less.
package struct LesserReport: Hashable, Sendable {
    package let run: SimulationReport
    package let tally: LesserTally
}

/// How often a server did less, over one or more runs.
package struct LesserTally: Hashable, Sendable {
    /// The acknowledged words that were overwritten, as the guarantees say.
    package var overwritten = 0

    /// The rows that were committed behind a version that a reader may have read.
    package var lateRows = 0

    /// The writes that stored another value than was sent, and the journal's entries about them.
    package var alterations = 0
    package var altered = 0

    package init() {}

    /// Adds the numbers of another run.
    package mutating func add(_ other: LesserTally) {
        self.overwritten += other.overwritten
        self.lateRows += other.lateRows
        self.alterations += other.alterations
        self.altered += other.altered
    }
}
