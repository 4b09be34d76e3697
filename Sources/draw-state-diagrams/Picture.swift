import Foundation
import TidemarkDiagrams

/// A drawing as SVG: what is drawn comes from the table, and where it goes from Graphviz.
///
/// The text says nothing of when, where and with which version it was made. It needs no font that a system lacks, and has
/// colours for a light page and for a dark one, on a ground of its own, so that it can be read wherever it is shown.
struct Picture {
    /// The room around everything.
    private static let margin = 14.0

    /// The height of a row of letters, in a label, in a box, and of the title of a box.
    private static let rows = (label: 14.5, inside: 14.4, title: 18.0)

    /// How far below the upper end of a row its letters stand: in a row, in the title of a box, in the name of a frame.
    private static let ascent = 11.0
    private static let ascentOfTitle = 14.0
    private static let baselineOfName = 24.0

    private let drawing: Drawing
    private let layout: Layout

    init(_ drawing: Drawing, layout: Layout) {
        self.drawing = drawing
        self.layout = layout
    }

    static func fileName(of drawing: Drawing) -> String { "\(drawing.name).svg" }

    /// Whether a folder has the picture of exactly this drawing. What `dot` made of it may look otherwise elsewhere, so a
    /// picture that is true is left alone; to have all drawn again, remove the files.
    static func isDrawn(_ drawing: Drawing, in folder: URL) -> Bool {
        let file = folder.appendingPathComponent(self.fileName(of: drawing))
        let text = try? String(contentsOf: file, encoding: .utf8)
        return text?.contains(DotDiagram(drawing).seal) ?? false
    }

    var svg: String {
        let (width, height) = (self.layout.size.width + 2 * Self.margin, self.layout.size.height + 2 * Self.margin)
        let size = "\(Self.text(width.rounded(.up))) \(Self.text(height.rounded(.up)))"
        let rows =
            [
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(size)\""
                    + " width=\"\(Self.text(width.rounded(.up)))\" role=\"img\">",
                DotDiagram(self.drawing).seal,
                "<title>\(self.drawing.title)</title>",
            ] + Stylesheet(self.drawing).rows + [
                "<rect class=\"page\" width=\"100%\" height=\"100%\" rx=\"8\"/>",
                "<g transform=\"translate(\(Self.text(Self.margin)) \(Self.text(Self.margin)))\">",
            ] + self.frame + self.drawing.lines.indices.flatMap(self.curve) + self.drawing.allBoxes.flatMap(self.box)
            + self.drawing.lines.indices.flatMap(self.label) + ["</g>", "</svg>"]
        return rows.map { $0 + "\n" }.joined()
    }

    private var frame: [String] {
        guard let composite = self.drawing.composite, let frame = self.layout.frame(of: "cluster") else { return [] }
        return [
            "<rect class=\"frame\" \(Self.text(frame)) rx=\"14\"/>",
            Self.text(
                composite.title, "name", at: Point(x: frame.x + frame.width / 2, y: frame.y + Self.baselineOfName)),
        ]
    }

    private func box(_ box: Drawing.Box) -> [String] {
        guard let frame = self.layout.frame(of: box.id) else { return [] }
        let x = frame.x + frame.width / 2
        let top = frame.y + (frame.height - Self.rows.title - Double(box.rows.count) * Self.rows.inside) / 2
        return [
            "<g class=\"\(box.tone)\(box.isOnRoad ? " main" : "")\">",
            "<rect \(Self.text(frame)) rx=\"9\"/>",
            Self.text(box.title, "title", at: Point(x: x, y: top + Self.ascentOfTitle)),
        ]
            + box.rows.enumerated().map { index, row in
                let comma = index + 1 < box.rows.count ? "," : ""
                let y = top + Self.rows.title + Double(index) * Self.rows.inside + Self.ascent
                return Self.text(row.joined(separator: ", ") + comma, at: Point(x: x, y: y))
            } + ["</g>"]
    }

    private func curve(_ number: Int) -> [String] {
        guard let line = self.layout.line(number), let start = line.curve.first else { return [] }
        let bends = line.curve.dropFirst().map(Self.text).joined(separator: " ")
        let name = self.drawing.lines[number].isOnRoad ? "road" : "line"
        return ["<path class=\"\(name)\" d=\"M\(Self.text(start))C\(bends)L\(Self.text(line.tip))\"/>"]
    }

    private func label(_ number: Int) -> [String] {
        guard let middle = self.layout.line(number)?.label else { return [] }
        let rows = self.drawing.rows(of: self.drawing.lines[number])
        let top = middle.y - Double(rows.count) * Self.rows.label / 2
        return rows.enumerated().map { index, row in
            let words = row.map { $0.isOnRoad ? "<tspan>\($0.event)</tspan>" : $0.event }
            return Self.text(
                words.joined(separator: ", ") + (index + 1 < rows.count ? "," : ""), "label",
                at: Point(x: middle.x, y: top + Double(index) * Self.rows.label + Self.ascent))
        }
    }
}

extension Picture {
    private static func text(_ words: String, _ name: String? = nil, at point: Point) -> String {
        let name = name.map { " class=\"\($0)\"" } ?? ""
        return "<text\(name) x=\"\(self.text(point.x))\" y=\"\(self.text(point.y))\">\(words)</text>"
    }

    private static func text(_ frame: Frame) -> String {
        zip(["x", "y", "width", "height"], [frame.x, frame.y, frame.width, frame.height])
            .map { "\($0)=\"\(self.text($1))\"" }.joined(separator: " ")
    }

    private static func text(_ point: Point) -> String { "\(self.text(point.x)),\(self.text(point.y))" }

    /// With one digit after the point at most: finer than any screen shows.
    private static func text(_ number: Double) -> String {
        let rounded = (number * 10).rounded() / 10
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }
}
