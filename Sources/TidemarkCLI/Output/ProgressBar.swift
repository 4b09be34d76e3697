import Synchronization

/// A progress bar on a terminal; elsewhere it prints nothing.
final class ProgressBar: Sendable {
    private static let width = 24

    private let console: Console
    private let drawn = Mutex<String?>(nil)

    init(_ console: Console) {
        self.console = console
    }

    /// Draws the progress.
    ///
    /// - Parameters:
    ///   - done: The amount that is done.
    ///   - total: The total amount; nil or 0 if it is unknown: then the line has no bar.
    ///   - words: The text after the bar.
    func show(_ done: Int, of total: Int?, _ words: String) {
        guard self.console.isWatched else { return }
        let line = Self.line(done, of: total, words)
        let isNew = self.drawn.withLock { drawn in
            defer { drawn = line }
            return drawn != line
        }
        if isNew { self.console.draw(line) }
    }

    /// Removes the bar.
    func finish() {
        let wasDrawn = self.drawn.withLock { drawn in
            defer { drawn = nil }
            return drawn != nil
        }
        if wasDrawn { self.console.draw("") }
    }

    /// The line with the bar.
    static func line(_ done: Int, of total: Int?, _ words: String) -> String {
        guard let total, total > 0 else { return words }
        let full = self.width * min(max(done, 0), total) / total
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: self.width - full)
        return "[\(bar)] \(words)"
    }
}
