import CSystem

/// The identity of a file, and the time of its last write.
///
/// SQLite keeps its file open, and does not notice if the name later belongs to another file: then it commits to a file that
/// has no name any more. A connection with exclusive use of the file can compare marks, at the cost of one `stat`.
package struct DatabaseFileMark: Hashable, Sendable {
    /// The system's identity of the file, whatever paths lead to it.
    package struct Name: Hashable, Sendable {
        fileprivate let device: UInt64
        fileprivate let node: UInt64
    }

    package let name: Name
    let size: Int64
    private let seconds: Int64
    private let nanoseconds: Int64

    /// The present mark of a file; nil if it does not exist.
    package init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.name = Name(
            device: UInt64(truncatingIfNeeded: status.st_dev), node: UInt64(truncatingIfNeeded: status.st_ino))
        self.size = Int64(status.st_size)
        let time = unsafe tidemark_modified(&status)
        self.seconds = Int64(time.tv_sec)
        self.nanoseconds = Int64(time.tv_nsec)
    }

    /// Whether the file has no contents.
    package var isEmpty: Bool { self.size == 0 }

    /// Whether the file was written so recently that its next write can have the same time: systems keep the time of a write in
    /// steps of some milliseconds.
    package var wasJustWritten: Bool {
        let age = DeviceClock.now - .seconds(self.seconds) - .nanoseconds(self.nanoseconds)
        return .zero - Self.clockStep < age && age < Self.clockStep
    }

    private static let clockStep = Duration.milliseconds(50)

    /// Returns whether it is the same file, whatever was written to it since then.
    package func isSameFile(as other: DatabaseFileMark) -> Bool {
        self.name == other.name
    }
}
