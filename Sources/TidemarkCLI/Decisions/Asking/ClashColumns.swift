import Tidemark

/// The three values of a clash side by side, fitted to a terminal.
struct ClashColumns {
    private static let gap = " | "
    private static let narrowest = 8
    private static let longest = 12

    /// The lines, headings first.
    let lines: [String]

    /// Formats the values.
    ///
    /// - Parameter width: The width of the terminal, in columns.
    init(_ clash: JSONMerge.Clash, width: Int) {
        let column = max((width - 2 * Self.gap.count) / 3, Self.narrowest)
        let cells = [("base", clash.base), ("server", clash.server), ("client", clash.client)].map { name, value in
            [name, String(repeating: "-", count: column)]
                + TerminalText(Self.text(of: value)).lines(width: column, limit: Self.longest)
        }
        let height = cells.map(\.count).max() ?? 0
        self.lines = (0..<height).map { row in
            let parts = cells.map { $0.indices.contains(row) ? $0[row] : "" }
            let line = parts.map { Self.filled($0, to: column) }.joined(separator: row == 1 ? "-+-" : Self.gap)
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// A value as text; “(nothing)” for a side without a value.
    static func text(of value: JSON?) -> String { value?.text ?? "(nothing)" }

    private static func filled(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(width - TerminalText(text).width, 0))
    }
}
