/// A drawing in Mermaid's language, which many viewers of Markdown show as a picture.
struct MermaidDiagram {
    /// How many letters a row of a label has at most.
    private static let rowOfLabel = 34

    private let text: String

    /// Writes a drawing as text.
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

    /// The drawing as a fenced block of Markdown.
    var fenced: String { "```mermaid\n\(self.text)\n```\n" }

    /// The statements of a box. Mermaid shows a second description below the name.
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

    /// The classes of the boxes. Mermaid can't draw bold arrows in a state diagram, so the boxes of the main path are bold.
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
