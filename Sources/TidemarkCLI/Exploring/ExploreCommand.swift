import Tidemark
import TidemarkTesting

/// `tidemark explore`: plays through everything that can happen to a record, and checks what is promised.
enum ExploreCommand: Command {
    static let name = "explore"
    static let summary = "play through all that can happen to a record, and check what is promised"
    static let parameters: [Parameter] = []
    static let options = [
        Self.world, Option(name: "--json", summary: "print what was found as one JSON object"),
    ]
    static let example = "tidemark explore --world small"

    private static let world = Option(
        name: "--world", value: "WORLD", summary: "small (seconds; when left out) or large (many minutes)",
        kind: .choice(["small", "large"]))

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let exploration = try Self.exploration(input)
        let clock = ContinuousClock()
        let start = clock.now
        let report = exploration.run()
        let seconds = (clock.now - start) / .seconds(1)
        if input.has(Option.json) {
            try console.print(bytes: report.line(seconds: seconds).bytes)
        } else {
            for line in report.lines(seconds: seconds) { try console.print(line) }
        }
        return report.isClean ? .success : .failure
    }

    private static func exploration(_ input: Arguments) throws(UsageError) -> Exploration {
        switch input.value(Self.world) {
        case nil, "small": return .small
        case "large": return .large
        case .some(let name):
            throw UsageError("--world \(name) is neither small nor large", for: Self.self)
        }
    }
}

extension Exploration.Report {
    /// Cells that should have been taken.
    private var unexplained: [World.Cell] { self.never.filter { Exploration.reason(for: $0) == nil } }

    /// Whether every promise was kept and every row of the table is exercised (I7).
    fileprivate var isClean: Bool { self.violation == nil && self.unexplained.isEmpty }

    /// `{"world","states","steps","seconds","rows":{"total","taken","never"},"violation"}`
    fileprivate func line(seconds: Double) -> JSONLine {
        var rows = JSONLine()
        rows.add("total", self.rows)
        rows.add("taken", self.taken.count)
        rows.add("never", self.never.map(\.description))
        var line = JSONLine()
        line.add("world", self.world)
        line.add("states", self.states)
        line.add("steps", self.steps)
        line.add("seconds", raw: Array(String(Self.rounded(seconds)).utf8))
        line.add("rows", rows)
        line.add("violation", self.violation)
        return line
    }

    /// For a person.
    fileprivate func lines(seconds: Double) -> [String] {
        var lines = ["\(self.world): \(self.states) states, \(self.steps) steps, \(Self.rounded(seconds)) seconds"]
        lines.append("rows of the table: \(self.taken.count) of \(self.rows) taken")
        for cell in self.never {
            lines.append("  never \(cell): \(Exploration.reason(for: cell) ?? "it should have been")")
        }
        guard let violation = self.violation else { return lines + ["every promise was kept"] }
        return lines + ["broken: \(violation)"] + self.trace.map { "  \($0)" }
    }

    private static func rounded(_ seconds: Double) -> Double {
        (seconds * 1_000).rounded() / 1_000
    }
}
