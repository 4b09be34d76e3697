import TestSupport
import TidemarkCore
import TidemarkDatabase
import TidemarkRules
import TidemarkSQLite

extension TemporaryFolder {
    /// Opens a store without waiting for a lock.
    func store(
        _ name: String = "a.db", projections: [any Projection]? = nil
    ) throws(TidemarkError) -> SQLiteStore {
        try SQLiteStore(.file(self.path(name)), projections: projections)
    }

    /// Copies the file and its log under another name, as a crash at this moment would leave them.
    func copyStore(_ name: String = "a.db", to copy: String, logBytes: Int? = nil) throws {
        let log = try self.read("\(name)-wal")
        try self.write(try self.read(name), to: copy)
        try self.write(log.prefix(logBytes ?? log.count), to: "\(copy)-wal")
    }
}
