import Foundation

/// A store with many records that are in sync, made by a process like an app.
struct LargeStore {
    let file: URL

    /// The memory of the process before the pull, in MiB.
    let before: Double

    /// The peak memory of the process, in MiB.
    let peak: Double

    /// The CPU time of the process, in seconds.
    let cpu: Double

    /// Reads a page of a store, and edits a record, in a process like a widget's.
    ///
    /// - Parameter program: `pull-rows`.
    /// - Returns: The memory of the process before that, and its peak, in MiB.
    static func editAsWidget(_ program: URL, _ file: URL) throws -> (before: Double, peak: Double) {
        let child = try Child(program, [file.path])
        defer { child.end() }
        return (try child.lineAsNumber(), try child.lineAsNumber())
    }

    /// - Parameter program: `pull-rows`.
    init(_ program: URL, rows: Int, pageSize: Int, in folder: URL) throws {
        self.file = folder.appendingPathComponent("large-\(rows).db")
        let child = try Child(program, [self.file.path, String(rows), String(pageSize)])
        defer { child.end() }
        self.before = try child.lineAsNumber()
        self.peak = try child.lineAsNumber()
        self.cpu = try child.lineAsNumber()
    }
}
