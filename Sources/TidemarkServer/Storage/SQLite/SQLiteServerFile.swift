import Synchronization
import TidemarkDatabase

/// The file of a server, watched: nobody else may write to it, so what looks otherwise than it was left is not it any more.
final class SQLiteServerFile: Sendable {
    private struct State {
        /// How the file looked after the last thing that was written to it here.
        var mark: DatabaseFileMark?
        /// While a transaction is open here, it may look in any way.
        var isWriting = false
        /// Which file its log is, once there is one: it stays for as long as the file is open.
        var log: DatabaseFileMark.Name?
    }

    private let path: String
    private let claim: DatabaseClaim
    private let state: Mutex<State>

    /// Takes the file for one storage.
    init(_ path: String) throws(DatabaseError) {
        self.path = path
        self.claim = try DatabaseClaim(path)
        self.state = Mutex(State(mark: DatabaseFileMark(path: path)))
    }

    /// Gives the file back.
    func release() {
        self.claim.release()
    }

    /// A transaction begins.
    func beginWriting() throws(ServerStorageError) {
        let isOurs = self.state.withLock { state in
            guard DatabaseFileMark(path: self.path) == state.mark else { return false }
            state.isWriting = true
            return true
        }
        guard isOurs else { throw self.replaced }
    }

    /// What is written is about to be kept: in files that somebody will find again.
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
                with SIGTERM, which brings what it knows into the file, and start it again.
                """)
        }
    }

    private var log: DatabaseFileMark.Name? { DatabaseFileMark(path: "\(self.path)-wal")?.name }

    /// The transaction is over. One that was replaced meanwhile is found by the next call.
    func endWriting() {
        self.state.withLock { state in
            state.isWriting = false
            state.log = state.log ?? self.log
            guard let now = DatabaseFileMark(path: self.path), let mark = state.mark, now.isSameFile(as: mark)
            else { return }
            state.mark = now
        }
    }

    /// Something is read, perhaps while a transaction is open.
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
