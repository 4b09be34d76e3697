import Synchronization
import TidemarkDatabase

/// Watches the file of a server: no other program may write to it, so a file that changed unexpectedly was replaced.
final class SQLiteServerFile: Sendable {
    private struct State {
        /// The state of the file after the last write of this process.
        var mark: DatabaseFileMark?
        /// True while a transaction is open here: then the file may change.
        var isWriting = false
        /// The identity of the file's log, once it exists: the log stays the same while the file is open.
        var log: DatabaseFileMark.Name?
    }

    private let path: String
    private let claim: DatabaseClaim
    private let state: Mutex<State>

    /// Claims the file for one storage.
    init(_ path: String) throws(DatabaseError) {
        self.path = path
        self.claim = try DatabaseClaim(path)
        self.state = Mutex(State(mark: DatabaseFileMark(path: path)))
    }

    /// Releases the claim.
    func release() {
        self.claim.release()
    }

    /// Checks the file before a transaction begins.
    func beginWriting() throws(ServerStorageError) {
        let isOurs = self.state.withLock { state in
            guard DatabaseFileMark(path: self.path) == state.mark else { return false }
            state.isWriting = true
            return true
        }
        guard isOurs else { throw self.replaced }
    }

    /// Checks before a commit that the file and its log are still in place: otherwise the commit would be lost.
    func checkBeforeCommit() throws(ServerStorageError) {
        let (isOurs, hasLog) = self.state.withLock { state in
            let isOurs = DatabaseFileMark(path: self.path).map { state.mark?.isSameFile(as: $0) == true } ?? false
            return (isOurs, state.log == nil || state.log == self.log)
        }
        guard isOurs else { throw self.replaced }
        guard hasLog else {
            throw ServerStorageError(
                .fileReplaced,
                """
                \(self.path)-wal: the log of the file was moved away or removed while the server had it open. Stop the server \
                with SIGTERM, which writes its state to the file, and start it again.
                """)
        }
    }

    private var log: DatabaseFileMark.Name? { DatabaseFileMark(path: "\(self.path)-wal")?.name }

    /// Records the file's state after a transaction. If the file was replaced meanwhile, the next call detects it.
    func endWriting() {
        self.state.withLock { state in
            state.isWriting = false
            state.log = state.log ?? self.log
            guard let now = DatabaseFileMark(path: self.path), let mark = state.mark, now.isSameFile(as: mark)
            else { return }
            state.mark = now
        }
    }

    /// Checks the file before a read, perhaps while a transaction is open.
    func beginReading() throws(ServerStorageError) {
        let isOurs = self.state.withLock { state in
            guard let now = DatabaseFileMark(path: self.path), let mark = state.mark else { return false }
            return state.isWriting ? now.isSameFile(as: mark) : now == mark
        }
        guard isOurs else { throw self.replaced }
    }

    private var replaced: ServerStorageError {
        ServerStorageError(
            .fileReplaced,
            """
            \(self.path): the file was moved away, or another program wrote to it, while the server had it open. Stop the \
            server, put the right file there, and start it again.
            """)
    }
}
