import Foundation

extension StoreFile {
    /// Creates an empty file if none exists; only its owner can read it.
    ///
    /// - Returns: Whether this call created it; only such a file may be deleted again.
    func make() -> Bool {
        let descriptor = open(self.path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// Deletes a file that ``make()`` created, with the files that SQLite made for it.
    func remove() {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(self.path + suffix) }
    }
}
