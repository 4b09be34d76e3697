package import Foundation

/// A folder for one test; deinit removes it.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        self.url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "tidemark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: self.url)
    }

    /// The path of a file in the folder.
    package func path(_ name: String) -> String {
        self.url.appending(path: name).path
    }

    package func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: self.path(name))
    }

    package func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: self.url.appending(path: name)))
    }

    /// Writes a file, and makes the folders in its name.
    package func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
        let file = self.url.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    /// Writes a text file, and makes the folders in its name.
    package func write(_ text: String, to name: String) throws {
        try self.write(text.utf8, to: name)
    }
}
