import CSystem

/// The machine's clock, for a server outside of tests.
public enum WallClock {
    /// Microseconds since 1970.
    public static func microseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
