import Synchronization
import TidemarkRules

/// Hands the outcome of a write to whoever waits for it. It can be cancelled from any thread.
final class OutcomeHub: Sendable {
    /// Where the wait for a write stands.
    private enum Wait {
        /// Someone is about to wait.
        case expected

        case waiting(CheckedContinuation<Result<WriteOutcome, TidemarkError>, Never>)

        /// It was told before someone waited.
        case over(Result<WriteOutcome, TidemarkError>)
    }

    private let waits = Mutex<[Int: Wait]>([:])

    /// Says that ``outcome(of:)`` follows, at once: others may run on the actor before it waits there, and what they settle is
    /// kept.
    func expect(_ write: Int) {
        self.waits.withLock { $0[write] = .expected }
    }

    /// Waits for the outcome of a write that was expected; throws ``TidemarkError/Code/cancelled`` when the task is cancelled
    /// before.
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

    /// Ends every wait.
    func end(throwing error: TidemarkError) {
        for write in self.waits.withLock({ Array($0.keys) }) { self.end(write, .failure(error)) }
    }

    /// Who waits is told when the list is not held any more: to wake a task takes a lock of that task, and whoever cancels it
    /// holds that one while it comes here.
    private func end(_ write: Int, _ outcome: Result<WriteOutcome, TidemarkError>) {
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
