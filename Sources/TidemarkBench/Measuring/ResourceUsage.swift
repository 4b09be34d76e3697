import Foundation

import CSystem

/// What the kernel has counted.
enum ResourceUsage {
    static var ofThisProcess: rusage {
        #if os(Linux)
            self.read(RUSAGE_SELF.rawValue)
        #else
            self.read(RUSAGE_SELF)
        #endif
    }

    /// Of all children together that have ended.
    static var ofChildren: rusage {
        #if os(Linux)
            self.read(RUSAGE_CHILDREN.rawValue)
        #else
            self.read(RUSAGE_CHILDREN)
        #endif
    }

    private static func read(_ who: Int32) -> rusage {
        var usage = rusage()
        unsafe getrusage(who, &usage)
        return usage
    }
}
