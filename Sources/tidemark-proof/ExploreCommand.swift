import TidemarkProof
import TidemarkSimulation

/// `tidemark-proof explore`: explores every state of the run loop, and checks the guarantees.
enum ExploreCommand {
    static func run(_ words: some Sequence<String>) throws(ProofUsage) -> Bool {
        let input = try ProofWords(words, options: ["--inputs"], flags: [])
        let inputs = try input.number("--inputs") ?? 5
        let clock = ContinuousClock()
        let start = clock.now
        let exploration = RunExploration(inputs: inputs)
        let seconds = rounded((clock.now - start) / .seconds(1))
        let report = exploration.report
        print("explored the run loop: \(report.states) states, \(report.steps) steps, \(seconds) seconds")
        if let violation = report.violation {
            for line in ["broken: \(violation)"] + report.trace.map({ "  \($0)" }) { print(line) }
            return false
        }
        // A cell that is never taken is an error of the table or of the world (I7).
        let rows = RunCell.all.count
        print("rows of the run loop's table: \(rows - exploration.never.count) of \(rows) used")
        for cell in exploration.never { print("  never \(cell)") }
        return exploration.never.isEmpty
    }
}
