import TidemarkDiagrams

/// The colors and fonts of a picture, for a light page and for a dark page.
struct Stylesheet {
    private let tones: [Tone]

    init(_ drawing: Drawing) {
        self.tones = Tone.allCases.filter { tone in drawing.allBoxes.contains { $0.tone == tone } }
    }

    /// The element `style` and the heads of the arrows.
    var rows: [String] {
        [
            "<style>",
            "text{font:12px Helvetica,Arial,\"Liberation Sans\",sans-serif;text-anchor:middle}",
            ".title{font-size:15px;font-weight:bold}",
            ".name{font-size:18px;font-weight:bold}",
            ".label{font-size:12.5px;stroke-width:4;stroke-linejoin:round;paint-order:stroke}",
            "tspan{font-weight:bold}",
            ".line,.road{fill:none;stroke-width:1.3;marker-end:url(#tip)}",
            ".road{stroke-width:3.2;marker-end:url(#bold)}",
            ".frame{stroke-width:1.5}",
            "rect{stroke-width:1.5}",
            ".main rect{stroke-width:3}",
        ] + self.rules(Self.day, \.day) + ["@media (prefers-color-scheme:dark){"] + self.rules(Self.night, \.night) + [
            "}", "</style>",
            Self.tip("tip", size: 10), Self.tip("bold", size: 14),
        ]
    }

    /// The colors of everything except the boxes.
    private struct Ground {
        var page: String
        var frame: String
        var line: String
        var road: String
        var ink: String
    }

    private static let day = Ground(page: "#ffffff", frame: "#f8fafc", line: "#7c8aa0", road: "#1e293b", ink: "#334155")
    private static let night = Ground(
        page: "#0d1117", frame: "#131a24", line: "#8492a8", road: "#f1f5f9", ink: "#cbd5e1")

    private func rules(_ ground: Ground, _ paint: (Tone) -> Tone.Paint) -> [String] {
        [
            ".page{fill:\(ground.page);stroke:none}",
            ".frame{fill:\(ground.frame);stroke:\(ground.line)}",
            ".line{stroke:\(ground.line)}.road{stroke:\(ground.road)}",
            "#tip path,circle{fill:\(ground.line)}#bold path{fill:\(ground.road)}",
            ".name{fill:\(ground.ink)}.label{fill:\(ground.ink);stroke:\(ground.page)}tspan{fill:\(ground.road)}",
        ]
            + self.tones.map { tone in
                let paint = paint(tone)
                return ".\(tone) rect{fill:\(paint.ground);stroke:\(paint.border)}.\(tone) text{fill:\(paint.ink)}"
            } + (self.tones.contains(.absent) ? [".absent rect{stroke-dasharray:5 3}"] : [])
    }

    private static func tip(_ id: String, size: Int) -> String {
        "<marker id=\"\(id)\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" markerWidth=\"\(size)\" markerHeight=\"\(size)\""
            + " markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 1L10 5L0 9z\"/></marker>"
    }
}
