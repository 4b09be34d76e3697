import Foundation

/// The results as bars, in groups of bars with the same unit. Each group has its own axis, which is as long as its longest bar.
struct SpeedChart {
    /// A bar with the sentence above it.
    struct Bar {
        /// The words before the number.
        let words: String

        /// The number, as it is written.
        let figure: String

        /// The words after the number.
        let end: String

        /// The length of the bar, in the unit of the axis.
        let value: Double

        /// Whether the bar is about Tidemark, and not about other code.
        var isOurs = true
    }

    /// Bars with one axis.
    struct Group {
        let title: String
        let axis: ChartAxis
        let bars: [Bar]
    }

    private static let width = 760.0
    private static let margin = 16.0

    /// The heights of the title of a group, of a bar with its sentence, and of an axis with its words.
    private static let heights = (title: 34.0, bar: 36.0, axis: 52.0)

    let groups: [Group]

    init(_ groups: [Group]) {
        self.groups = groups.filter { !$0.bars.isEmpty }
    }

    var svg: String {
        var (rows, top) = ([String](), 12.0)
        for group in self.groups { rows += Self.rows(group, &top) }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.text(Self.width)) \(Self.text(top))" \
            width="\(Self.text(Self.width))" role="img" aria-labelledby="title desc">
            <title id="title">Speed of Tidemark compared with other code</title>
            <desc id="desc">\(Self.escaped(self.words))</desc>
            \(Self.style)
            <rect class="page" width="100%" height="100%" rx="8"/>
            \(rows.joined(separator: "\n"))
            </svg>

            """
    }

    /// Every sentence of the chart.
    private var words: String {
        self.groups.flatMap { group in
            ["\(group.title)."] + group.bars.map { "\($0.words) \($0.figure) \($0.end)." }
        }
        .joined(separator: " ")
    }

    private static func rows(_ group: Group, _ top: inout Double) -> [String] {
        var rows = [
            "<text class=\"name\" x=\"\(self.text(self.margin))\" y=\"\(self.text(top + 20))\">"
                + "\(self.escaped(group.title))</text>"
        ]
        top += self.heights.title
        let end = top + Double(group.bars.count) * self.heights.bar
        for tick in group.axis.ticks {
            let x = self.text(self.x(tick, group.axis))
            rows.append(
                """
                <path class="\(tick == group.axis.origin ? "origin" : "tick")" d="\(self.line(x, group.bars.count, top))"/>
                <text class="axis" x="\(x)" y="\(self.text(end + 18))">\(Figures.plain(tick))</text>
                """)
        }
        for bar in group.bars {
            rows.append(self.row(bar, group.axis, top))
            top += self.heights.bar
        }
        rows.append(
            "<text class=\"axis\" x=\"\(self.text(self.width / 2))\" y=\"\(self.text(end + 35))\">"
                + "\(self.escaped(group.axis.words))</text>")
        top += self.heights.axis
        return rows
    }

    /// The path of a line of the axis. It is drawn beside the bars only, not through the sentences above them.
    private static func line(_ x: String, _ count: Int, _ top: Double) -> String {
        (0..<count).map { index in
            let bar = top + Double(index) * self.heights.bar
            return "M\(x),\(self.text(bar + 17))V\(self.text(bar + 34))"
        }
        .joined()
    }

    private static func row(_ bar: Bar, _ axis: ChartAxis, _ top: Double) -> String {
        let (start, end) = (self.x(axis.origin, axis), self.x(bar.value, axis))
        return """
            <text class="label" x="\(self.text(self.margin + 10))" y="\(self.text(top + 13))">\(self.escaped(bar.words)) \
            <tspan>\(self.escaped(bar.figure))</tspan> \(self.escaped(bar.end)).</text>
            <rect class="\(bar.isOurs ? "ours" : "other")" x="\(self.text(min(start, end)))" y="\(self.text(top + 18))" \
            width="\(self.text(max(abs(end - start), 1)))" height="12" rx="2"/>
            """
    }

    private static func x(_ value: Double, _ axis: ChartAxis) -> Double {
        self.margin + 4 + axis.share(of: value) * (self.width - 2 * self.margin - 8)
    }

    /// A number with at most one decimal.
    private static func text(_ number: Double) -> String { Figures.plain((number * 10).rounded() / 10) }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    }

    /// The colors for a light page and for a dark page.
    private static let style = """
        <style>
        text{font:12.5px Helvetica,Arial,"Liberation Sans",sans-serif}
        .name{font-size:15px;font-weight:bold}
        .axis{font-size:11.5px;text-anchor:middle}
        tspan{font-weight:bold}
        .tick,.origin{fill:none;stroke-width:1}
        .origin{stroke-width:2}
        .page{fill:#ffffff}text{fill:#1e293b}.axis{fill:#475569}
        .tick{stroke:#e2e8f0}.origin{stroke:#64748b}.ours{fill:#0f766e}.other{fill:#94a3b8}
        @media (prefers-color-scheme:dark){
        .page{fill:#0d1117}text{fill:#e2e8f0}.axis{fill:#94a3b8}
        .tick{stroke:#27344a}.origin{stroke:#94a3b8}.ours{fill:#2dd4bf}.other{fill:#64748b}
        }
        </style>
        """
}
