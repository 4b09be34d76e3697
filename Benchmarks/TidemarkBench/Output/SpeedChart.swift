import Foundation

/// How many times as fast ours is as what it is held against, as bars that begin at “as fast”.
struct SpeedChart {
    private struct Bar {
        let label: String
        let ratio: Double
    }

    private static let rowHeight = 22.0
    private static let labels = 560.0
    private static let plot = 420.0

    /// The axis goes from a hundredth to ten times, each step ten times as long as the last.
    private static let axis: ClosedRange<Double> = -2...1

    private let bars: [Bar]

    /// Takes what says a speed: a size and what grows with the size are no speeds.
    init(lines: [MeasuredLine]) {
        let speeds = lines.filter { $0.clock != "no time" && !["push.linear", "sync.flatness"].contains($0.name) }
        self.bars = speeds.flatMap { line in
            line.comparisons.map { Bar(label: "\(line.name) : \($0.against)", ratio: $0.ratio) }
        }
    }

    var svg: String {
        let height = Double(self.bars.count) * Self.rowHeight + 50
        let width = Self.labels + Self.plot + 60
        let rows = self.bars.enumerated().map { Self.row($1, top: 34 + Double($0) * Self.rowHeight) }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" font-family="sans-serif" font-size="12">
            <rect width="100%" height="100%" fill="#ffffff"/>
            \(Self.scale(height).joined(separator: "\n"))
            \(rows.joined(separator: "\n"))
            </svg>

            """
    }

    private static func x(_ ratio: Double) -> Double {
        let place = min(max(log10(ratio), self.axis.lowerBound), self.axis.upperBound)
        let share = (place - self.axis.lowerBound) / (self.axis.upperBound - self.axis.lowerBound)
        return ((self.labels + share * self.plot) * 10).rounded() / 10
    }

    private static func scale(_ height: Double) -> [String] {
        [0.01, 0.1, 1, 10].map { tick in
            let x = self.x(tick)
            let color = tick == 1 ? "#334155" : "#cbd5e1"
            return """
                <line x1="\(x)" y1="26" x2="\(x)" y2="\(height - 12)" stroke="\(color)"/>
                <text x="\(x)" y="18" text-anchor="middle" fill="#334155">\(tick == 1 ? "as fast" : "\(Figures.tick(tick))×")</text>
                """
        }
    }

    private static func row(_ bar: Bar, top: Double) -> String {
        let (one, end) = (self.x(1), self.x(bar.ratio))
        let isFaster = bar.ratio >= 1
        return """
            <text x="\(self.labels - 10)" y="\(top + 12)" text-anchor="end" fill="#1e293b">\(self.escaped(bar.label))</text>
            <rect x="\(min(one, end))" y="\(top + 2)" width="\(((abs(end - one)) * 10).rounded() / 10)" height="14" \
            fill="\(isFaster ? "#0f766e" : "#b45309")"/>
            <text x="\(isFaster ? end + 5 : end - 5)" y="\(top + 13)" text-anchor="\(isFaster ? "start" : "end")" \
            fill="#1e293b">\(Figures.short(bar.ratio))</text>
            """
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    }
}
