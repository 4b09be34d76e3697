import CSystem

/// A copy of a database file that another process has open, and locked against every other reader.
///
/// The copy has one committed state of the database, also if the other process commits and checkpoints meanwhile:
///
/// - A commit is in the log (`-wal`) before it returns. The file itself changes only by a checkpoint, which writes pages of the
///   present log into it. So a file that is copied during a checkpoint has old pages and new ones, and each of the new ones is in
///   the log as well, where SQLite finds it first.
/// - That holds while the log stays the same. A log that begins again has new random numbers (salts) in its header. So the
///   header is read before the file is copied, and after the log was copied; if they differ, the copy is made again.
/// - A frame that was written only in part ends the log at the last commit before it, by SQLite's checksums.
/// - Without a log, the file itself must be unchanged, and its last write must be older than the resolution
///   of a file's time (50 ms).
///
/// Example of a copy without this check: the file is copied; the other process checkpoints, begins its log again and commits
/// once; the log is copied. The copy has the last commit, and not those of the checkpoint before it.
///
/// A process that opens and closes a file loses all its locks on it (POSIX, `fcntl`). So the file is claimed during the copy:
/// a file that this process has open is refused.
package struct DatabaseFileCopy: Sendable {
    /// The copy; its log is beside it.
    package let path: String

    /// The time at which the copy was complete, from 1970-01-01T00:00:00Z.
    package let time: Duration

    private let folder: String

    /// Copies a database and its log into a new folder that only this user can read.
    ///
    /// The folders of copies that were interrupted are removed first; see ``removeLeftovers(in:)``.
    ///
    /// - Parameters:
    ///   - path: The database; another process may have it open in write-ahead mode, and this process must not.
    ///   - parent: The folder for the new one; nil for `TMPDIR`, or `/tmp`.
    ///   - budget: How many bytes may be copied until a copy is whole; nil for three times the size, and
    ///     at least ``smallestBudget``.
    /// - Throws: `busy` if this process has the file open, or if no copy was whole within the budget; `cannotOpen`, `full` or
    ///   `io`.
    package static func make(
        of path: String, in parent: String? = nil, budget: Int64? = nil
    ) throws(DatabaseError) -> DatabaseFileCopy {
        // SQLite resolves links, so the log is beside the file itself.
        let path = DatabaseLocation.resolved(path)
        let claim: DatabaseClaim
        do throws(DatabaseError) {
            claim = try DatabaseClaim(path)
        } catch {
            guard error.code == .busy else { throw error }
            throw DatabaseError(
                code: .busy, message: "\(path): this process has the file open; read it through its client.")
        }
        defer { claim.release() }
        let folder = try Self.makeFolder(in: parent ?? Self.temporary)
        let copy = DatabaseFileCopy(path: "\(folder)/copy.db", folder: folder)
        do throws(DatabaseError) {
            return try copy.filled(from: path, budget: budget)
        } catch {
            copy.remove()
            throw error
        }
    }

    private init(path: String, folder: String, time: Duration = .zero) {
        self.path = path
        self.folder = folder
        self.time = time
    }

    /// Removes the copy. A connection that has it open continues to read.
    package func remove() {
        self.removeFiles()
        unsafe rmdir(self.folder)
    }

    private func removeFiles() {
        for end in ["", Self.log, "-shm", "-journal"] { unsafe unlink(self.path + end) }
    }

    /// Copies until a copy is whole.
    private func filled(from path: String, budget: Int64?) throws(DatabaseError) -> DatabaseFileCopy {
        let budget = budget ?? max(3 * Self.size(of: path), Self.smallestBudget)
        var left = budget
        while Self.size(of: path) <= left {
            let before = Source(path)
            let copied = before.canBeCopied ? try self.copy(path, limit: left) : nil
            if copied != nil, Source(path) == before,
                Source.logHeader(of: self.path) == before.log
            {
                return DatabaseFileCopy(path: self.path, folder: self.folder, time: DeviceClock.now)
            }
            left -= max(copied ?? 0, Self.leastCost)
            self.removeFiles()
            usleep(Self.pause)
        }
        throw DatabaseError(
            code: .busy,
            message: """
                \(path): the program that has the file open writes so much that no copy of it was whole after \(budget) bytes. \
                Try again when it is less busy, or close it there.
                """)
    }

    /// Copies the file and then its log.
    ///
    /// - Returns: How many bytes; nil if a file changed so that the copy can't be whole.
    private func copy(_ path: String, limit: Int64) throws(DatabaseError) -> Int64? {
        var sum: Int64 = 0
        for end in ["", Self.log] {
            let copied = unsafe tidemark_copy_file(path + end, self.path + end, limit - sum)
            let error = tidemark_errno()
            switch copied {
            case 0...: sum += copied
            case -2 where end == Self.log && error == ENOENT: continue
            case _ where error == EFBIG: return nil
            default: throw DatabaseError(path: copied == -2 ? path + end : self.path + end, systemError: error)
            }
        }
        return sum
    }

    private static var temporary: String { unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp" }

    /// Removes the folders that processes of this user have left, since they were ended while they copied.
    package static func removeLeftovers(in parent: String? = nil) {
        unsafe tidemark_remove_leftovers(parent ?? Self.temporary, Self.prefix)
    }

    private static func makeFolder(in parent: String) throws(DatabaseError) -> String {
        Self.removeLeftovers(in: parent)
        // The system replaces the six X by characters that make the name new.
        // `mkdtemp` replaces the six letters at the end.
        var template = Array("\(parent)/\(Self.prefix)\(getpid())-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw DatabaseError(path: parent, systemError: tidemark_errno()) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func size(of path: String) -> Int64 {
        ["", Self.log].reduce(0) { $0 + (DatabaseFileMark(path: path + $1)?.size ?? 0) }
    }

    /// The least budget, in bytes: for a small database with a log that begins again all the time, many tries cost little.
    package static let smallestBudget: Int64 = 64 << 20
    /// What a try costs of the budget at least, so that tries that copy nothing end, too.
    private static let leastCost: Int64 = 64 << 10
    /// How long to wait before the next try, in microseconds.
    private static let pause: UInt32 = 500
    /// How the name of a copy's folder begins, before the number of its process.
    private static let prefix = "tidemark-copy-"
    private static let log = "-wal"
}

extension DatabaseFileCopy {
    /// What must be the same before and after a copy.
    private struct Source: Equatable {
        /// The header of the log; empty if there is none.
        let log: [UInt8]

        /// The identity of the file; and without a log its size and the time of its last write.
        private let file: DatabaseFileMark.Name?
        private let unlogged: DatabaseFileMark?

        /// Whether a copy that is begun now can be whole.
        let canBeCopied: Bool

        init(_ path: String) {
            let mark = DatabaseFileMark(path: path)
            self.log = Self.logHeader(of: path)
            self.file = mark?.name
            self.unlogged = self.log.isEmpty ? mark : nil
            // A database that is just being made has a rollback journal until it is in write-ahead mode.
            let isMade = DatabaseFileMark(path: "\(path)-journal")?.isEmpty != false
            self.canBeCopied = isMade && (!self.log.isEmpty || mark?.wasJustWritten == false)
        }

        /// The header of a log; empty if it is missing or not complete.
        static func logHeader(of path: String) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: Self.headerSize)
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe tidemark_read_start(path + DatabaseFileCopy.log, $0.baseAddress, Int32($0.count))
            }
            return count == Self.headerSize ? bytes : []
        }

        /// The size of a log's header, in bytes (SQLite, file format §4.1): the two salts and their checksum are in it.
        private static let headerSize = 32
    }
}
