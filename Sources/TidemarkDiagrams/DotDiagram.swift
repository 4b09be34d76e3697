/// A drawing in the language of Graphviz, whose program `dot` decides where everything goes.
///
/// How large letters are is part of it: that says how much room a word needs. What it is painted with is not, but for
/// what each thing is (`class`, `comment`), so that all that a picture shows of the tables is in this text.
package struct DotDiagram: Hashable, Sendable {
    /// Only their widths count here; `Stylesheet` names the same.
    private static let font = "Helvetica,Arial,sans-serif"

    /// Keeps the main road straight: by so much `dot` rather bends another line.
    private static let weightOfRoad = 12

    /// The room in inches for each line of a fan, at the box where it begins: so lines need not bend much.
    private static let rowOfFan = 0.45

    /// The width of such a box in inches, where its words need no more.
    private static let widthOfFan = 1.25

    /// The drawing, ready for `dot`.
    package let text: String

    /// Writes a drawing down.
    package init(_ drawing: Drawing) {
        let (direction, beside, between) = drawing.isWide ? ("LR", 0.12, 1.1) : ("TB", 0.45, 0.55)
        var rows = [
            "digraph \"\(drawing.name)\" {",
            "    graph [compound=true, rankdir=\(direction), nodesep=\(beside), ranksep=\(between)]",
            "    graph [fontname=\"\(Self.font)\"]",
            "    node [shape=box, margin=\"0.14,0.09\", fontname=\"\(Self.font)\", fontsize=15, height=0.3]",
            "    edge [fontname=\"\(Self.font)\", fontsize=12.5]",
        ]
        if let composite = drawing.composite {
            rows.append("    subgraph cluster {")
            rows.append("        graph [label=\"\(composite.title)\", margin=18, fontsize=18]")
            rows += composite.boxes.map { "        \(Self.statement(of: $0, in: drawing))" }
            if drawing.isWide, !drawing.lines.contains(where: { drawing.isInside($0) }) {
                rows.append("        {rank=same; \(composite.boxes.map(\.id).joined(separator: "; "))}")
            }
            rows.append("    }")
        }
        rows += drawing.boxes.map { "    \(Self.statement(of: $0, in: drawing))" }
        rows += drawing.lines.enumerated().map { "    \(Self.statement(of: $1, number: $0, in: drawing))" }
        rows.append("}")
        self.text = rows.map { $0 + "\n" }.joined()
    }

    private static func statement(of box: Drawing.Box, in drawing: Drawing) -> String {
        let inside = box.rows.map { row in
            "<br/><font point-size=\"12\">\(row.joined(separator: ", "))</font>"
        }
        let starts = drawing.lines.map { self.anchor(of: $0.source, in: drawing, isTarget: false) }
        let fan = drawing.isWide ? starts.filter { $0 == box.id }.count : 0
        let size = fan > 1 ? ", width=\(Self.widthOfFan), height=\(Self.rowOfFan * Double(fan))" : ""
        let name = box.isOnRoad ? "\(box.tone) main" : "\(box.tone)"
        return "\(box.id) [label=<<b>\(box.title)</b>\(inside.joined())>, class=\"\(name)\"\(size)]"
    }

    private static func statement(of line: Drawing.Line, number: Int, in drawing: Drawing) -> String {
        let label = drawing.rows(of: line).map { row in " \(row.map(\.event).joined(separator: ", "))  " }
        var attributes = ["id=\(number)", "label=\"\(label.joined(separator: "\\n"))\""]
        if line.source == .border { attributes.append("ltail=cluster") }
        if line.target == .border { attributes.append("lhead=cluster") }
        let bold = line.labels.filter(\.isOnRoad).map(\.event)
        if line.isOnRoad { attributes.append("class=road, comment=\"\(bold.joined(separator: ", "))\"") }
        if line.isOnRoad, drawing.composite != nil { attributes.append("weight=\(self.weightOfRoad)") }
        let source = self.anchor(of: line.source, in: drawing, isTarget: false)
        let target = self.anchor(of: line.target, in: drawing, isTarget: true)
        return "\(source) -> \(target) [\(attributes.joined(separator: ", "))]"
    }

    /// A line that ends at the border is drawn to a box within, and cut off there.
    private static func anchor(of end: Drawing.End, in drawing: Drawing, isTarget: Bool) -> String {
        switch end {
        case .box(let id): id
        case .border: drawing.composite.flatMap { self.anchor(in: $0.boxes, isTarget: isTarget) } ?? drawing.name
        }
    }

    /// What comes in meets the first box, and what goes out begins in the middle of all others.
    private static func anchor(in boxes: [Drawing.Box], isTarget: Bool) -> String? {
        boxes.dropFirst(isTarget ? 0 : boxes.count / 2).first?.id
    }
}

extension DotDiagram {
    /// The comment by which a picture says what it was made of: with it one sees that a picture is old, without `dot`.
    package var seal: String { "<!-- made of \(self.digest) -->" }

    /// A short name for exactly this text, in hexadecimal (FNV-1a, 64 bit); no protection from anyone.
    private var digest: String {
        let hash: UInt64 = self.text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
