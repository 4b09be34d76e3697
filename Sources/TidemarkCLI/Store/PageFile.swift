import CSystem
import Foundation
import TidemarkInspector

/// The file of an inspector's page: only its owner can read it, and it replaces nothing but an earlier page.
struct PageFile {
    let path: String

    /// - Throws: ``CommandFailure`` if the path is that of another file.
    init(_ path: String) throws(CommandFailure) {
        self.path = path
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFREG, self.isPage else {
            throw CommandFailure("\(path): there is another file of this name. Name a new one, such as store.html.")
        }
    }

    /// Whether the file begins as a page does.
    private var isPage: Bool {
        let start = InspectorPage.start
        guard let file = FileHandle(forReadingAtPath: self.path) else { return false }
        return (try? file.read(upToCount: start.count)).map { $0.elementsEqual(start) } ?? false
    }

    /// Writes the page under another name first, so that the file is whole or does not exist.
    func write(_ page: [UInt8]) throws(CommandFailure) {
        let part = "\(self.path).\(getpid()).part"
        let descriptor = tidemark_make_file(part)
        guard descriptor >= 0 else { throw Self.failure(part) }
        defer { tidemark_close(descriptor) }
        var rest = page[...]
        while !rest.isEmpty {
            let written =
                rest.withContiguousStorageIfAvailable { Foundation.write(descriptor, $0.baseAddress, $0.count) } ?? 0
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                let error = Self.failure(part)
                unlink(part)
                throw error
            }
            rest = rest.dropFirst(written)
        }
        guard tidemark_keep_file(descriptor, part, self.path) == 0 else {
            let error = Self.failure(self.path)
            unlink(part)
            throw error
        }
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure("\(path): \(String(cString: strerror(errno))).")
    }
}
