import Foundation

extension StoreFile {
    /// Makes an empty file where there is none, which only its owner can read.
    ///
    /// - Returns: Whether this call made it, and nobody else: what was made here may be taken away again.
    func make() -> Bool {
        let descriptor = open(self.path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// Takes a file away that was made here, with what SQLite has beside it.
    func remove() {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(self.path + suffix) }
    }
}
