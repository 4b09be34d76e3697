import Foundation
import Tidemark
import TidemarkTesting

/// `tidemark explore`: plays through everything that can happen to a record and to the run loop, and checks what is promised.
enum ExploreCommand: Command {
    static let name = "explore"
    static let summary = "play through all that can happen to a record and to the run loop, and check what is promised"
    static let parameters: [Parameter] = []
    static let options = [
        Self.world, Self.only, Option(name: "--json", summary: "print what was found as one JSON object"),
    ]
    static let example = "tidemark explore --world small"

    private static let world = Option(
        name: "--world", value: "WORLD", summary: "small (seconds; when left out) or large (many minutes)",
        kind: .choice(["small", "large"]))

    private static let only = Option(
        name: "--only", value: "TEXT", summary: "only the worlds with this in their name, whatever rows they take")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        var exploration = try Self.exploration(input)
        if let text = input.value(Self.only) {
            let name = exploration.name
            exploration = exploration.only(text)
            guard !exploration.isEmpty else {
                throw UsageError("no world of \(name) has “\(text)” in its name", for: Self.self)
            }
        }
        let report = await exploration.run(atOnce: ProcessInfo.processInfo.activeProcessorCount)
        let seconds = report.time / .seconds(1)
        if input.has(Option.json) {
            try console.print(bytes: report.line(seconds: seconds).bytes)
        } else {
            let rows = input.value(Self.only) == nil ? report.rowLines : []
            for line in report.lines(seconds: seconds) + rows + report.outcome { try console.print(line) }
        }
        let isClean = input.value(Self.only) == nil ? report.isClean : report.violation == nil
        return isClean ? .success : .failure
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
    /// Rows that should have been taken: those of the record's table, and of the run loop's.
    private var unexplained: [String] {
        self.never.filter { Exploration.reason(for: $0) == nil }.map(\.description)
            + self.runNever.map { "run loop \($0)" }
    }

    /// Whether every promise was kept and every row of the tables is exercised (I7).
    fileprivate var isClean: Bool { self.violation == nil && self.unexplained.isEmpty }

    /// `{"world","states","steps","seconds","rows":{"total","taken","never"},"worlds":[…],"violation"}`
    fileprivate func line(seconds: Double) -> JSONLine {
        var rows = JSONLine()
        rows.add("total", self.rows + RunWorld.Cell.all.count)
        rows.add("taken", self.taken.count + self.runTaken.count)
        rows.add("never", self.never.map(\.description) + self.runNever.map { "run loop \($0)" })
        var line = JSONLine()
        line.add("world", self.world)
        line.add("states", self.states)
        line.add("steps", self.steps)
        line.add("seconds", raw: Array(String(Self.rounded(seconds)).utf8))
        line.add("rows", rows)
        line.add("worlds", raw: Array("[\(self.worlds.map(\.text).joined(separator: ","))]".utf8))
        line.add("violation", self.violation)
        return line
    }

    /// For a person: each world, and all.
    fileprivate func lines(seconds: Double) -> [String] {
        let sum = "\(self.world): \(self.states) states, \(self.steps) steps, \(Self.rounded(seconds)) seconds"
        return self.worlds.map(\.sentence) + [sum]
    }

    /// Which rows of the tables were taken, and why others were not.
    fileprivate var rowLines: [String] {
        let missing = "it should have been"
        return ["rows of the record's table: \(self.taken.count) of \(self.rows) taken"]
            + self.never.map { "  never \($0): \(Exploration.reason(for: $0) ?? missing)" }
            + ["rows of the run loop's table: \(self.runTaken.count) of \(RunWorld.Cell.all.count) taken"]
            + self.runNever.map { "  never \($0): \(missing)" }
    }

    /// Whether every promise was kept, or the shortest way to where one is not.
    fileprivate var outcome: [String] {
        guard let violation = self.violation else { return ["every promise was kept"] }
        return ["broken: \(violation)"] + self.trace.map { "  \($0)" }
    }

    fileprivate static func rounded(_ seconds: Double) -> Double {
        (seconds * 1_000).rounded() / 1_000
    }
}

extension Exploration.Part {
    private var seconds: Double { Exploration.Report.rounded(self.time / .seconds(1)) }

    /// `{"name","states","steps","seconds","taken","rows"}`
    fileprivate var text: String {
        var line = JSONLine()
        line.add("name", self.name)
        line.add("states", self.states)
        line.add("steps", self.steps)
        line.add("seconds", raw: Array(String(self.seconds).utf8))
        line.add("taken", self.taken)
        line.add("rows", self.rows)
        return String(decoding: line.bytes, as: UTF8.self)
    }

    /// For a person.
    fileprivate var sentence: String {
        let rows = self.rows > 0 ? ", \(self.taken) of \(self.rows) rows" : ""
        return "  \(self.name): \(self.states) states, \(self.steps) steps\(rows), \(self.seconds) seconds"
    }
}
