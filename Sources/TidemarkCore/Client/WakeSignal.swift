import Synchronization

/// Lets callers wait until the client is awake. Each can leave separately, from any thread.
final class WakeSignal: Sendable {
    private struct State {
        var last = 0
        var waits: [Int: CheckedContinuation<Void, Never>] = [:]

        /// The waits that ended before they began.
        var ended: Set<Int> = []
    }

    private let state = Mutex(State())

    /// Waits for the next ``raise()``, or until the task is cancelled. It may return without a reason: ask again.
    func wait(isolation actor: isolated (any Actor)? = #isolation) async {
        let number = self.state.withLock { state in
            state.last += 1
            return state.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = self.state.withLock { state in
                    guard state.ended.remove(number) == nil else { return true }
                    state.waits[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let wait = self.state.withLock { state in
                if state.waits[number] == nil { state.ended.insert(number) }
                return state.waits.removeValue(forKey: number)
            }
            wait?.resume()
        }
        self.state.withLock { _ = $0.ended.remove(number) }
    }

    /// Resumes all callers.
    func raise() {
        let waits = self.state.withLock { state in
            defer { state.waits = [:] }
            return state.waits.values
        }
        for wait in waits { wait.resume() }
    }
}
