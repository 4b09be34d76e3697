public import TidemarkCore
import TidemarkDatabase

/// The device's clock. It decides only how long to wait; no decision about data uses it.
public struct SystemTime: TimeSource {
    /// Makes the clock.
    public init() {}

    /// The time since 1970-01-01T00:00:00Z.
    public var now: Duration {
        DeviceClock.now
    }

    /// Returns at that time, or throws if the task is cancelled before that time.
    public func sleep(until time: Duration) async throws {
        try await Task.sleep(for: time - self.now)
    }
}
