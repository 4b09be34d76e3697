import CSQLite

/// Where a database is kept.
package enum DatabaseLocation: Hashable, Sendable {
    /// A file; its folder must exist.
    case file(String)
    /// Memory of this connection alone; gone when it is closed.
    case memory

    /// What errors call it.
    package var path: String {
        switch self {
        case .file(let path): path
        case .memory: ":memory:"
        }
    }

    /// The name for SQLite, which reads some file names as commands.
    package func filename() throws(DatabaseError) -> String {
        switch self {
        case .memory:
            return ":memory:"
        case .file(let path):
            guard !path.isEmpty, !path.utf8.contains(0) else {
                throw DatabaseError(
                    code: .cannotOpen, message: "“\(path)” is not the name of a file. Give the path of the database.")
            }
            return path.utf8.starts(with: ":".utf8) || path.utf8.starts(with: "file:".utf8) ? "./\(path)" : path
        }
    }
}

/// What a connection may do with its file.
package enum DatabaseAccess: Hashable, Sendable {
    /// Reads and writes, and makes a file that is missing.
    case readWrite
    /// Reads a file that exists, and never writes.
    case readOnly

    var flags: Int32 {
        let mode =
            switch self {
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readOnly: SQLITE_OPEN_READONLY
            }
        // One owner at a time: SQLite's own lock for each call would only cost.
        return mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    }
}

/// Who else may have the file while a connection has it.
package enum DatabaseSharing: Hashable, Sendable {
    /// Whoever comes, from any process.
    case all
    /// Other connections of this process that are opened in the same way; every other process gets `busy`.
    ///
    /// All of them have to be for reading and writing: one that may only read would give up the lock of the others.
    case process
    /// Nobody: every other connection gets `busy`.
    case none

    /// SQLite's interface to the system that keeps the file for one process. It has the index of the log in memory, too, so
    /// that none lies beside the file.
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
