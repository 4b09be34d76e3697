import Foundation

import CSystem

/// What memory a process has, in MiB.
enum Memory {
    /// The most that this process had so far.
    ///
    /// `getrusage` counts what the parent had before this program began (the kernel keeps it over `exec`), so `/proc` is asked
    /// where there is one.
    static var peak: Double {
        if let peak = self.status("VmHWM:") { return peak }
        return Double(ResourceUsage.ofThisProcess.ru_maxrss) / Self.perMebibyte
    }

    /// What this process has now; nil where that can't be told.
    static var resident: Double? { self.status("VmRSS:") }

    /// `ru_maxrss` is in KiB on Linux and in bytes on Apple's systems.
    static var perMebibyte: Double {
        #if os(Linux)
            1024
        #else
            1024 * 1024
        #endif
    }

    private static func status(_ key: String) -> Double? {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix(key) }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }.map { $0 / 1024 }
    }
}
