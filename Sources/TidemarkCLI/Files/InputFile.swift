import CSystem
import Foundation
import Tidemark

/// A file that the command line names; `-` is standard input.
final class InputFile {
    /// The name in errors.
    let name: String

    /// The size in bytes; nil if it is unknown before the end, as for a pipe.
    let size: Int?
    private let descriptor: Int32
    private let warn: (String) -> Void
    private var isAtStart = true

    /// Opens a file for reading.
    ///
    /// - Parameter warn: Is called with a message for each oddity that is ignored.
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
            let advice = errno == ENOENT ? " Check the name; it is relative to the current folder." : ""
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

    /// How many bytes are read at a time.
    private static let chunkSize = 1 << 18

    /// EF BB BF, which some editors write before UTF-8, and no JSON text begins with (RFC 8259 §8.1).
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The next bytes; empty at the end. A byte order mark at the start is skipped.
    func chunk() throws(CommandFailure) -> [UInt8] {
        guard self.isAtStart else { return try self.read(Self.chunkSize) }
        self.isAtStart = false
        var bytes: [UInt8] = []
        // A pipe can deliver the first bytes one by one.
        while Self.starts.contains(where: { bytes.count < $0.count && $0.starts(with: bytes) }) {
            let more = try self.read(Self.chunkSize)
            if more.isEmpty { break }
            bytes += more
        }
        if let reason = Self.reasonAgainst(start: bytes) { throw CommandFailure("\(self.name): \(reason)") }
        guard bytes.starts(with: Self.byteOrderMark) else { return bytes }
        self.warn("\(self.name): a byte order mark at the start was ignored; UTF-8 needs none")
        bytes.removeFirst(Self.byteOrderMark.count)
        return bytes.isEmpty ? try self.read(Self.chunkSize) : bytes
    }

    /// Forms of files that have JSON inside, by their first bytes, each with the program that unpacks it.
    private static let packedForms: [(start: [UInt8], name: String, unpack: String)] = [
        ([0x1F, 0x8B], "gzip", "gzip -dc"), (Array("BZh".utf8), "bzip2", "bzip2 -dc"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz", "xz -dc"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd", "zstd -dc"),
        (Array("PK\u{3}\u{4}".utf8), "zip", "unzip -p"),
    ]

    private static let starts = InputFile.packedForms.map(\.start) + [InputFile.byteOrderMark]

    /// The reason why the file is no JSON text, and what to do, for files that a program can turn into one; nil for others.
    private static func reasonAgainst(start bytes: [UInt8]) -> String? {
        if let form = self.packedForms.first(where: { bytes.starts(with: $0.start) }) {
            return
                "the file is packed with \(form.name). Unpack it first, and read standard input, which is written as -: "
                + "\(form.unpack) FILE | tidemark …"
        }
        guard bytes.first(where: { !$0.isJSONSpace }) == 0x1E else { return nil }
        return
            "the texts are separated by the control character RS (RFC 7464, as jq --seq writes it). Remove it, and read "
            + #"standard input, which is written as -: tr -d '\036' <FILE | tidemark …"#
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

    /// The remaining bytes.
    ///
    /// - Parameter limit: The largest number of bytes.
    func rest(limit: Int = JSON.Limits.default.bytes) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(self.size ?? 0, limit))
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
