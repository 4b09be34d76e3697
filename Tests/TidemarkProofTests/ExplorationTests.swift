import Testing
import TidemarkMachine
import TidemarkProof

@Suite struct ExplorationTests {
    /// Without the run loop, which has a separate suite.
    private static var records: Exploration {
        var exploration = Exploration.small
        exploration.runs = []
        return exploration
    }

    private static let report = Self.records.run()

    /// The size of the exploration, and the rows that no world takes, each with its reason.
    private static var summary: String {
        let report = Self.report
        let never = report.never.map { "    \($0): \(Exploration.reason(for: $0) ?? "no reason is known")" }
        return """
            explored the \(report.world) world: \(report.states) states, \(report.steps) steps, \
            \(report.time); \(report.taken.count) of \(report.rows) rows taken, never:
            \(never.joined(separator: "\n"))
            """
    }

    @Test func `no reachable state breaks a guarantee (I1 to I6, I8 to I11)`() {
        let report = Self.report
        print(Self.summary)
        #expect(report.violation == nil, "\(report.trace.joined(separator: "\n"))")
        #expect(report.states > 10_000)
    }

    @Test func `every row of the table is used, or listed with its reason (I7)`() {
        let unnamed = Self.report.never.filter { Exploration.reason(for: $0) == nil }
        #expect(unnamed.isEmpty, "never taken: \(unnamed)")
    }

    @Test func `a row that is listed as never used is never used`() {
        let named = Self.report.taken.filter { Exploration.reason(for: $0) != nil }
        #expect(named.isEmpty, "taken after all: \(named)")
    }
}

/// A counter with optional steps back to 0.
private struct Counter: Explorable {
    enum Move: String, CustomStringConvertible {
        case up, back, stop
        var description: String { self.rawValue }
    }

    var value = 0
    var end = 3
    var limit = 3
    var goesRound = false
    var hasExit = true

    var key: Int { self.value }
    var moves: [Move] { self.value < self.end ? [.up] : (self.goesRound ? [.back] : []) + [.stop] }
    var violation: String? { self.value > self.limit ? "too far" : nil }
    var isGoal: Bool { self.hasExit && self.value == self.end }
    func isProgress(_ move: Move) -> Bool { true }
    func taking(_ move: Move) -> Counter {
        var counter = self
        switch move {
        case .up: counter.value += 1
        case .back: counter.value = 0
        case .stop: break
        }
        return counter
    }
}

@Suite struct ExplorerTests {
    @Test func `an exploration counts states and steps`() {
        var explorer = Explorer<Counter>(limit: 100)
        let report = explorer.explore(from: Counter())
        #expect(report.states == 4)
        #expect(report.steps == 4)
        #expect(report.violation == nil)
    }

    @Test func `an exploration finds progress in a cycle (I8)`() throws {
        var explorer = Explorer<Counter>(limit: 100)
        let violation = try #require(explorer.explore(from: Counter(goesRound: true)).violation)
        #expect(violation.hasPrefix("I8"))
    }

    @Test func `an exploration finds a state from which no final state is reached (I3)`() throws {
        var explorer = Explorer<Counter>(limit: 100)
        let violation = try #require(explorer.explore(from: Counter(hasExit: false)).violation)
        #expect(violation.hasPrefix("I3"))
    }

    @Test func `a violation has a shortest trace`() {
        var explorer = Explorer<Counter>(limit: 100)
        let report = explorer.explore(from: Counter(limit: 1))
        #expect(report.violation == "too far")
        #expect(report.trace == ["up", "up"])
    }

    @Test func `a world that is too large is a violation`() throws {
        var explorer = Explorer<Counter>(limit: 2)
        let report = explorer.explore(from: Counter())
        #expect(report.violation == "more than 2 states")
        #expect(report.trace == ["up"])
    }
}
