/// A drawing in the language of Graphviz, whose program `dot` decides the place of each box and line.
///
/// The text includes the sizes of letters and of boxes. It has no colors, only the kind of each thing (`class`,
/// `comment`), so that this text includes everything that a picture shows of the tables.
package struct DotDiagram: Hashable, Sendable {
    /// Used for widths of labels only; `Stylesheet` names the same fonts.
    private static let font = "Helvetica,Arial,sans-serif"

    /// The weight of a line of the main path; `dot` bends other lines first.
    private static let weightOfRoad = 12

    /// The height in points of each line of a fan at the box where it begins, so that lines bend little.
    private static let rowOfFan = 43.0

    /// The least width in points of such a box.
    private static let widthOfFan = 90.0

    /// The height in points of a box for each of its lines, in a drawing from top to bottom. `dot` aims each line at the middle of
    /// a box and cuts it off at the border: on a low box the heads of many lines lie on each other.
    private static let rowOfLines = 15.0

    /// Sizes are written in inches.
    private static let pointsInInch = 72.0

    /// The text for `dot`.
    package let text: String

    /// Writes a drawing as text.
    package init(_ drawing: Drawing) {
        let (direction, beside, between) = drawing.isWide ? ("LR", 0.2, 1.1) : ("TB", 0.8, 0.6)
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
        var size = BoxText.size(of: box)
        if fan > 1 {
            size.width = max(size.width, self.widthOfFan)
            size.height = max(size.height, self.rowOfFan * Double(fan))
        }
        if !drawing.isWide {
            let lines = drawing.lines.filter { [$0.source, $0.target].contains(.box(box.id)) }.count
            size.height = max(size.height, self.rowOfLines * Double(lines))
        }
        let sizes = "width=\(self.inches(size.width)), height=\(self.inches(size.height))"
        let name = box.isOnRoad ? "\(box.tone) main" : "\(box.tone)"
        return "\(box.id) [label=<<b>\(box.title)</b>\(inside.joined())>, class=\"\(name)\", \(sizes)]"
    }

    /// A length in inches, with two decimals.
    private static func inches(_ points: Double) -> Double {
        (points / self.pointsInInch * 100).rounded(.up) / 100
    }

    private static func statement(of line: Drawing.Line, number: Int, in drawing: Drawing) -> String {
        let label = drawing.rows(of: line).map { row in "  \(row.map(\.event).joined(separator: ", "))   " }
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

    /// The box that a line is drawn to. `dot` cuts a line to the border off at the border.
    private static func anchor(of end: Drawing.End, in drawing: Drawing, isTarget: Bool) -> String {
        switch end {
        case .box(let id): id
        case .border: drawing.composite.flatMap { self.anchor(in: $0.boxes, isTarget: isTarget) } ?? drawing.name
        }
    }

    /// Incoming lines lead to the first box, and outgoing lines begin at the middle box.
    private static func anchor(in boxes: [Drawing.Box], isTarget: Bool) -> String? {
        boxes.dropFirst(isTarget ? 0 : boxes.count / 2).first?.id
    }
}

extension DotDiagram {
    /// A comment in a picture with the digest of this text. It shows that a picture is stale, without `dot`.
    package var seal: String { "<!-- made of \(self.digest) -->" }

    /// A hash of this text in hexadecimal (FNV-1a, 64 bit). It is not cryptographic.
    private var digest: String {
        let hash: UInt64 = self.text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
