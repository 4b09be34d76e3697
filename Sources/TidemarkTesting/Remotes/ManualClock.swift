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
        let time: Duration
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var now: Duration
        var lastSleeper = 0
        var sleepers: [Int: Sleeper] = [:]

        /// Removes and returns the sleepers whose time has come.
        mutating func takeAwake() -> [CheckedContinuation<Bool, Never>] {
            let awake = self.sleepers.filter { $0.value.time <= self.now }
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
        self.state.withLock { $0.sleepers.values.map(\.time).sorted() }
    }

    /// Moves the clock; a negative time moves it back, as when the user sets the clock.
    public func advance(by time: Duration) {
        self.change { $0 += time }
    }

    /// Sets the clock.
    public func set(to time: Duration) {
        self.change { $0 = time }
    }

    /// Returns when the clock has reached that time, or throws `CancellationError` if the task is cancelled before that
    /// time.
    public func sleep(until time: Duration) async throws {
        let number = self.state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        let isAwake = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.state.withLock { $0.sleepers[number] = Sleeper(time: time, continuation: continuation) }
                // Cancelled before it slept: the handler found no sleeper to wake.
                if Task.isCancelled {
                    self.wake(number)
                }
                self.change { _ in }
            }
        } onCancel: {
            self.wake(number)
        }
        guard isAwake else { throw CancellationError() }
    }

    private func change(_ body: (inout Duration) -> Void) {
        let awake = self.state.withLock { state in
            body(&state.now)
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
