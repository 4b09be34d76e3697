import Foundation
import TidemarkDatabase

/// A folder of one test's own, gone with it.
final class TemporaryFolder {
    let url: URL

    init() throws {
        self.url = FileManager.default.temporaryDirectory.appending(path: "tidemark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: self.url)
    }

    func path(_ name: String) -> String {
        self.url.appending(path: name).path
    }

    func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
        try Data(bytes).write(to: self.url.appending(path: name))
    }

    func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: self.url.appending(path: name)))
    }

    func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: self.path(name))
    }
}

/// Opens a file of the folder without waiting for anybody's lock.
func open(
    _ name: String, in folder: TemporaryFolder, access: DatabaseAccess = .readWrite, sharing: DatabaseSharing = .all,
    applicationID: Int32? = nil
) throws(DatabaseError) -> DatabaseConnection {
    try DatabaseConnection(
        .file(folder.path(name)), access: access, sharing: sharing, applicationID: applicationID,
        busyTimeout: .zero)
}

extension DatabaseConnection {
    /// The first column of every row, as text.
    func texts(_ sql: String) throws -> [String] {
        let statement = try self.statement(sql)
        var texts: [String] = []
        while try statement.step() {
            texts.append(try statement.text(0))
        }
        return texts
    }
}
