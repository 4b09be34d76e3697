import Foundation
import Synchronization

/// Standard output, for results, and standard error, for people.
final class Console: Sendable {
    private let pending = Mutex<[UInt8]>([])

    /// Whether somebody watches standard error.
    let isWatched = isatty(STDERR_FILENO) == 1

    /// Whether the result goes to a terminal.
    private let isShown = isatty(STDOUT_FILENO) == 1

    /// Prints a line of the result. What could steer a terminal is escaped, wherever it goes.
    func print(_ line: String) throws(OutputError) {
        try self.write(Array("\(TerminalText(line).text)\n".utf8))
    }

    /// Prints a line of our own words as they are, with what colours them.
    func print(own line: String) throws(OutputError) {
        try self.write(Array("\(line)\n".utf8))
    }

    /// Prints a line of columns with tabs between them, none of which has a tab in it.
    func print(columns: [String]) throws(OutputError) {
        try self.write(Array("\(columns.map { TerminalText($0).text }.joined(separator: "\t"))\n".utf8))
    }

    /// Prints a line of JSON for a program, byte for byte; on a terminal, what could steer it is escaped as JSON does.
    func print(bytes: [UInt8]) throws(OutputError) {
        try self.print(bytes: bytes, end: "\n")
    }

    /// Prints JSON as ``print(bytes:)`` does, with another end.
    func print(bytes: [UInt8], end: String) throws(OutputError) {
        let shown = self.isShown ? Array(TerminalText.json(String(decoding: bytes, as: UTF8.self)).utf8) : bytes
        try self.write(shown + Array(end.utf8))
    }

    private func write(_ bytes: [UInt8]) throws(OutputError) {
        let count = self.pending.withLock { pending in
            pending += bytes
            return pending.count
        }
        if count >= 1 << 16 { try self.flush() }
    }

    /// Hands everything printed so far to the system.
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

    /// Tells a person a line. What could steer a terminal is escaped; where nobody can be told, nothing happens.
    func say(_ line: String) {
        StandardStreams.writeError("\(TerminalText(line).text)\n")
    }

    /// Asks a person, and leaves the cursor behind the question.
    func ask(_ question: String) {
        StandardStreams.writeError("\(TerminalText(question).text) ")
    }

    /// Draws over the last line of a terminal.
    func draw(_ line: String) {
        StandardStreams.writeError("\r\u{1B}[K\(TerminalText(line).text)")
    }
}

/// Standard output takes nothing more.
struct OutputError: Error {
    /// What to say about it; nil when the reader has seen enough and went away.
    let message: String?

    init(_ code: Int32) {
        self.message = code == EPIPE ? nil : "can't write the result: \(String(cString: strerror(code)))"
    }
}
