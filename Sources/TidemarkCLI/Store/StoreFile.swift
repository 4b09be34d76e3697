import Foundation

/// What stands at the path of a store, looked at before SQLite opens it: what SQLite says of a pipe or of a file without
/// permission helps nobody.
struct StoreFile: Equatable {
    /// What it is.
    enum Kind: Equatable {
        case missing, file, folder

        /// A pipe, a device, a socket: nothing that keeps what is written.
        case other
    }

    var path: String
    var kind: Kind

    /// Whether it is a file with nothing in it: what a program leaves that could not go on, or what `touch` makes.
    var isEmpty = false

    /// Whether this user may read and write the file.
    var isOpenToUs = true

    /// Whether this user may make files beside it, as a write-ahead log is one.
    var isFolderOpenToUs = true

    /// Describes a file.
    init(_ path: String, _ kind: Kind) {
        self.path = path
        self.kind = kind
    }

    /// Looks at a path.
    init(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            self.init(path, .missing)
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

    /// Why it can't be a store, and what to do; nil when it can be one.
    var complaint: String? {
        switch self.kind {
        case .missing: return nil
        case .folder: return "\(self.path) is a folder. Name a file in it, such as \(self.path)/phone.db."
        case .other: return "\(self.path) is a pipe, a device or a socket. A store is a file on a disk; name one."
        case .file:
            guard self.isOpenToUs else {
                return "You may not read and write \(self.path). Ask its owner, or make it writable: chmod u+rw"
            }
            guard self.isFolderOpenToUs else {
                return
                    "You may make no files in the folder of \(self.path), and a store has a second one beside it while "
                    + "it is open. Make the folder writable, or copy the store to another one."
            }
            return nil
        }
    }
}
