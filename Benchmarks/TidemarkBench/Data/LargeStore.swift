import Foundation

/// A store with many records that are in step, made by a process like an app's.
struct LargeStore {
    let file: URL

    /// What the process had before it began, in MiB.
    let before: Double

    /// What the process had at most, in MiB.
    let peak: Double

    /// What it used, in seconds.
    let cpu: Double

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
