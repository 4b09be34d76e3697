import Foundation
import TidemarkCore
import TidemarkDatabase
import TidemarkRules
import TidemarkSQLite

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

    func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: self.url.appending(path: name)))
    }

    func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
        try Data(bytes).write(to: self.url.appending(path: name))
    }

    /// Opens a store without waiting for anybody's lock.
    func store(_ name: String = "a.db") throws(TidemarkError) -> SQLiteStore {
        try SQLiteStore(.file(self.path(name)))
    }

    /// What a crash leaves at this moment, under another name: the file and its log, in one piece.
    func copyStore(_ name: String = "a.db", to copy: String, logBytes: Int? = nil) throws {
        let log = try self.read("\(name)-wal")
        try self.write(try self.read(name), to: copy)
        try self.write(log.prefix(logBytes ?? log.count), to: "\(copy)-wal")
    }
}
