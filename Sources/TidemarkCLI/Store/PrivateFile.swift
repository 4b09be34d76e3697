import CSystem
import Foundation

/// A file that other users of the machine must not read: a store, which has tokens and records, or a file with
/// tokens.
enum PrivateFile {
    /// What is done about a file whose mode can't be changed.
    enum Strictness {
        /// The file is refused: a secret is about to be written to it.
        case refuses

        /// The user is warned: the secret is in the file already, and a secret that another program mounts, as of a container,
        /// can be read-only.
        case warns
    }

    /// Makes a file that is there readable for its owner alone. Anything but a regular file stays as it is.
    ///
    /// - Returns: A warning for the user; nil if nothing has to be said.
    /// - Throws: ``CommandFailure`` if others can still read the file.
    @discardableResult
    static func tighten(_ path: String, _ strictness: Strictness = .refuses) throws(CommandFailure) -> String? {
        // By its path: a close of the file would drop the locks that SQLite has on it in this process.
        var status = stat()
        // The caller that reads or writes the file reports why it can't be opened.
        guard stat(path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & (S_IRWXG | S_IRWXO) != 0,
            chmod(path, status.st_mode & S_IRWXU) != 0
        else { return nil }
        let reason =
            "\(path): other users of this machine can read this file, and its mode can't be changed "
            + "(\(String(cString: strerror(errno)))). Let its owner make it private: chmod 600"
        guard strictness == .warns else { throw CommandFailure(reason) }
        // A file of another user, which this one reads as a member of its group, is meant so.
        return status.st_mode & S_IRWXO == 0 ? nil : reason
    }

    /// Makes a store and the files of SQLite beside it readable for their owner alone.
    static func tighten(store path: String) throws(CommandFailure) {
        for suffix in ["", "-wal", "-shm", "-journal"] { try self.tighten(path + suffix) }
    }
}
