internal import Synchronization

/// A clock that moves only when a test moves it.
///
/// ```swift
/// let clock = ManualClock()
/// clock.advance(by: .seconds(300))
/// ```
public final class ManualClock: Sendable {
    private let time: Mutex<Duration>

    /// A clock that shows a time, counted from 1970-01-01T00:00:00Z; some day in November 2025 when none is given.
    public init(_ time: Duration = .seconds(1_763_000_000)) {
        self.time = Mutex(time)
    }

    /// The time it shows, counted from 1970-01-01T00:00:00Z.
    public var now: Duration {
        self.time.withLock { $0 }
    }

    /// The same in whole microseconds, as the reference server counts its versions.
    public var microseconds: Int64 {
        let (seconds, attoseconds) = self.now.components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }

    /// Moves the clock; a negative time moves it back, as a person may who sets a watch.
    public func advance(by time: Duration) {
        self.time.withLock { $0 += time }
    }

    /// Sets the clock.
    public func set(to time: Duration) {
        self.time.withLock { $0 = time }
    }
}
