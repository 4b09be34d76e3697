import Foundation
import Tidemark

/// A file that was named on the command line; `-` is standard input.
final class InputFile {
    /// What errors call it.
    let name: String

    /// How many bytes it has; nil where that is not known before its end, as of a pipe.
    let size: Int?
    private let descriptor: Int32
    private let warn: (String) -> Void
    private var isAtStart = true

    /// Opens a file for reading.
    ///
    /// - Parameter warn: Hears what is odd and was passed over.
    init(_ path: String, warn: @escaping (String) -> Void) throws(CommandFailure) {
        self.warn = warn
        guard path != "-" else {
            self.size = nil
            (self.name, self.descriptor) = ("(standard input)", STDIN_FILENO)
            return
        }
        self.name = path
        self.descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard self.descriptor >= 0 else {
            let advice = errno == ENOENT ? " Check the name; a file is looked for from the folder you are in." : ""
            throw CommandFailure("\(path): \(String(cString: strerror(errno))).\(advice)")
        }
        var status = stat()
        let kind = fstat(self.descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
        self.size = kind == S_IFREG ? Int(status.st_size) : nil
        guard kind == S_IFDIR else { return }
        close(self.descriptor)
        throw CommandFailure("\(path) is a folder. Name a file in it.")
    }

    deinit {
        if self.descriptor > STDIN_FILENO { close(self.descriptor) }
    }

    /// How many bytes come at a time.
    private static let chunkSize = 1 << 18

    /// EF BB BF, which some editors write before UTF-8, and no JSON text begins with (RFC 8259 §8.1).
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The next bytes; empty at the end. A byte order mark at the start is passed over.
    func chunk() throws(CommandFailure) -> [UInt8] {
        guard self.isAtStart else { return try self.read(Self.chunkSize) }
        self.isAtStart = false
        var bytes: [UInt8] = []
        // A pipe may bring the mark byte by byte.
        while bytes.count < Self.byteOrderMark.count, Self.byteOrderMark.starts(with: bytes) {
            let more = try self.read(Self.chunkSize)
            if more.isEmpty { return bytes }
            bytes += more
        }
        guard bytes.starts(with: Self.byteOrderMark) else { return bytes }
        self.warn("\(self.name): a byte order mark at the start was passed over; UTF-8 needs none")
        bytes.removeFirst(Self.byteOrderMark.count)
        return bytes.isEmpty ? try self.read(Self.chunkSize) : bytes
    }

    private func read(_ size: Int) throws(CommandFailure) -> [UInt8] {
        while true {
            var failure: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                let number = Foundation.read(self.descriptor, buffer.baseAddress, size)
                failure = number < 0 ? errno : 0
                count = max(number, 0)
            }
            if failure == EINTR { continue }
            guard failure == 0 else {
                throw CommandFailure("\(self.name): can't be read: \(String(cString: strerror(failure))).")
            }
            return bytes
        }
    }

    /// All bytes that are left.
    ///
    /// - Parameter limit: How many may come at most.
    func rest(limit: Int = JSON.Limits.default.bytes) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let chunk = try self.chunk()
            if chunk.isEmpty { return bytes }
            bytes += chunk
            guard bytes.count <= limit else {
                throw CommandFailure("\(self.name) has more than \(limit) bytes, which is the limit for such a file.")
            }
        }
    }
}
