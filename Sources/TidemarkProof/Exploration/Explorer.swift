/// A model that can be explored: a state, and every step that can be taken from it.
package protocol Explorable {
    /// The name of a step.
    associatedtype Move: CustomStringConvertible

    /// The identity of a state. States that differ only in the time have the same key.
    associatedtype Key: Hashable

    /// The key of this state.
    var key: Key { get }

    /// Every step that can be taken.
    var moves: [Move] { get }

    /// The state after a step.
    func taking(_ move: Move) -> Self

    /// Whether a step happens by itself, without an app, another device or a fault.
    func isProgress(_ move: Move) -> Bool

    /// The violation in this state; nil without a violation.
    var violation: String? { get }

    /// Whether this state is a valid end: in sync, or held with a reason.
    var isGoal: Bool { get }
}

/// Visits every state that a model can reach, breadth first, so that the first trace found is a shortest one.
///
/// The states report violations themselves. The explorer finds two more in the whole graph: a state from which progress
/// alone reaches no goal (I3), and a cycle of progress (I8).
package struct Explorer<Model: Explorable> {
    /// The result of an exploration.
    package struct Report: Sendable {
        /// How many states there are.
        package var states = 0

        /// How many steps lead from one of them to another.
        package var steps = 0

        /// The violation; nil without a violation.
        package var violation: String?

        /// The steps to the violation.
        package var trace: [String] = []
    }

    private var visited: [Model.Key: Int32] = [:]
    private var queue: [Model] = []
    private var parents: [(state: Int32, move: Model.Move?)] = []
    private var goals: [Int32] = []
    private var sources: [Int32] = []
    private var targets: [Int32] = []
    private var report = Report()
    private let limit: Int

    /// Makes an explorer.
    ///
    /// - Parameter limit: The number of states at which it gives up: a world that is too large is a violation.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Visits every state.
    ///
    /// - Parameters:
    ///   - initial: The first state.
    ///   - visit: Called with the state after each step, also if the state was reached before.
    package mutating func explore(from initial: Model, visit: (Model) -> Void = { _ in }) -> Report {
        self.queue = [initial]
        self.visited[initial.key] = 0
        self.parents = [(-1, nil)]
        self.report.violation = initial.violation
        var next: Int32 = 0
        while !self.queue.isEmpty, self.report.violation == nil {
            // One generation after the other, so that each state is freed once it is expanded.
            let generation = self.queue
            self.queue = []
            for state in generation where self.report.violation == nil {
                self.expand(state, next, visit)
                next += 1
            }
        }
        self.report.states = self.parents.count
        guard self.report.violation == nil else { return self.report }
        self.checkGoals()
        if self.report.violation == nil { self.checkRounds() }
        return self.report
    }

    private mutating func expand(_ state: Model, _ index: Int32, _ visit: (Model) -> Void) {
        if state.isGoal { self.goals.append(index) }
        for move in state.moves {
            let target = state.taking(move)
            visit(target)
            self.report.steps += 1
            if let violation = target.violation {
                self.stop(violation, at: index)
                self.report.trace.append("\(move)")
                return
            }
            let number = self.number(of: target, from: index, by: move)
            if number != index, state.isProgress(move) {
                self.sources.append(index)
                self.targets.append(number)
            }
        }
        if self.parents.count > self.limit { self.stop("more than \(self.limit) states", at: index) }
    }

    private mutating func number(of state: Model, from source: Int32, by move: Model.Move) -> Int32 {
        let key = state.key
        if let known = self.visited[key] { return known }
        let number = Int32(self.parents.count)
        self.visited[key] = number
        self.parents.append((source, move))
        self.queue.append(state)
        return number
    }

    private mutating func stop(_ violation: String, at index: Int32) {
        self.report.violation = violation
        self.report.trace = self.trace(to: index)
    }

    private func trace(to index: Int32) -> [String] {
        var trace: [String] = []
        var state = index
        while state >= 0 {
            let parent = self.parents[Int(state)]
            if let move = parent.move { trace.append("\(move)") }
            state = parent.state
        }
        return trace.reversed()
    }
}

// MARK: - Properties of the whole graph

extension Explorer {
    /// I3: progress alone leads from each state to a goal.
    private mutating func checkGoals() {
        let backward = Adjacency(from: self.targets, to: self.sources, count: self.parents.count)
        var reaches = [Bool](repeating: false, count: self.parents.count)
        var open = self.goals
        for goal in open { reaches[Int(goal)] = true }
        while let state = open.popLast() {
            for source in backward.neighbors(of: state) where !reaches[Int(source)] {
                reaches[Int(source)] = true
                open.append(source)
            }
        }
        guard let stuck = reaches.firstIndex(of: false) else { return }
        self.stop("I3: progress leads to no end state from here", at: Int32(stuck))
    }

    /// I8: progress ends. It removes states without a way out until none is left; the remaining states are
    /// on cycles.
    private mutating func checkRounds() {
        let backward = Adjacency(from: self.targets, to: self.sources, count: self.parents.count)
        var exits = [Int32](repeating: 0, count: self.parents.count)
        for source in self.sources { exits[Int(source)] += 1 }
        var open = exits.indices.filter { exits[$0] == 0 }.map(Int32.init)
        var ended = open.count
        while let state = open.popLast() {
            for source in backward.neighbors(of: state) {
                exits[Int(source)] -= 1
                guard exits[Int(source)] == 0 else { continue }
                open.append(source)
                ended += 1
            }
        }
        guard ended < exits.count, let round = exits.firstIndex(where: { $0 > 0 }) else { return }
        self.stop("I8: progress is a cycle from here", at: Int32(round))
    }
}

/// The arrows of a graph, ordered by their sources.
struct Adjacency {
    private var starts: [Int32]
    private var ends: [Int32]

    init(from sources: [Int32], to targets: [Int32], count: Int) {
        self.starts = [Int32](repeating: 0, count: count + 1)
        for source in sources { self.starts[Int(source) + 1] += 1 }
        for index in 1..<self.starts.count { self.starts[index] += self.starts[index - 1] }
        self.ends = [Int32](repeating: 0, count: targets.count)
        var places = self.starts
        for (source, target) in zip(sources, targets) {
            self.ends[Int(places[Int(source)])] = target
            places[Int(source)] += 1
        }
    }

    func neighbors(of state: Int32) -> ArraySlice<Int32> {
        self.ends[Int(self.starts[Int(state)])..<Int(self.starts[Int(state) + 1])]
    }
}
