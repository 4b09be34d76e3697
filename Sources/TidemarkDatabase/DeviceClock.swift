import CSystem

/// The system's clock. `Date` gives the same time, but would bring Foundation into every app.
package enum DeviceClock {
    /// The time, from 1970-01-01T00:00:00Z.
    package static var now: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
