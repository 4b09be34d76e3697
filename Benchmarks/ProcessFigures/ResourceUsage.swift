import CSystem

/// The kernel's resource figures of processes.
package struct ResourceUsage {
    /// CPU time in seconds, in user space and in the kernel.
    package let cpu: Double

    /// The highest peak memory of one process, in MiB.
    package let peak: Double

    package static var ofThisProcess: ResourceUsage {
        #if os(Linux)
            ResourceUsage(of: RUSAGE_SELF.rawValue)
        #else
            ResourceUsage(of: RUSAGE_SELF)
        #endif
    }

    /// The figures of all children that have ended.
    package static var ofChildren: ResourceUsage {
        #if os(Linux)
            ResourceUsage(of: RUSAGE_CHILDREN.rawValue)
        #else
            ResourceUsage(of: RUSAGE_CHILDREN)
        #endif
    }

    private init(of whom: Int32) {
        var usage = rusage()
        unsafe getrusage(whom, &usage)
        self.cpu = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
        self.peak = Double(usage.ru_maxrss) / Self.perMebibyte
    }

    /// `ru_maxrss` is in KiB on Linux and in bytes on Apple's systems.
    private static var perMebibyte: Double {
        #if os(Linux)
            1024
        #else
            1024 * 1024
        #endif
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}
