import Foundation
import TidemarkDiagrams

/// A drawing as SVG. The table decides the content, and Graphviz decides the places.
///
/// The text has no date, no path and no version. It uses fonts that each system has, and colors for a light page and for a
/// dark page on an opaque background, so that it is readable on each page.
struct Picture {
    /// The space around the drawing.
    private static let margin = 14.0

    /// The height of a row of a label.
    private static let rowOfLabel = 14.5

    /// How far the labels of a wide drawing are moved up: there the line runs below its label.
    private static let lift = 2.0

    /// The radius of the dot where a line leaves the frame.
    private static let dot = 3.5

    /// The distance from the top of a row to its baseline: in a row, in the title of a box, in the name of a frame.
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

    /// Whether a folder has the picture of exactly this drawing. Another version of `dot` can choose other places, so a
    /// picture that is current is not drawn again. To draw all of them again, remove the files.
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
        let top = frame.y + (frame.height - BoxText.title - Double(box.rows.count) * BoxText.row) / 2
        return [
            "<g class=\"\(box.tone)\(box.isOnRoad ? " main" : "")\">",
            "<rect \(Self.text(frame)) rx=\"9\"/>",
            Self.text(box.title, "title", at: Point(x: x, y: top + Self.ascentOfTitle)),
        ]
            + box.rows.enumerated().map { index, row in
                let comma = index + 1 < box.rows.count ? "," : ""
                let y = top + BoxText.title + Double(index) * BoxText.row + Self.ascent
                return Self.text(row.joined(separator: ", ") + comma, at: Point(x: x, y: y))
            } + ["</g>"]
    }

    private func curve(_ number: Int) -> [String] {
        guard let line = self.layout.line(number), let start = line.curve.first else { return [] }
        let bends = line.curve.dropFirst().map(Self.text).joined(separator: " ")
        let name = self.drawing.lines[number].isOnRoad ? "road" : "line"
        let path = "<path class=\"\(name)\" d=\"M\(Self.text(start))C\(bends)L\(Self.text(line.tip))\"/>"
        guard self.drawing.lines[number].source == .border else { return [path] }
        let center = "cx=\"\(Self.text(start.x))\" cy=\"\(Self.text(start.y))\""
        return [path, "<circle \(center) r=\"\(Self.text(Self.dot))\"/>"]
    }

    private func label(_ number: Int) -> [String] {
        guard let middle = self.layout.line(number)?.label else { return [] }
        let rows = self.drawing.rows(of: self.drawing.lines[number])
        let top = middle.y - Double(rows.count) * Self.rowOfLabel / 2 - (self.drawing.isWide ? Self.lift : 0)
        return rows.enumerated().map { index, row in
            let words = row.map { $0.isOnRoad ? "<tspan>\($0.event)</tspan>" : $0.event }
            return Self.text(
                words.joined(separator: ", ") + (index + 1 < rows.count ? "," : ""), "label",
                at: Point(x: middle.x, y: top + Double(index) * Self.rowOfLabel + Self.ascent))
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

    /// A number with at most one decimal, which is finer than a screen shows.
    private static func text(_ number: Double) -> String {
        let rounded = (number * 10).rounded() / 10
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }
}
