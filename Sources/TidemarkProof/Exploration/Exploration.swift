import TidemarkMachine
import TidemarkSimulation
import TidemarkRules

/// The model checker of a record and of the run loop (Contract §7).
///
/// It explores a list of worlds one after the other. In each world, the real `RecordMachine` or `RunMachine` runs with an app,
/// another device, a server and a network, in every order of a number of inputs. Each step is checked against I1 to I11.
///
/// ```swift
/// let report = Exploration.small.run()
/// #expect(report.violation == nil, "\(report.trace.joined(separator: "\n"))")
/// ```
package struct Exploration: Sendable {
    /// The result of one world.
    package struct Part: Sendable {
        /// The name of the world.
        package var name: String

        /// How many states it has.
        package var states: Int

        /// How many steps lead from one of them to another.
        package var steps: Int

        /// How long it took.
        package var time: Duration

        /// How many cells of its table were taken.
        package var taken = 0

        /// How many cells its table has that are not impossible; 0 if they are not counted.
        package var rows = 0
    }

    /// The result of an exploration.
    package struct Report: Sendable {
        /// The name of the exploration: `small`, or `large`.
        package var world: String

        /// How many states all worlds have.
        package var states = 0

        /// How many steps lead from one state to another.
        package var steps = 0

        /// How many cells the table has that are not impossible.
        package var rows: Int { World.Cell.all.count }

        package var taken: Set<World.Cell> = []

        /// The cells that were not taken, in the order of the table.
        package var never: [World.Cell] { World.Cell.all.filter { !self.taken.contains($0) } }

        /// The cells of the run loop's table that were taken.
        package var runTaken: Set<RunWorld.Cell> = []

        /// The cells of the run loop's table that were not taken, in the order of the table.
        package var runNever: [RunWorld.Cell] { RunWorld.Cell.all.filter { !self.runTaken.contains($0) } }

        /// The result of each world, in the order of exploration.
        package var worlds: [Part] = []

        /// The total time.
        package var time: Duration { self.worlds.reduce(.zero) { $0 + $1.time } }

        /// The violation and its world; nil if there is no violation.
        package var violation: String?

        /// A shortest trace to the violation.
        package var trace: [String] = []
    }

    package var name: String

    /// The worlds, in the order of exploration.
    package var settings: [World.Setting]

    /// The worlds of the run loop with their numbers of inputs, explored after the others.
    package var runs: [(name: String, inputs: Int)] = []

    /// The maximum number of states of a world.
    fileprivate static let limit = 8_000_000

    /// Whether it has no world.
    package var isEmpty: Bool { self.settings.isEmpty && self.runs.isEmpty }

    /// Only the worlds whose names contain a text.
    package func only(_ text: String) -> Exploration {
        var exploration = self
        exploration.settings = self.settings.filter { $0.name.contains(text) }
        exploration.runs = self.runs.filter { $0.name.contains(text) }
        return exploration
    }

    /// Explores the worlds, up to the first violation.
    package func run() -> Report {
        var report = Report(world: self.name)
        for part in self.parts where report.violation == nil { report.add(part()) }
        return report
    }

    /// Explores several worlds at once, up to the first violation.
    ///
    /// - Parameter count: How many worlds at once. Each needs as much memory as it needs alone.
    /// - Returns: The same result as ``run()``.
    package func run(atOnce count: Int) async -> Report {
        var found: [(index: Int, report: Report)] = []
        await withTaskGroup(of: (Int, Report).self) { group in
            var rest = self.parts.enumerated().makeIterator()
            func begin() {
                guard let (index, part) = rest.next() else { return }
                group.addTask { (index, part()) }
            }
            for _ in 0..<max(count, 1) { begin() }
            var isOver = false
            // The worlds before a violation have started already, so the first violation of all is among the results.
            for await (index, report) in group {
                found.append((index, report))
                if report.violation != nil { isOver = true }
                if !isOver { begin() }
            }
        }
        var report = Report(world: self.name)
        for (_, part) in found.sorted(by: { $0.index < $1.index }) where report.violation == nil { report.add(part) }
        return report
    }

    private typealias Exploring = @Sendable () -> Report

    /// One function for each world that explores it.
    private var parts: [Exploring] {
        self.settings.map { setting -> Exploring in { Self.explore(setting) } }
            + self.runs.map { name, inputs -> Exploring in { Self.explore(RunWorld(inputs: inputs), name) } }
    }

    private static func explore(_ setting: World.Setting) -> Report {
        var taken: Set<World.Cell> = []
        // Inserted one by one, since a set of a few cells for each step would cost more than the step.
        var report = Report(exploring: World(setting), setting.name) {
            for cell in $0.taken { taken.insert(cell) }
        }
        report.count(taken.count, of: World.Cell.all.count)
        report.taken = taken
        return report
    }

    private static func explore(_ world: RunWorld, _ name: String) -> Report {
        var taken: Set<RunWorld.Cell> = []
        var report = Report(exploring: world, name) {
            for cell in $0.taken { taken.insert(cell) }
        }
        report.count(taken.count, of: RunWorld.Cell.all.count)
        report.runTaken = taken
        return report
    }
}

extension Exploration.Report {
    /// Explores one world.
    fileprivate init<Model: Explorable>(exploring model: Model, _ name: String, visit: (Model) -> Void) {
        let start = ContinuousClock.now
        var explorer = Explorer<Model>(limit: Exploration.limit)
        let found = explorer.explore(from: model, visit: visit)
        self.init(world: name)
        self.states = found.states
        self.steps = found.steps
        self.worlds = [
            Exploration.Part(name: name, states: found.states, steps: found.steps, time: ContinuousClock.now - start)
        ]
        self.violation = found.violation.map { "\(name): \($0)" }
        self.trace = found.trace
    }

    /// Adds the result of another world.
    fileprivate mutating func add(_ other: Self) {
        self.states += other.states
        self.steps += other.steps
        self.taken.formUnion(other.taken)
        self.runTaken.formUnion(other.runTaken)
        self.worlds += other.worlds
        (self.violation, self.trace) = (other.violation, other.trace)
    }

    /// Stores how much of its table the world took.
    fileprivate mutating func count(_ taken: Int, of rows: Int) {
        guard !self.worlds.isEmpty else { return }
        (self.worlds[self.worlds.count - 1].taken, self.worlds[self.worlds.count - 1].rows) = (taken, rows)
    }
}
