import TidemarkMachine
import Testing
import TidemarkTesting

@Suite struct RunExplorationTests {
    private struct Found: Sendable {
        var size: (states: Int, steps: Int)
        var violation: String?
        var taken: Set<RunWorld.Cell>
    }

    private static let found: Found = {
        var explorer = Explorer<RunWorld>(limit: 1_000_000)
        var taken: Set<RunWorld.Cell> = []
        let report = explorer.explore(from: RunWorld(inputs: 5)) { for cell in $0.taken { taken.insert(cell) } }
        return Found(
            size: (report.states, report.steps),
            violation: report.violation.map { "\($0) after \(report.trace.joined(separator: ", "))" }, taken: taken)
    }()

    /// Also: never two syncs at once, none without a network or a budget, none before the time that the exchange named, and
    /// none without a reason within the shortest interval (I8).
    @Test func `run loop: what was edited is sent wherever it may be, whatever happens in whatever order (I3, I8)`() {
        let found = Self.found
        print("explored the run loop: \(found.size.states) states, \(found.size.steps) steps")
        #expect(found.violation == nil)
        #expect(found.size.states > 10_000)
    }

    @Test func `I7 every row of the run loop's table is taken`() {
        let never = RunWorld.Cell.all.filter { !Self.found.taken.contains($0) }
        #expect(never.isEmpty, "never taken: \(never)")
    }
}
