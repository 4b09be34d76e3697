import Synchronization
public import TidemarkCore

/// A clock that only the test moves.
///
/// ```swift
/// let clock = ManualClock()
/// clock.advance(by: .seconds(300))         // sleepers until then wake up
/// ```
public final class ManualClock: TimeSource {
    private struct Sleeper {
        /// When it wakes up, by the steady time.
        let end: Duration
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var now: Duration
        /// How much time has passed, however often the clock was set back.
        var steady = Duration.zero
        var lastSleeper = 0
        var sleepers: [Int: Sleeper] = [:]

        /// Removes and returns the sleepers whose time has come.
        mutating func takeAwake() -> [CheckedContinuation<Bool, Never>] {
            let awake = self.sleepers.filter { $0.value.end <= self.steady }
            for number in awake.keys {
                self.sleepers[number] = nil
            }
            return awake.sorted { $0.key < $1.key }.map(\.value.continuation)
        }
    }

    private let state: Mutex<State>

    /// A clock with a time since 1970-01-01T00:00:00Z; by default a day in November 2025.
    public init(_ time: Duration = .seconds(1_763_000_000)) {
        self.state = Mutex(State(now: time))
    }

    /// The current time since 1970-01-01T00:00:00Z.
    public var now: Duration {
        self.state.withLock(\.now)
    }

    /// The current time in whole microseconds, the unit of the reference server's versions.
    public var microseconds: Int64 {
        let (seconds, attoseconds) = self.now.components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }

    /// The times until which tasks sleep, the earliest first.
    public var sleepers: [Duration] {
        self.state.withLock { state in state.sleepers.values.map { state.now + ($0.end - state.steady) }.sorted() }
    }

    /// Moves the clock. A negative time sets it back, as a user does: no time passes, and a task that sleeps continues to
    /// sleep for the rest of its duration.
    public func advance(by time: Duration) {
        self.change { $0 + time }
    }

    /// Sets the clock. To set it back is as ``advance(by:)`` with a negative time.
    public func set(to time: Duration) {
        self.change { _ in time }
    }

    /// Returns when as much time has passed as the clock lacks now, or throws `CancellationError` if the task is cancelled
    /// before that.
    public func sleep(until time: Duration) async throws {
        let number = self.state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        let isAwake = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.state.withLock { state in
                    let end = state.steady + (time - state.now)
                    state.sleepers[number] = Sleeper(end: end, continuation: continuation)
                }
                // Cancelled before it slept: the handler found no sleeper to wake.
                if Task.isCancelled {
                    self.wake(number)
                }
                self.change { $0 }
            }
        } onCancel: {
            self.wake(number)
        }
        guard isAwake else { throw CancellationError() }
    }

    private func change(_ body: (Duration) -> Duration) {
        let awake = self.state.withLock { state in
            let now = body(state.now)
            state.steady += max(now - state.now, .zero)
            state.now = now
            return state.takeAwake()
        }
        for continuation in awake {
            continuation.resume(returning: true)
        }
    }

    private func wake(_ number: Int) {
        self.state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation.resume(returning: false)
    }
}
