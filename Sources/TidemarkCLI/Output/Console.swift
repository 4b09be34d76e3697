import Foundation
import Synchronization

/// Standard output, for results, and standard error, for messages to the user.
final class Console: Sendable {
    private let pending = Mutex<[UInt8]>([])

    /// Whether standard error is a terminal.
    let isWatched = isatty(STDERR_FILENO) == 1

    /// Whether standard output is a terminal.
    private let isShown = isatty(STDOUT_FILENO) == 1

    /// Prints a line of the result. Control characters for a terminal are escaped, wherever the result goes.
    func print(_ line: String) throws(OutputError) {
        try self.write("\(TerminalText(line).text)\n".utf8)
    }

    /// Prints a line of the tool's own text unchanged, with its color codes.
    func print(own line: String) throws(OutputError) {
        try self.write("\(line)\n".utf8)
    }

    /// Prints columns separated by tabs; a tab in a column is escaped.
    func print(columns: [String]) throws(OutputError) {
        try self.write("\(columns.map { TerminalText($0).text }.joined(separator: "\t"))\n".utf8)
    }

    /// Prints a line of JSON for a program, byte for byte; on a terminal, control characters become JSON escapes.
    func print(bytes: [UInt8]) throws(OutputError) {
        try self.print(bytes: bytes, end: "\n")
    }

    /// Prints JSON as ``print(bytes:)`` does, with another line end.
    func print(bytes: [UInt8], end: String) throws(OutputError) {
        let shown = self.isShown ? Array(TerminalText.json(String(decoding: bytes, as: UTF8.self)).utf8) : bytes
        try self.write(shown, end: end)
    }

    private func write(_ bytes: some Collection<UInt8>, end: String = "") throws(OutputError) {
        let count = self.pending.withLock { pending in
            pending.append(contentsOf: bytes)
            pending.append(contentsOf: end.utf8)
            return pending.count
        }
        if count >= 1 << 16 { try self.flush() }
    }

    /// Writes everything printed so far.
    func flush() throws(OutputError) {
        let bytes = self.pending.withLock { pending in
            defer { pending.removeAll(keepingCapacity: true) }
            return pending
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let written =
                rest.withContiguousStorageIfAvailable { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) } ?? 0
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw OutputError(errno) }
            rest = rest.dropFirst(written)
        }
    }

    /// Prints a line for the user on standard error. Control characters are escaped; a failed write is ignored.
    func say(_ line: String) {
        StandardStreams.writeError("\(TerminalText(line).text)\n")
    }

    /// Asks the user, and leaves the cursor after the question.
    func ask(_ question: String) {
        StandardStreams.writeError("\(TerminalText(question).text) ")
    }

    /// Draws over the last line of a terminal, cut to its width: a longer line would be wrapped, and stay when it is drawn again.
    func draw(_ line: String) {
        // A character in the last column would move the cursor to the next line on some terminals.
        let lines = TerminalText(line).lines(width: max(self.columns - 1, 1))
        StandardStreams.writeError("\r\u{1B}[K\(lines.first ?? "")")
    }

    /// Prints a text for the user on standard error; on a terminal it is wrapped between words.
    func sayWrapped(_ text: String) {
        guard self.isWatched else { return self.say(text) }
        for line in TerminalText(text).text.wrapped(hanging: 2, columns: max(self.columns - 1, 20)) { self.say(line) }
    }

    /// The width of the terminal of standard error; 80 if it is unknown.
    private var columns: Int {
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }
}

/// A failed write to standard output.
struct OutputError: Error {
    /// The message; nil if the reader closed the pipe, which is not an error.
    let message: String?

    init(_ code: Int32) {
        self.message = code == EPIPE ? nil : "can't write the result: \(String(cString: strerror(code)))"
    }
}
