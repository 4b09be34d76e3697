import TidemarkDatabase
import TidemarkRules

/// The file of a store that is suspended: no other one is opened in its place.
package struct SuspendedFile: Sendable {
    private let path: String
    private let mark: DatabaseFileMark
    private let log: DatabaseFileMark?

    /// Marks a file that is open and in its place.
    init(path: String) throws(TidemarkError) {
        guard let mark = DatabaseFileMark(path: path) else { throw Self.missing(path) }
        self.path = path
        self.mark = mark
        self.log = DatabaseFileMark(path: Self.log(of: path))
    }

    private static func log(of path: String) -> String { "\(path)-wal" }

    /// Whether nothing was written to the file and its log. A last write that was just made could be followed by another one with the
    /// same time.
    var isUnchanged: Bool {
        DatabaseFileMark(path: self.path) == self.mark && DatabaseFileMark(path: Self.log(of: self.path)) == self.log
            && !self.mark.wasJustWritten && self.log?.wasJustWritten != true
    }

    /// Refuses another file, and a missing one.
    func refuseOther(at location: DatabaseLocation) throws(TidemarkError) {
        guard let now = DatabaseFileMark(path: self.path) else { throw Self.missing(self.path) }
        guard !now.isSameFile(as: self.mark) else { return }
        throw TidemarkError(
            .storeUnavailable,
            """
            \(self.path): the file was replaced by another one while the client did not have it open. Close the client, and open \
            another one for this file.
            """)
    }

    private static func missing(_ path: String) -> TidemarkError {
        TidemarkError(
            .storeUnavailable,
            """
            \(path): the file was deleted or moved away while the client did not have it open. Put it back, with its \
            “-wal” file, or close the client and open another one.
            """)
    }
}
