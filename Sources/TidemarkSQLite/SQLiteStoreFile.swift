import TidemarkDatabase
import TidemarkRules

/// The file of an open store: it and its log have to be in place, or a commit would be lost with the process.
struct SQLiteStoreFile {
    private let path: String
    private var watch: DatabaseFileWatch

    /// Watches the file of a connection; nil in memory.
    init?(of database: DatabaseConnection) {
        guard let path = database.resolvedPath else { return nil }
        self.path = path
        self.watch = DatabaseFileWatch(path: path)
        self.watch.noteLog()
    }

    /// Records the identity of the log after a commit, which makes the log if there is none.
    mutating func noteLog() { self.watch.noteLog() }

    /// What happened to the file; nil if it is in its place. Only its identity counts: the time of its last write changes
    /// with a checkpoint, and with a program that sets it without a write.
    var change: DatabaseFileWatch.Change? { self.watch.change(mayBeWritten: true, checksLog: true) }

    /// The error for a change of the file, with what to do.
    func error(_ change: DatabaseFileWatch.Change) -> TidemarkError {
        let (file, cause, advice) =
            switch change {
            case .missing:
                (
                    self.path, "the file, or its folder, was deleted or moved away",
                    """
                    Close the client, which writes its log to the moved file; then move the file back, and open it again. If it \
                    was deleted, read what is needed through this client before it is closed.
                    """
                )
            case .replaced:
                (
                    self.path, "the file was replaced by another one",
                    """
                    Read what is needed through this client, close it, put the right file there without a “-wal” file of \
                    the other one, and open it again.
                    """
                )
            case .logMissing:
                (
                    "\(self.path)-wal", "the log of the store was deleted or moved away",
                    "Close the client, which writes its contents to the store, and open it again."
                )
            }
        return TidemarkError(
            .storeUnavailable, "\(file): \(cause) while the client had it open. This change was not kept. \(advice)")
    }

    /// Refuses a path that has no store, but the log of one: SQLite would delete the log, and with it the last edits.
    static func refuseLogAlone(at location: DatabaseLocation) throws(TidemarkError) {
        guard case .file(let path) = location, DatabaseFileMark(path: path)?.isEmpty != false,
            DatabaseFileMark(path: "\(path)-wal")?.isEmpty == false
        else { return }
        throw TidemarkError(
            .storeUnavailable,
            """
            \(path): the file is missing or empty, and its log “\(path)-wal” contains changes. The file was moved or deleted \
            while it was open. Put the file back beside its log, and open it again; to begin with a new store, delete the log.
            """)
    }
}
