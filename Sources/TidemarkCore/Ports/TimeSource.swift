/// A clock, and a way to wait.
///
/// **Use an existing one.** `SystemTime` of `Tidemark`; `ManualClock` of `TidemarkTesting`, whose time a test moves.
///
/// No decision about data uses the device's clock (Contract §5): the clock decides only how long to wait.
public protocol TimeSource: Sendable {
    /// The time since 1970-01-01T00:00:00Z.
    var now: Duration { get }

    /// Returns at a time, since 1970-01-01T00:00:00Z, or throws if the task is cancelled before that time.
    func sleep(until time: Duration) async throws
}
