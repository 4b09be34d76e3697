public import TidemarkCore
import TidemarkRules
public import TidemarkTesting

/// Devices, a server and a network between them, in which a seed decides what happens: the engine, the store and the server
/// are the real ones, the time and the network are not.
///
/// People write on two devices and more, sync, decide, give up; messages get lost, repeated and late; processes end between
/// any two writes; servers restart, forget, and come back from a backup. A model that shares no code with the engine looks at
/// each step, and at the end, when all have healed and are quiet: the promises of SPEC §7 have to hold. The same seed is the
/// same run, to the last byte.
///
/// With your own tactic and rules it takes five lines:
///
/// ```swift
/// var own = SyncConfiguration(rules: CollectionRules(tactic: .takeServer))
/// own.serverWentBack = .sendAgain
/// for seed in 1...20 as ClosedRange<UInt64> {
///     let simulation = Simulation(seed: seed, steps: 300, configuration: own)
///     #expect(simulation.run().violation == nil, "\(simulation.shrunk().script)")
/// }
/// ```
///
/// A run is a script of plain values, drawn before anything is performed. A step that makes no sense in the state that it
/// meets does nothing, so a script can be cut: ``shrunk()`` finds a short one that fails in the same way, ``script`` is its text,
/// and ``init(parsing:configuration:store:)`` reads it again.
public struct Simulation: Sendable {
    private var plan: SimulationScript
    private let configuration: SyncConfiguration?
    private let store: @Sendable () throws -> any CopyableStore

    /// Draws a run.
    ///
    /// - Parameters:
    ///   - seed: Decides everything.
    ///   - steps: How many steps it has.
    ///   - devices: How many devices, from 2 to 8; the seed decides when it is left out.
    ///   - faults: What can befall them.
    ///   - configuration: What decides conflicts, on each device; drawn too when it is left out. Limits are drawn in any
    ///     case, and the collection `cafés` has rules of its own.
    ///   - store: Makes a store for a device; in memory when it is left out.
    public init(
        seed: UInt64, steps: Int, devices: Int? = nil, faults: Set<SimulationFault> = Set(SimulationFault.allCases),
        configuration: SyncConfiguration? = nil,
        store: @escaping @Sendable () throws -> any CopyableStore = { MemoryStore() }
    ) {
        self.init(
            seed: seed, steps: steps, devices: devices, faults: faults, isThemed: true, configuration: configuration,
            store: store)
    }

    /// Draws a run, with or without what has been found to lead to known faults.
    ///
    /// - Parameter isThemed: Whether every other seed is about one thing.
    package init(
        seed: UInt64, steps: Int, devices: Int?, faults: Set<SimulationFault>, isThemed: Bool,
        configuration: SyncConfiguration? = nil, store: @escaping @Sendable () throws -> any CopyableStore
    ) {
        var draw = SimulationDraw(seed: seed)
        self.plan = draw.script(steps: steps, devices: devices, faults: faults, isThemed: isThemed)
        self.configuration = configuration
        self.store = store
    }

    /// Reads a script.
    ///
    /// - Throws: ``SimulationScriptError``.
    public init(
        parsing script: String, configuration: SyncConfiguration? = nil,
        store: @escaping @Sendable () throws -> any CopyableStore = { MemoryStore() }
    ) throws(SimulationScriptError) {
        self.plan = try SimulationScript(parsing: script)
        self.configuration = configuration
        self.store = store
    }

    /// The run as text: what holds for the whole of it, and then each step on a line.
    public var script: String { self.plan.text }

    /// How many steps it has.
    public var count: Int { self.plan.steps.count }

    /// Performs it.
    ///
    /// - Parameter tell: Hears what happens, a line each.
    public func run(telling tell: ((String) -> Void)? = nil) -> SimulationReport {
        self.perform(self.plan, tell)
    }

    /// The shortest run that fails in the same way, as far as leaving steps and settings out leads; the same run where it does
    /// not fail.
    public func shrunk() -> Simulation {
        guard let violation = self.run().violation else { return self }
        var shrunk = self
        var shrinking = SimulationShrinking { script in
            self.perform(script).violation.map { $0.isSame(as: violation) } ?? false
        }
        shrunk.plan = shrinking.shrunk(self.plan, upTo: self.run().steps)
        return shrunk
    }

    private func perform(
        _ script: SimulationScript, _ tell: ((String) -> Void)? = nil
    ) -> SimulationReport {
        var performed = 0
        var hasConverged = false
        var run: SimulationRun?
        var violation: SimulationViolation?
        do {
            let started = try SimulationRun(script.setting, configuration: self.configuration, store: self.store)
            run = started
            started.tell = tell
            for step in script.steps {
                performed += 1
                try started.perform(step)
            }
            try started.end()
            hasConverged = true
        } catch let found as SimulationViolation {
            violation = found
        } catch {
            violation = SimulationViolation("R24", "an error that nobody expects", "\(error)")
        }
        return SimulationReport(
            violation: violation, steps: performed, requests: run?.requests ?? 0, devices: script.setting.devices,
            faults: script.steps.prefix(performed).reduce(into: [:]) { faults, step in
                if let fault = step.fault { faults[fault, default: 0] += 1 }
            },
            hasConverged: hasConverged, digest: run?.digest.text ?? "", rows: run?.rows ?? SimulationRows())
    }
}

/// What a simulation found.
public struct SimulationReport: Hashable, Sendable {
    /// The first promise that was not kept; nil when all were.
    public let violation: SimulationViolation?

    /// How many steps were performed.
    public let steps: Int

    /// How many requests were sent.
    public let requests: Int

    /// How many devices it began with.
    public var devices = 0

    /// How many steps were which fault, whether or not there was anything for it to befall.
    public var faults: [SimulationFault: Int] = [:]

    /// Whether all was quiet in the end, and everyone had what the server has.
    public var hasConverged = false

    /// A number for all that happened: requests, answers, journals, rows. The same for the same run, whatever the store.
    public let digest: String

    /// Which rows of the tables its devices took.
    package var rows = SimulationRows()

    /// Says what was found.
    package init(
        violation: SimulationViolation?, steps: Int, requests: Int, devices: Int = 0,
        faults: [SimulationFault: Int] = [:], hasConverged: Bool = false, digest: String,
        rows: SimulationRows = SimulationRows()
    ) {
        self.violation = violation
        self.steps = steps
        self.requests = requests
        self.devices = devices
        self.faults = faults
        self.hasConverged = hasConverged
        self.digest = digest
        self.rows = rows
    }
}
