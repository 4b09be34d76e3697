import Foundation

/// Formats the text of the demo: at most 80 columns, colors on a terminal only.
struct DemoText {
    /// The style of a line.
    enum Style: String {
        case plain = ""
        case heading = "1"
        case quiet = "2"
        case good = "32"
        case bad = "31"
    }

    private static let columns = 80
    private let console: Console
    private let isColored: Bool

    init(_ console: Console) {
        self.console = console
        self.isColored = isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
    }

    /// One line as it is.
    func line(_ text: String = "", _ style: Style = .plain) throws(OutputError) {
        let isPlain = !self.isColored || style == .plain
        try self.console.print(own: isPlain ? text : "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m")
        try self.console.flush()
    }

    /// The title of a part.
    func heading(_ text: String) throws(OutputError) {
        try self.line()
        try self.line(text, .heading)
    }

    /// A paragraph, broken between words.
    func tell(_ text: String) throws(OutputError) {
        for line in text.wrapped(columns: Self.columns) { try self.line(line) }
    }

    /// An action of a device, or its result: a name, and a text of one or more lines.
    func act(_ who: String, _ what: String) throws(OutputError) {
        let indent = 10
        for (number, line) in what.wrapped(indent: indent, columns: Self.columns).enumerated() {
            let name = number == 0 ? "  \(who)" : ""
            try self.line(name.padded(to: indent) + line.dropFirst(indent))
        }
    }

    /// A table; a cell that is too long for its column is cut.
    func table(_ rows: [[String]], widths: [Int]) throws(OutputError) {
        for (number, row) in rows.enumerated() {
            let cells = zip(row, widths).map { cell, width in
                cell.count > width ? "\(cell.prefix(width - 3))..." : cell.padded(to: width)
            }
            let text = "  " + cells.joined(separator: " ")
            try self.line(String(text.reversed().drop { $0 == " " }.reversed()), number == 0 ? .quiet : .plain)
        }
    }
}

extension String {
    /// The text, padded with spaces to the width of its column.
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - self.count))
    }
}
