import CSQLite
import CSystem

/// The storage of a database.
package enum DatabaseLocation: Hashable, Sendable {
    /// A file; its folder must exist.
    case file(String)
    /// Memory of this connection alone; discarded when it is closed.
    case memory
    /// A file of this connection alone, without a name, in the system's folder for temporary files; discarded when it is closed.
    /// It takes little memory, however large it becomes.
    case temporary

    /// The name in error messages.
    package var path: String {
        switch self {
        case .file(let path): path
        case .memory: ":memory:"
        case .temporary: "a temporary file"
        }
    }

    /// The name for SQLite, which reads some file names as commands.
    package func filename() throws(DatabaseError) -> String {
        switch self {
        case .memory:
            return ":memory:"
        case .temporary:
            return ""
        case .file(let path):
            guard !path.isEmpty, !path.utf8.contains(0) else {
                throw DatabaseError(
                    code: .cannotOpen, message: "“\(path)” is not the name of a file. Give the path of the database.")
            }
            return path.utf8.starts(with: ":".utf8) || path.utf8.starts(with: "file:".utf8) ? "./\(path)" : path
        }
    }
}

extension DatabaseLocation {
    /// The path of a file without symbolic links, as SQLite names its log; the path itself if it leads nowhere.
    package static func resolved(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }
}

/// The kind of access of a connection to its file.
package enum DatabaseAccess: Hashable, Sendable {
    /// Reads and writes, and creates a missing file.
    case readWrite
    /// Reads a file that exists, and never writes.
    case readOnly

    var flags: Int32 {
        let mode =
            switch self {
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readOnly: SQLITE_OPEN_READONLY
            }
        // A connection has one owner at a time: SQLite's own lock for each call would be a pure cost.
        return mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    }
}

/// Which other connections may have the file open at the same time.
package enum DatabaseSharing: Hashable, Sendable {
    /// All, from any process.
    case all
    /// Other connections of this process that are opened in the same way; every other process gets `busy`.
    ///
    /// All of them have to be for reading and writing: a read-only one would release the locks of the others.
    case process
    /// None: every other connection gets `busy`.
    case none

    /// SQLite's interface to the system that keeps the file for one process. It also stores the index of the log in memory
    /// instead of a file.
    var system: String? {
        self == .process ? "unix-excl" : nil
    }
}

extension Duration {
    /// For C: whole milliseconds, between 0 and the largest `Int32`.
    var wholeMilliseconds: Int32 {
        let (seconds, attoseconds) = self.components
        guard seconds < Int64(Int32.max) / 1000 else { return .max }
        return seconds < 0 ? 0 : Int32(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
