import Testing
import TidemarkProof

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
