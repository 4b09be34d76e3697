import Dispatch
public import TidemarkCore
import TidemarkRules
public import TidemarkTesting

/// A simulation of devices, a server and a network. A seed decides all events. The engine, the store and the server are the
/// real ones; the time and the network are simulated.
///
/// Users write on two or more devices, sync, decide conflicts and discard changes. Messages are lost, repeated and late.
/// Processes end between any two writes. Servers restart, purge tombstones, and are restored from backups. A model that shares
/// no code with the engine checks each step, and the end, when all faults are over and no device has more to send: the
/// guarantees of Contract §7 have to hold. The same seed repeats the same run, byte for byte.
///
/// A test with your own tactic and rules takes five lines:
///
/// ```swift
/// var own = SyncConfiguration(rules: CollectionRules(tactic: .takeServer))
/// own.serverRolledBack = .sendAgain
/// for seed in 1...20 as ClosedRange<UInt64> {
///     let simulation = Simulation(seed: seed, steps: 300, configuration: own)
///     #expect(simulation.run().violation == nil, "\(simulation.shrunk().script)")
/// }
/// ```
///
/// A run is a script of plain values, drawn before the first step. A step that does not apply in the present state does
/// nothing, so a script can be shortened: ``shrunk()`` finds a short one that fails in the same way, ``script`` is its text,
/// and ``init(parsing:configuration:store:)`` reads it.
public struct Simulation: Sendable {
    private var plan: SimulationScript
    private let configuration: SyncConfiguration?
    private let store: @Sendable () throws -> any CopyableStore

    /// The server; nil for the reference server.
    private let lesser: LesserForm.Kind?

    /// Draws a run.
    ///
    /// - Parameters:
    ///   - seed: Decides the whole run.
    ///   - steps: The number of steps.
    ///   - devices: The number of devices, from 2 to 8; by default the seed decides.
    ///   - faults: The possible faults.
    ///   - configuration: The conflict rules of each device; drawn by default. Limits are drawn in any
    ///     case, and the collection `cafés` has separate rules. In one run of 14 notes and tasks name notes by `/ref`, if the store
    ///     can find records by references, as those of Tidemark can.
    ///   - store: Makes a store for a device; by default a store in memory.
    public init(
        seed: UInt64, steps: Int, devices: Int? = nil, faults: Set<SimulationFault> = Set(SimulationFault.allCases),
        configuration: SyncConfiguration? = nil,
        store: @escaping @Sendable () throws -> any CopyableStore = { MemoryStore() }
    ) {
        self.init(
            seed: seed, steps: steps, devices: devices, faults: faults, isThemed: true, configuration: configuration,
            store: store)
    }

    /// Draws a run, with or without themes, which are sequences that lead to known faults.
    ///
    /// - Parameters:
    ///   - isThemed: Whether the runs of most seeds have a theme: rules that make rare events frequent.
    ///   - lesser: A server that does less than the reference server, over a `RowRemote` that declares its capabilities. All that
    ///     is lost has to be named by their guarantees. The seed decides its abilities. Such a run has no theme, and its thread
    ///     waits for the tasks of the remote (``onThread(_:)``).
    ///   - isHandedOver: Whether several clients use each store in turns; drawn by default.
    package init(
        seed: UInt64, steps: Int, devices: Int?, faults: Set<SimulationFault>, isThemed: Bool = true,
        lesser: LesserForm.Kind? = nil, isHandedOver: Bool? = nil, configuration: SyncConfiguration? = nil,
        store: @escaping @Sendable () throws -> any CopyableStore = { MemoryStore() }
    ) {
        var draw = SimulationDraw(seed: seed)
        self.plan = draw.script(steps: steps, devices: devices, faults: faults, isThemed: isThemed && lesser == nil)
        if isHandedOver ?? SimulationDraw.isHandedOver(seed), faults.contains(.crash) {
            draw.addHandovers(to: &self.plan)
        }
        self.configuration = configuration
        self.store = store
        self.lesser = lesser
    }

    /// Reads a script.
    ///
    /// - Throws: ``SimulationScriptError``.
    public init(
        parsing script: String, configuration: SyncConfiguration? = nil,
        store: @escaping @Sendable () throws -> any CopyableStore = { MemoryStore() }
    ) throws(SimulationScriptError) {
        try self.init(parsing: script, lesser: nil, configuration: configuration, store: store)
    }

    /// Reads a script, for a server that does less if its kind is given.
    ///
    /// - Throws: ``SimulationScriptError``.
    package init(
        parsing script: String, lesser: LesserForm.Kind?, configuration: SyncConfiguration? = nil,
        store: @escaping @Sendable () throws -> any CopyableStore = { MemoryStore() }
    ) throws(SimulationScriptError) {
        self.plan = try SimulationScript(parsing: script)
        self.configuration = configuration
        self.store = store
        self.lesser = lesser
    }

    /// Returns a result that is computed on a thread outside the pool of the tasks, so that it may wait for tasks.
    package static func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "simulation").async { continuation.resume(returning: body()) }
        }
    }

    /// The run as text: its setting, and then a line for each step.
    public var script: String { self.plan.text }

    /// The number of steps.
    public var count: Int { self.plan.steps.count }

    /// Runs the simulation.
    ///
    /// - Parameter tell: Called with a line of text for each event.
    public func run(telling tell: ((String) -> Void)? = nil) -> SimulationReport {
        self.perform(self.plan, tell)
    }

    /// Runs the simulation, and adds all that its devices do to a transcript.
    package func run(into transcript: SimulationTranscript) -> SimulationReport {
        self.perform(self.plan, nil, transcript)
    }

    /// The shortest run with the same failure that is found by removing steps and settings; the same run if it does not fail.
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
        _ script: SimulationScript, _ tell: ((String) -> Void)? = nil, _ transcript: SimulationTranscript? = nil
    ) -> SimulationReport {
        var performed = 0
        var hasConverged = false
        var run: SimulationRun?
        var violation: SimulationViolation?
        do {
            let started = try SimulationRun(
                script.setting, configuration: self.configuration, store: self.store,
                lesser: self.lesser.map { LesserForm($0, seed: script.setting.seed) }, transcript: transcript)
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
            violation = SimulationViolation("R24", "an unexpected error", "\(error)")
        }
        transcript?.end(run?.devices.map(\.device) ?? [], after: violation)
        run?.close()
        return SimulationReport(
            violation: violation, steps: performed, requests: run?.requests ?? 0, devices: script.setting.devices,
            faults: script.steps.prefix(performed).reduce(into: [:]) { faults, step in
                if let fault = step.fault { faults[fault, default: 0] += 1 }
            },
            hasConverged: hasConverged, digest: run?.digest.text ?? "", rows: run?.rows ?? SimulationRows(),
            lesser: run?.server.lesser?.tally ?? LesserTally())
    }
}

/// The result of a simulation.
public struct SimulationReport: Hashable, Sendable {
    /// The first violated guarantee; nil if all held.
    public let violation: SimulationViolation?

    /// The number of steps performed.
    public let steps: Int

    /// The number of requests sent.
    public let requests: Int

    /// The number of devices at the beginning.
    public var devices = 0

    /// The number of steps of each fault, including faults without effect.
    public var faults: [SimulationFault: Int] = [:]

    /// Whether in the end no device had more to send, and each device had the server's records.
    public var hasConverged = false

    /// A hash of all events: requests, answers, journals, rows. The same run has the same digest on each store.
    public let digest: String

    /// The rows of the tables that its devices took.
    package var rows = SimulationRows()

    /// How often a server did less.
    package var lesser = LesserTally()

    /// Makes a report.
    package init(
        violation: SimulationViolation?, steps: Int, requests: Int, devices: Int = 0,
        faults: [SimulationFault: Int] = [:], hasConverged: Bool = false, digest: String,
        rows: SimulationRows = SimulationRows(), lesser: LesserTally = LesserTally()
    ) {
        self.violation = violation
        self.steps = steps
        self.requests = requests
        self.devices = devices
        self.faults = faults
        self.hasConverged = hasConverged
        self.digest = digest
        self.rows = rows
        self.lesser = lesser
    }
}
