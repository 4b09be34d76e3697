/// The memory of this process, in MiB.
package enum Memory {
    /// The peak so far.
    ///
    /// `getrusage` includes the peak of the parent before this program began (the kernel keeps it over `exec`), so `/proc` is
    /// read if the system has it.
    package static var peak: Double { self.status("VmHWM:") ?? ResourceUsage.ofThisProcess.peak }

    /// The present size; nil if the system does not report it.
    package static var resident: Double? { self.status("VmRSS:") }

    private static func status(_ key: String) -> Double? {
        let line = SmallFile.text("/proc/self/status").split(separator: "\n").first { $0.hasPrefix(key) }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }.map { $0 / 1024 }
    }
}
