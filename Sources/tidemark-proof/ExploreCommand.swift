import Foundation
import TidemarkProof
import TidemarkSimulation

/// `tidemark-proof explore`: explores every state of a record and of the run loop, and checks the guarantees.
enum ExploreCommand {
    static func run(_ words: some Sequence<String>) async throws -> Bool {
        let input = try ProofWords(words, options: ["--world", "--only"], flags: [])
        var exploration = try Self.exploration(input.value("--world") ?? "small")
        if let text = input.value("--only") {
            let name = exploration.name
            exploration = exploration.only(text)
            guard !exploration.isEmpty else { throw ProofUsage("no world of \(name) has “\(text)” in its name") }
        }
        let report = await exploration.run(atOnce: ProcessInfo.processInfo.activeProcessorCount)
        let isWhole = input.value("--only") == nil
        for line in report.lines + (isWhole ? report.rowLines : []) + report.outcome { print(line) }
        return report.violation == nil && (!isWhole || report.unexplained.isEmpty)
    }

    private static func exploration(_ name: String) throws(ProofUsage) -> Exploration {
        switch name {
        case "small": .small
        case "large": .large
        default: throw ProofUsage("--world \(name) is neither small nor large")
        }
    }
}

extension Exploration.Report {
    /// The rows of both tables that no world takes and that have no reason (I7).
    fileprivate var unexplained: [String] {
        self.never.filter { Exploration.reason(for: $0) == nil }.map(\.description)
            + self.runNever.map { "run loop \($0)" }
    }

    /// A line for each world, and one for all.
    fileprivate var lines: [String] {
        let seconds = rounded(self.time / .seconds(1))
        let sum = "\(self.world): \(self.states) states, \(self.steps) steps, \(seconds) seconds"
        return self.worlds.map(\.sentence) + [sum]
    }

    /// How many rows of the tables were used, and why the others were not.
    fileprivate var rowLines: [String] {
        let missing = "no reason is known"
        return ["rows of the record's table: \(self.taken.count) of \(self.rows) used"]
            + self.never.map { "  never \($0): \(Exploration.reason(for: $0) ?? missing)" }
            + ["rows of the run loop's table: \(self.runTaken.count) of \(RunCell.all.count) used"]
            + self.runNever.map { "  never \($0): \(missing)" }
    }

    /// The verdict, or the shortest trace to a violation.
    fileprivate var outcome: [String] {
        guard let violation = self.violation else { return ["every guarantee holds"] }
        return ["broken: \(violation)"] + self.trace.map { "  \($0)" }
    }
}

extension Exploration.Part {
    fileprivate var sentence: String {
        let rows = self.rows > 0 ? ", \(self.taken) of \(self.rows) rows" : ""
        let seconds = rounded(self.time / .seconds(1))
        return "  \(self.name): \(self.states) states, \(self.steps) steps\(rows), \(seconds) seconds"
    }
}
