import Foundation

/// What was measured as a page of the documentation: its table and its chart are written anew, and the words around them stay.
struct SpeedPage {
    private static let begin = "<!-- results:begin -->"
    private static let end = "<!-- results:end -->"

    let lines: [MeasuredLine]

    /// Writes `Speed.md` and `speed.svg` of a catalogue.
    func write(to catalogue: URL) throws {
        let page = catalogue.appendingPathComponent("Speed.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        guard let start = text.range(of: Self.begin), let stop = text.range(of: Self.end),
            start.upperBound <= stop.lowerBound
        else { throw Unavailable("\(page.path) has no place for results: \(Self.begin) and \(Self.end)") }
        let whole = "\(text[..<start.upperBound])\n\(self.table)\n\(text[stop.lowerBound...])"
        try Data(whole.utf8).write(to: page)
        try Data(SpeedChart(lines: self.lines).svg.utf8).write(to: catalogue.appendingPathComponent("speed.svg"))
    }

    private var table: String {
        let head = [
            "| name | value | from … to | what | against | ratio |", "| --- | ---: | ---: | --- | --- | ---: |",
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
