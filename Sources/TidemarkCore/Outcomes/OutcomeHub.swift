import Synchronization
import TidemarkRules

/// Hands the outcome of a write to whoever waits for it. It can be cancelled from any thread.
final class OutcomeHub: Sendable {
    private let waiting = Mutex<[Int: CheckedContinuation<Result<WriteOutcome, TidemarkError>, Never>]>([:])

    /// Waits for the outcome of a write; throws ``TidemarkError/Code/cancelled`` when the task is cancelled before.
    ///
    /// Runs on the caller's actor and is in the list before anything else runs there, so no outcome comes too early.
    func outcome(of write: Int) async throws(TidemarkError) -> WriteOutcome {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.waiting.withLock { $0[write] = continuation }
                // Cancelled before it stood in the list: the handler found no one.
                if Task.isCancelled { self.cancel(write) }
            }
        } onCancel: {
            self.cancel(write)
        }
        return try outcome.get()
    }

    func settle(_ write: Int, _ outcome: WriteOutcome) {
        self.waiting.withLock { $0.removeValue(forKey: write) }?.resume(returning: .success(outcome))
    }

    /// Ends every wait.
    func end(throwing error: TidemarkError) {
        let waiting = self.waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting.values.map(\.self)
        }
        for continuation in waiting { continuation.resume(returning: .failure(error)) }
    }

    private func cancel(_ write: Int) {
        self.waiting.withLock { $0.removeValue(forKey: write) }?
            .resume(returning: .failure(.cancelled("The wait for the outcome")))
    }
}
