import Synchronization
import TidemarkDatabase

/// The file of a server, watched: nobody else may write to it, so what looks otherwise than it was left is not it any more.
final class SQLiteServerFile: Sendable {
    private struct State {
        /// How the file looked after the last thing that was written to it here.
        var mark: DatabaseFileMark?
        /// While a transaction is open here, it may look in any way.
        var isWriting = false
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

    /// The transaction is over. One that was replaced meanwhile is found by the next call.
    func endWriting() {
        self.state.withLock { state in
            state.isWriting = false
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
