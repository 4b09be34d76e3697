/// What memory this process has, in MiB.
package enum Memory {
    /// The most that it had so far.
    ///
    /// `getrusage` counts what the parent had before this program began (the kernel keeps it over `exec`), so `/proc` is asked
    /// where there is one.
    package static var peak: Double { self.status("VmHWM:") ?? ResourceUsage.ofThisProcess.peak }

    /// What it has now; nil where that can't be told.
    package static var resident: Double? { self.status("VmRSS:") }

    private static func status(_ key: String) -> Double? {
        let line = SmallFile.text("/proc/self/status").split(separator: "\n").first { $0.hasPrefix(key) }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }.map { $0 / 1024 }
    }
}
