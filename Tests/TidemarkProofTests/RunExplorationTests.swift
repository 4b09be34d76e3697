import Testing
import TidemarkMachine
import TidemarkProof

@Suite struct RunExplorationTests {
    private static let report = Exploration.smallRuns.run()

    /// Also: never two syncs at once, none without a network or a budget, none before the time that the exchange named, and
    /// none without a reason within the shortest interval (I8).
    @Test func `run loop: what was edited is sent wherever it may be, whatever happens in whatever order (I3, I8)`() {
        let report = Self.report
        print("explored the run loop: \(report.states) states, \(report.steps) steps")
        #expect(report.violation == nil, "\(report.trace.joined(separator: "\n"))")
        #expect(report.states > 10_000)
    }

    @Test func `I7 every row of the run loop's table is taken`() {
        let never = Self.report.runNever
        #expect(never.isEmpty, "never taken: \(never)")
    }
}
