import Synchronization
import TidemarkRules

/// Delivers the outcome of a write to the caller that waits for it. It can be cancelled from any thread.
final class OutcomeHub: Sendable {
    /// The state of a wait for a write.
    private enum Wait {
        /// A caller is about to wait.
        case expected

        case waiting(CheckedContinuation<Result<WriteOutcome, TidemarkError>, Never>)

        /// The outcome was delivered before the caller waited.
        case over(Result<WriteOutcome, TidemarkError>)
    }

    private let waits = Mutex<[Int: Wait]>([:])

    /// Prepares for a call of ``outcome(of:)``: other calls may run on the actor before it waits there, and the outcome that
    /// they deliver is kept.
    func expect(_ write: Int) {
        self.waits.withLock { $0[write] = .expected }
    }

    /// Waits for the outcome of an expected write; throws ``TidemarkError/Code/cancelled`` if the task is cancelled before
    /// the outcome is known.
    func outcome(of write: Int) async throws(TidemarkError) -> WriteOutcome {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome = self.waits.withLock { waits -> Result<WriteOutcome, TidemarkError>? in
                    guard case .over(let outcome) = waits.removeValue(forKey: write) else {
                        waits[write] = .waiting(continuation)
                        return nil
                    }
                    return outcome
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            self.end(write, .failure(.cancelled("The wait for the outcome")))
        }
        return try outcome.get()
    }

    func settle(_ write: Int, _ outcome: WriteOutcome) {
        self.end(write, .success(outcome))
    }

    func end(throwing error: TidemarkError) {
        for write in self.waits.withLock({ Array($0.keys) }) { self.end(write, .failure(error)) }
    }

    /// The number of callers that wait.
    var count: Int { self.waits.withLock { $0.count } }

    /// Resumes the caller after the lock is released: resuming a task takes a lock of that task, and a cancellation of the task
    /// holds that lock while it calls this function.
    func end(_ write: Int, _ outcome: Result<WriteOutcome, TidemarkError>) {
        let continuation = self.waits.withLock {
            waits -> CheckedContinuation<Result<WriteOutcome, TidemarkError>, Never>? in
            switch waits[write] {
            case .expected:
                waits[write] = .over(outcome)
                return nil
            case .waiting(let continuation):
                waits[write] = nil
                return continuation
            case .over, nil: return nil
            }
        }
        continuation?.resume(returning: outcome)
    }
}
