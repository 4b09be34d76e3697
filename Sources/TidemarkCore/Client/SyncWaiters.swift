import Synchronization
import TidemarkJSON
import TidemarkRules

/// Those who wait for a sync that another caller carries. Each can leave by itself, from any thread.
final class SyncWaiters: Sendable {
    /// What someone who waited is told.
    enum News: Sendable {
        /// The sync is over.
        case finished(CollectionReport)

        /// Whoever carried the sync has gone: it is to be carried on.
        case takeOver
    }

    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<Result<News, TidemarkError>, Never>
    }

    private struct State {
        var lastNumber = 0
        var waiters: [CodePointString: [Waiter]] = [:]
    }

    private let state = Mutex(State())

    /// Waits; throws ``TidemarkError/Code/cancelled`` when the task is cancelled before there is news.
    ///
    /// Runs on the caller's actor and is in the list before anything else runs there, so no news comes too early.
    func news(of collection: String) async throws(TidemarkError) -> News {
        let name = CodePointString(collection)
        let number = self.state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let news = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(number: number, continuation: continuation)
                self.state.withLock { $0.waiters[name, default: []].append(waiter) }
                // Cancelled before it stood in the list: the handler found no one.
                if Task.isCancelled { self.leave(number, name) }
            }
        } onCancel: {
            self.leave(number, name)
        }
        return try news.get()
    }

    /// How many wait.
    func count(in collection: String) -> Int {
        self.state.withLock { $0.waiters[CodePointString(collection)]?.count ?? 0 }
    }

    /// Tells everyone.
    func tell(_ result: Result<News, TidemarkError>, in collection: String) {
        let waiters = self.state.withLock { $0.waiters.removeValue(forKey: CodePointString(collection)) }
        for waiter in waiters ?? [] { waiter.continuation.resume(returning: result) }
    }

    /// Lets the one who has waited longest carry the sync on; the others wait for that one.
    func handOver(_ collection: String) {
        let name = CodePointString(collection)
        let first = self.state.withLock { state -> Waiter? in
            guard state.waiters[name]?.isEmpty == false else { return nil }
            return state.waiters[name]?.removeFirst()
        }
        first?.continuation.resume(returning: .success(.takeOver))
    }

    /// Lets everyone go, whatever they wait for.
    func end(throwing error: TidemarkError) {
        let waiters = self.state.withLock { state in
            defer { state.waiters = [:] }
            return state.waiters.values.flatMap { $0 }
        }
        for waiter in waiters { waiter.continuation.resume(returning: .failure(error)) }
    }

    private func leave(_ number: Int, _ name: CodePointString) {
        let waiter = self.state.withLock { state -> Waiter? in
            guard let place = state.waiters[name]?.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiters[name]?.remove(at: place)
        }
        waiter?.continuation.resume(returning: .failure(.cancelled("The sync")))
    }
}
