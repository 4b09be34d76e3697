import Foundation
import Tidemark

/// A file that was named on the command line; `-` is standard input.
final class InputFile {
    /// What errors call it.
    let name: String
    private let descriptor: Int32

    /// Opens a file for reading.
    init(_ path: String) throws(CommandFailure) {
        guard path != "-" else {
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
        guard fstat(self.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
        close(self.descriptor)
        throw CommandFailure("\(path) is a folder. Name a file in it.")
    }

    deinit {
        if self.descriptor > STDIN_FILENO { close(self.descriptor) }
    }

    /// The next bytes; empty at the end.
    func chunk(_ size: Int = 1 << 20) throws(CommandFailure) -> [UInt8] {
        while true {
            var failure: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                let number = read(self.descriptor, buffer.baseAddress, size)
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
    func rest(limit: Int = JSONLimits.default.bytes) throws(CommandFailure) -> [UInt8] {
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
