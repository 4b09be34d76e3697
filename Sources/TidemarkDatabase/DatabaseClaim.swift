import Synchronization

/// That one owner has a file in this process.
///
/// A file that is open as `.process` is kept from other processes by the system, which does not tell owners within a process
/// apart; this does.
package final class DatabaseClaim: Sendable {
    private static let claimed = Mutex<Set<DatabaseFileMark.Name>>([])

    private let name: DatabaseFileMark.Name
    private let isHeld = Mutex(true)

    /// Takes a file that exists.
    ///
    /// - Throws: `busy` when it is taken, `cannotOpen` when it is gone.
    package init(_ path: String) throws(DatabaseError) {
        guard let name = DatabaseFileMark(path: path)?.name else {
            throw DatabaseError(
                code: .cannotOpen, message: "\(path): the file was removed while it was opened. Try again.")
        }
        guard Self.claimed.withLock({ $0.insert(name).inserted }) else {
            throw DatabaseError(
                code: .busy, message: "\(path): this process has the file open already. Close it there first.")
        }
        self.name = name
    }

    deinit {
        self.release()
    }

    /// Gives the file back; a second call does nothing.
    package func release() {
        let wasHeld = self.isHeld.withLock { isHeld in
            defer { isHeld = false }
            return isHeld
        }
        if wasHeld {
            _ = Self.claimed.withLock { $0.remove(self.name) }
        }
    }
}
