/// Detects that the file of a database, or its log, was deleted, moved or replaced while a connection has it open.
///
/// SQLite would continue to commit, into a file or a log that has lost its name: a commit would succeed, and be lost with the
/// process. The owner of the only connections checks before each commit, at the cost of two `stat` calls.
package struct DatabaseFileWatch: Sendable {
    /// What happened to the file.
    package enum Change: Hashable, Sendable {
        /// There is no file at the path: it, or its folder, was deleted or moved away.
        case missing
        /// Another file is at the path, or another program wrote to the file.
        case replaced
        /// The file is in its place, and its log was deleted, moved away or replaced.
        case logMissing
    }

    private let path: String
    private let logPath: String

    /// The state of the file after the last write of its owner; nil if it was not in its place when the watch began.
    private var mark: DatabaseFileMark?

    /// The identity of the file's log, once it exists: the log stays the same while the file is open.
    private var log: DatabaseFileMark.Name?

    /// Begins with the present file.
    ///
    /// - Parameter path: The path of the file. A relative one is looked up in the current folder at each check.
    package init(path: String) {
        self.path = path
        self.logPath = "\(path)-wal"
        self.mark = DatabaseFileMark(path: path)
    }

    private var presentLog: DatabaseFileMark.Name? { DatabaseFileMark(path: self.logPath)?.name }

    /// Returns what happened to the file; nil if nothing did.
    ///
    /// - Parameters:
    ///   - mayBeWritten: False if no write is expected since the last ``noteWrite()``: then another time of the last write
    ///     counts as a replaced file. Otherwise only the identity of the file is compared.
    ///   - checksLog: Whether its log has to be in place, too.
    package func change(mayBeWritten: Bool, checksLog: Bool) -> Change? {
        guard let now = DatabaseFileMark(path: self.path) else { return .missing }
        guard let mark, mayBeWritten ? now.isSameFile(as: mark) : now == mark else { return .replaced }
        guard checksLog, let log, log != self.presentLog else { return nil }
        return .logMissing
    }

    /// Records the identity of the log, if it is not known yet.
    package mutating func noteLog() {
        self.log = self.log ?? self.presentLog
    }

    /// Records the file's state after a transaction. If the file was replaced meanwhile, the next check detects it.
    package mutating func noteWrite() {
        self.noteLog()
        guard let now = DatabaseFileMark(path: self.path), let mark, now.isSameFile(as: mark) else { return }
        self.mark = now
    }
}
