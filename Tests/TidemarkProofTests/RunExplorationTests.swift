import Testing
import TidemarkMachine
import TidemarkProof

@Suite struct RunExplorationTests {
    private static let exploration = RunExploration(inputs: 5)

    /// It also checks: no two syncs at once, no sync without a network or a budget, none before the time that the exchange
    /// named, and none without a reason within the shortest interval (I8).
    @Test func `the run loop sends edits as soon as it may, in any order of events (I3, I8)`() {
        let report = Self.exploration.report
        print("explored the run loop: \(report.states) states, \(report.steps) steps")
        #expect(report.violation == nil, "\(report.trace.joined(separator: "\n"))")
        #expect(report.states > 10_000)
    }

    @Test func `every row of the run loop's table is used (I7)`() {
        let never = Self.exploration.never
        #expect(never.isEmpty, "never taken: \(never)")
    }
}
