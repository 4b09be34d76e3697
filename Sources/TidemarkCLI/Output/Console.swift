import Foundation
import Synchronization

/// Standard output, for results, and standard error, for people.
final class Console: Sendable {
    private let pending = Mutex<[UInt8]>([])

    /// Whether somebody watches standard error.
    let isWatched = isatty(STDERR_FILENO) == 1

    /// Prints a line of the result.
    func print(_ line: String) throws(OutputError) {
        try self.print(bytes: Array(line.utf8))
    }

    /// Prints a line of the result, byte for byte.
    func print(bytes: [UInt8]) throws(OutputError) {
        try self.write(bytes + [UInt8(ascii: "\n")])
    }

    /// Prints bytes and no line end.
    func write(_ bytes: [UInt8]) throws(OutputError) {
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

    /// Tells a person something.
    func say(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }

    /// Draws over the last line of a terminal.
    func draw(_ text: String) {
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
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
