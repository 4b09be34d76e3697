import Synchronization
import TidemarkDatabase

/// Watches the file of a server: no other program may write to it, so a file that changed unexpectedly was replaced.
final class SQLiteServerFile: Sendable {
    private struct State {
        var watch: DatabaseFileWatch
        /// True while a transaction is open here: then the file may change.
        var isWriting = false
    }

    private let path: String
    private let claim: DatabaseClaim
    private let state: Mutex<State>

    /// Claims the file for one storage.
    init(_ path: String) throws(DatabaseError) {
        self.path = path
        self.claim = try DatabaseClaim(path)
        self.state = Mutex(State(watch: DatabaseFileWatch(path: path)))
    }

    /// Releases the claim.
    func release() {
        self.claim.release()
    }

    /// Checks the file before a transaction begins.
    func beginWriting() throws(ServerStorageError) {
        let change = self.state.withLock { state in
            let change = state.watch.change(mayBeWritten: false, checksLog: false)
            if change == nil { state.isWriting = true }
            return change
        }
        try self.refuse(change)
    }

    /// Checks before a commit that the file and its log are still in place: otherwise the commit would be lost.
    func checkBeforeCommit() throws(ServerStorageError) {
        try self.refuse(self.state.withLock { $0.watch.change(mayBeWritten: true, checksLog: true) })
    }

    /// Records the file's state after a transaction. If the file was replaced meanwhile, the next call detects it.
    func endWriting() {
        self.state.withLock { state in
            state.isWriting = false
            state.watch.noteWrite()
        }
    }

    /// Checks the file before a read, perhaps while a transaction is open.
    func beginReading() throws(ServerStorageError) {
        try self.refuse(self.state.withLock { $0.watch.change(mayBeWritten: $0.isWriting, checksLog: false) })
    }

    private func refuse(_ change: DatabaseFileWatch.Change?) throws(ServerStorageError) {
        switch change {
        case nil: return
        case .missing, .replaced:
            throw ServerStorageError(
                .fileReplaced,
                """
                \(self.path): the file was moved away, or another program wrote to it, while the server had it open. Stop the \
                server, put the right file there, and start it again.
                """)
        case .logMissing:
            throw ServerStorageError(
                .fileReplaced,
                """
                \(self.path)-wal: the log of the file was moved away or removed while the server had it open. Stop the server \
                with SIGTERM, which writes its state to the file, and start it again.
                """)
        }
    }
}
