import CSystem
import Synchronization

/// The exclusive use of a file within this process.
///
/// The system keeps other processes from a file that is open as `.process`, but does not distinguish owners within a process;
/// this does. It also makes it safe to ask the system which other process has the file, see ``otherProcess``.
package final class DatabaseClaim: Sendable {
    private static let claimed = Mutex<Set<DatabaseFileMark.Name>>([])

    private let path: String
    private let name: DatabaseFileMark.Name
    private let isHeld = Mutex(true)

    /// Claims a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - makesFile: Whether to make an empty file if it does not exist.
    /// - Throws: `busy` when it is claimed; when it is missing, `cannotOpen` or the reason why it can't be made.
    package init(_ path: String, makesFile: Bool = false) throws(DatabaseError) {
        let name = try Self.claimed.withLock { (claimed) throws(DatabaseError) in
            // With the mutex held: closing a file that was just made would release the locks of an owner that claimed it
            // meanwhile.
            if makesFile, unsafe tidemark_make_database_file(path) != 0 {
                throw DatabaseError(path: path, systemError: tidemark_errno())
            }
            guard let name = DatabaseFileMark(path: path)?.name else {
                throw DatabaseError(
                    code: .cannotOpen, message: "\(path): the file was removed while it was opened. Try again.")
            }
            guard claimed.insert(name).inserted else {
                throw DatabaseError(
                    code: .busy, message: "\(path): this process has the file open already. Close it there first.")
            }
            return name
        }
        self.path = path
        self.name = name
    }

    deinit {
        self.release()
    }

    /// Releases the file; a second call does nothing.
    package func release() {
        let wasHeld = self.isHeld.withLock { isHeld in
            defer { isHeld = false }
            return isHeld
        }
        if wasHeld {
            _ = Self.claimed.withLock { $0.remove(self.name) }
        }
    }

    /// The number of the process that has the file locked; nil if no other process has, or if the system does not name it.
    ///
    /// The query opens the file and closes it again, by which a process loses its own locks on it (POSIX, `fcntl`). So only the
    /// owner of a claim may call it, before its connection is open.
    package var otherProcess: Int32? {
        let process = unsafe tidemark_lock_owner(self.path, Self.firstLockByte, Self.lockByteCount)
        return process == 0 ? nil : process
    }

    /// The number of the process that has a file open and locked; nil if none has, or if the system does not name it.
    ///
    /// The file is opened and closed only if this process has no claim on it, and no claim begins meanwhile.
    package static func holder(of path: String) -> Int32? {
        self.claimed.withLock { claimed in
            guard let name = DatabaseFileMark(path: path)?.name else { return nil }
            guard !claimed.contains(name) else { return getpid() }
            let process = unsafe tidemark_lock_owner(path, Self.firstLockByte, Self.lockByteCount)
            return process == 0 ? nil : process
        }
    }

    /// The position of SQLite's locks in a file: the bytes PENDING, RESERVED and SHARED of its unix interface.
    private static let firstLockByte: Int64 = 0x4000_0000
    private static let lockByteCount: Int64 = 512
}
