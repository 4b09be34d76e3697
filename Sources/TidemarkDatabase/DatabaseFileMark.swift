import CSystem

/// What a file looks like from outside: which one it is, and when it was last written.
///
/// SQLite keeps its file open, and does not see that the name leads to another one by now: what is committed then goes to
/// a file that nobody will find again. Who has the file for himself can compare marks, at the price of one `stat`.
package struct DatabaseFileMark: Hashable, Sendable {
    /// What the system calls the file, whatever paths lead to it.
    package struct Name: Hashable, Sendable {
        fileprivate let device: UInt64
        fileprivate let node: UInt64
    }

    package let name: Name
    let size: Int64
    private let seconds: Int64
    private let nanoseconds: Int64

    /// The mark of a file as it is now; nil where there is none.
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

    /// Whether it is the same file, whatever was written to it since.
    package func isSameFile(as other: DatabaseFileMark) -> Bool {
        self.name == other.name
    }
}
