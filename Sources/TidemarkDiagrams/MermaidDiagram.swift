/// A drawing in Mermaid's language, which many a page of Markdown shows as a picture.
struct MermaidDiagram {
    /// How many letters stand on one row of a label.
    private static let rowOfLabel = 34

    private let text: String

    /// Writes a drawing down.
    init(_ drawing: Drawing) {
        var rows = ["stateDiagram-v2"]
        if drawing.isWide { rows.append("    direction LR") }
        if let composite = drawing.composite {
            rows.append("    state \(composite.title) {")
            rows += composite.boxes.flatMap(Self.statements).map { "        \($0)" }
            rows += drawing.lines.filter(drawing.isInside).map { "        \(Self.statement(of: $0, in: drawing))" }
            rows.append("    }")
        }
        rows += drawing.boxes.flatMap(Self.statements).map { "    \($0)" }
        rows += drawing.lines.filter { !drawing.isInside($0) }.map { "    \(Self.statement(of: $0, in: drawing))" }
        rows += Self.classes(of: drawing.allBoxes).map { "    \($0)" }
        self.text = rows.joined(separator: "\n")
    }

    /// The drawing, ready to stand in a page of Markdown.
    var fenced: String { "```mermaid\n\(self.text)\n```\n" }

    /// A second description stands below the name, under a line.
    private static func statements(of box: Drawing.Box) -> [String] {
        let name = "state \"\(box.title)\" as \(box.id)"
        guard !box.inside.isEmpty else { return box.id == box.title ? [] : [name] }
        return [name, "\(box.id): \(box.inside.joined(separator: ", "))"]
    }

    private static func statement(of line: Drawing.Line, in drawing: Drawing) -> String {
        let label = line.labels.inRows(of: self.rowOfLabel, \.event)
            .map { row in row.map(\.event).joined(separator: ", ") }
            .joined(separator: ",<br/>")
        let ends = [line.source, line.target].map { self.name(of: $0, in: drawing) }
        return "\(ends.joined(separator: " --> ")): \(label)"
    }

    private static func name(of end: Drawing.End, in drawing: Drawing) -> String {
        switch end {
        case .box(let id): id
        case .border: drawing.composite?.title ?? drawing.name
        }
    }

    /// Mermaid can't draw one arrow of a state diagram bolder than another, so the boxes along the main road are.
    private static func classes(of boxes: [Drawing.Box]) -> [String] {
        let tones = Tone.allCases.filter { tone in boxes.contains { $0.tone == tone } }
        let road = boxes.filter(\.isOnRoad).map(\.id)
        return tones.map { tone in
            "classDef \(tone) fill:\(tone.day.ground),stroke:\(tone.day.border),color:\(tone.day.ink)"
        }
            + (road.isEmpty ? [] : ["classDef road stroke-width:3px,font-weight:bold"])
            + tones.map { tone in
                "class \(boxes.filter { $0.tone == tone }.map(\.id).joined(separator: ",")) \(tone)"
            }
            + (road.isEmpty ? [] : ["class \(road.joined(separator: ",")) road"])
    }
}
