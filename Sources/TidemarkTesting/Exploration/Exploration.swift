import TidemarkMachine

/// Everything that can happen to a record, played through (SPEC §7).
///
/// A list of worlds is explored one after the other. In each, the real `RecordMachine` meets an app, another device,
/// a server and a network, in every order of a number of inputs, and every step is held against the properties I1 to
/// I11.
///
/// ```swift
/// let report = Exploration.small.run()
/// #expect(report.violation == nil, "\(report.trace.joined(separator: "\n"))")
/// ```
public struct Exploration: Sendable {
    /// What an exploration found.
    public struct Report: Sendable {
        /// The name of the exploration: `small`, or `large`.
        public var world: String

        /// How many states all worlds have.
        public var states = 0

        /// How many steps lead from one state to another.
        public var steps = 0

        /// How many cells the table has that are not impossible.
        public var rows: Int { World.Cell.all.count }

        /// Which of them were taken.
        public var taken: Set<World.Cell> = []

        /// Which were not, in the order of the table.
        public var never: [World.Cell] { World.Cell.all.filter { !self.taken.contains($0) } }

        /// What is wrong, and in which world; nil when nothing is.
        public var violation: String?

        /// The steps that lead there, a shortest way.
        public var trace: [String] = []
    }

    /// What to call it.
    public var name: String

    /// The worlds, in the order in which they are explored.
    public var settings: [World.Setting]

    /// Two devices that meet, in the order in which they are explored, after the worlds.
    public var pairs: [(name: String, devices: TwoDevices)]

    /// How many states one world may have.
    public var limit: Int

    /// Makes an exploration of other worlds.
    public init(
        name: String, settings: [World.Setting], pairs: [(name: String, devices: TwoDevices)] = [],
        limit: Int = 8_000_000
    ) {
        self.name = name
        self.settings = settings
        self.pairs = pairs
        self.limit = limit
    }

    /// Explores the worlds, up to the first violation.
    public func run() -> Report {
        var report = Report(world: self.name)
        var taken = report.taken
        for setting in self.settings where report.violation == nil {
            var explorer = Explorer<World>(limit: self.limit)
            let found = explorer.explore(from: World(setting)) { world in
                for cell in world.taken { taken.insert(cell) }
            }
            report.states += found.states
            report.steps += found.steps
            report.violation = found.violation.map { "\(setting.name): \($0)" }
            report.trace = found.trace
        }
        report.taken = taken
        for (name, devices) in self.pairs where report.violation == nil {
            var explorer = Explorer<TwoDevices>(limit: self.limit)
            let found = explorer.explore(from: devices) { _ in }
            report.states += found.states
            report.steps += found.steps
            report.violation = found.violation.map { "\(name): \($0)" }
            report.trace = found.trace
        }
        return report
    }
}

extension World.Cell {
    /// Every cell of the table that is not impossible, in the order of the table.
    public static let all: [World.Cell] = RecordPhase.allCases.flatMap { phase in
        RecordEvent.allCases
            .filter { phase.transition(on: $0) != .impossible }
            .map { World.Cell(phase: phase, event: $0) }
    }
}

extension World.Cell: CustomStringConvertible {
    /// The phase and the event.
    public var description: String { "\(self.phase) \(self.event)" }
}
