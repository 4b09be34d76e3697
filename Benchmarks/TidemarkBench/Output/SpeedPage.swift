import Foundation

/// The page of the documentation with the results. It replaces the tables and the chart, and keeps the other text.
struct SpeedPage {
    let lines: [MeasuredLine]

    /// Writes `Speed.md` and `speed.svg` of a catalog.
    func write(to catalog: URL) throws {
        let page = catalog.appendingPathComponent("Speed.md")
        var text = try String(contentsOf: page, encoding: .utf8)
        for (name, table) in [("goals", self.goals), ("results", self.table)] {
            let (begin, end) = ("<!-- \(name):begin -->", "<!-- \(name):end -->")
            guard let start = text.range(of: begin), let stop = text.range(of: end),
                start.upperBound <= stop.lowerBound
            else { throw Unavailable("\(page.path) has no place for \(name): \(begin) and \(end)") }
            text.replaceSubrange(start.upperBound..<stop.lowerBound, with: "\n\(table)\n")
        }
        try Data(text.utf8).write(to: page)
        try Data(SpeedChart(lines: self.lines).svg.utf8).write(to: catalog.appendingPathComponent("speed.svg"))
    }

    /// The table of the goals.
    private var goals: String {
        let rows = Goal.all.map { goal in
            let measured = self.lines.first { $0.name == goal.name }.flatMap { goal.measured(in: $0) }
            let verdict = measured.map { goal.isReached(by: $0) ? "yes" : "**no**" } ?? "not measured"
            let figure = measured.map { Figures.text($0) } ?? ""
            return "| `\(goal.name)` | \(goal.words) | \(goal.bound.words) | \(figure) | \(verdict) |"
        }
        return (["| name | figure | goal | measured | reached |", "| --- | --- | ---: | ---: | --- |"] + rows)
            .joined(separator: "\n")
    }

    private var table: String {
        let head = [
            "| name | value | from … to | unit | compared with | ratio |", "| --- | ---: | ---: | --- | --- | ---: |",
        ]
        return (head + self.lines.flatMap(Self.rows)).joined(separator: "\n")
    }

    private static func rows(_ line: MeasuredLine) -> [String] {
        let spread = line.least == line.most ? "" : "\(Figures.text(line.least)) … \(Figures.text(line.most))"
        let unit = line.clock == "no time" ? line.unit : "\(line.unit), \(line.clock)"
        let first = "| `\(line.name)` | \(Figures.text(line.value)) | \(spread) | \(unit) |"
        guard let main = line.comparisons.first else { return ["\(first) | |"] }
        let more = line.comparisons.dropFirst().map { "| | | | | \($0.against) | \(Figures.text($0.ratio)) |" }
        return ["\(first) \(main.against) | \(Figures.text(main.ratio)) |"] + more
    }
}
