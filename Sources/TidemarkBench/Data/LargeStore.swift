import Foundation

/// A store with many records that are in step, made by a process of its own.
struct LargeStore {
    let file: URL

    /// What the process had at most, in MiB.
    let peak: Double

    /// What it used, in seconds.
    let cpu: Double

    init(rows: Int, pageSize: Int, in folder: URL) throws {
        self.file = folder.appendingPathComponent("large-\(rows).db")
        let child = try Child(.pull, [self.file.path, String(rows), String(pageSize)])
        defer { child.end() }
        self.peak = try child.lineAsNumber()
        self.cpu = try child.lineAsNumber()
    }
}
