import CSystem
import Foundation

/// The file at the path of a store, checked before SQLite opens it: SQLite's errors for a pipe, or for a file without
/// permission, do not help the user.
struct StoreFile: Equatable {
    /// The kind of a file.
    enum Kind: Equatable {
        case missing, file, folder

        /// A symbolic link to a file that does not exist: a store made through it would be in a place that the user did not
        /// name.
        case danglingLink

        /// A pipe, a device or a socket, which stores no data.
        case other
    }

    var path: String
    var kind: Kind

    /// Whether the file is empty, as `touch` or an interrupted program leaves it.
    var isEmpty = false

    /// Whether this user may read and write the file.
    var isOpenToUs = true

    /// Whether this user may create files in its folder, such as the write-ahead log.
    var isFolderOpenToUs = true

    /// Describes a file.
    init(_ path: String, _ kind: Kind) {
        self.path = path
        self.kind = kind
    }

    /// Reads the attributes of the file at a path.
    init(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            self.init(path, lstat(path, &status) == 0 ? .danglingLink : .missing)
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: self.init(path, .file)
        case S_IFDIR: self.init(path, .folder)
        case _: self.init(path, .other)
        }
        self.isEmpty = self.kind == .file && status.st_size == 0
        self.isOpenToUs = access(path, R_OK | W_OK) == 0
        let folder = URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent().path
        self.isFolderOpenToUs = access(folder, W_OK | X_OK) == 0
    }

    /// Why the file can't be a store, and what to do; nil if it can.
    var complaint: String? {
        switch self.kind {
        case .missing: return nil
        case .danglingLink:
            return
                "\(self.path) is a symbolic link to a file that does not exist. Name the file itself, or remove the link."
        case .folder: return "\(self.path) is a folder. Name a file in it, such as \(self.path)/phone.db."
        case .other: return "\(self.path) is a pipe, a device or a socket. A store is a file on a disk; name one."
        case .file:
            guard self.isOpenToUs else {
                return "You may not read and write \(self.path). Ask its owner, or make it writable: chmod u+rw"
            }
            guard self.isFolderOpenToUs else {
                return
                    "You may not create files in the folder of \(self.path), and an open store needs a second file there. "
                    + "Make the folder writable, or copy the store to another folder."
            }
            return nil
        }
    }
}
