import TidemarkDatabase
package import TidemarkRules

/// A copy of a store that another process has open; see ``DatabaseFileCopy``.
///
/// It is for reading: its client has `readsCopy` in its configuration. Its files are removed as soon as they are open. If the process
/// is ended while it copies, they stay until the next reader of a store removes them (``removeLeftovers()``).
package struct StoreCopy {
    /// The time at which the copy was complete, from 1970-01-01T00:00:00Z.
    package var time: Duration { self.file.time }

    private let original: String
    private let file: DatabaseFileCopy

    /// Copies a store.
    ///
    /// - Throws: `storeBusy` if this process has the store open, or if it changes too fast for a copy; `storeUnavailable` or
    ///   `storeFull`.
    package init(of path: String) throws(TidemarkError) {
        self.original = path
        do throws(DatabaseError) {
            self.file = try DatabaseFileCopy.make(of: path)
        } catch {
            throw TidemarkError(error)
        }
    }

    /// Removes the copies of processes that were ended while they copied.
    package static func removeLeftovers() { DatabaseFileCopy.removeLeftovers() }

    /// Opens the copy, once, and removes its files; the contents are readable until the store is closed.
    package consuming func open() throws(TidemarkError) -> sending SQLiteStore {
        defer { self.file.remove() }
        do throws(TidemarkError) {
            return try SQLiteStore(.file(self.file.path), isWatched: false)
        } catch {
            var error = error
            // Each message about a file begins with its path. To replace a text anywhere would link the library of regular
            // expressions, 1.3 MiB of a small app.
            let (message, path) = (error.message.utf8, self.file.path.utf8)
            if message.starts(with: path) {
                error.message = self.original + String(decoding: message.dropFirst(path.count), as: UTF8.self)
            }
            throw error
        }
    }
}
