import Synchronization

/// How far something is, on a terminal; elsewhere nothing.
final class ProgressBar: Sendable {
    private static let width = 24

    private let console: Console
    private let drawn = Mutex<String?>(nil)

    init(_ console: Console) {
        self.console = console
    }

    /// Draws how far it is.
    ///
    /// - Parameters:
    ///   - done: How much is done.
    ///   - total: Of how much; nil or nothing when that is not known, and then there are words and no bar.
    ///   - words: What is done.
    func show(_ done: Int, of total: Int?, _ words: String) {
        guard self.console.isWatched else { return }
        let line = Self.line(done, of: total, words)
        let isNew = self.drawn.withLock { drawn in
            defer { drawn = line }
            return drawn != line
        }
        if isNew { self.console.draw(line) }
    }

    /// Takes it away.
    func finish() {
        let wasDrawn = self.drawn.withLock { drawn in
            defer { drawn = nil }
            return drawn != nil
        }
        if wasDrawn { self.console.draw("") }
    }

    /// The line as it is drawn.
    static func line(_ done: Int, of total: Int?, _ words: String) -> String {
        guard let total, total > 0 else { return words }
        let full = self.width * min(max(done, 0), total) / total
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: self.width - full)
        return "[\(bar)] \(words)"
    }
}
