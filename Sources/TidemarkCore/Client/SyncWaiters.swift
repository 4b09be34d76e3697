import Synchronization
import TidemarkJSON
import TidemarkRules

/// The callers that wait for a sync that another caller runs. Each can leave separately, from any thread.
final class SyncWaiters: Sendable {
    /// The message to a waiting caller.
    enum Handover: Sendable {
        /// The sync has ended.
        case finished(CollectionReport)

        /// The caller that ran the sync was cancelled: this caller continues it.
        case becomeLeader
    }

    /// A place in the list of waiting callers.
    struct Place: Sendable {
        fileprivate let number: Int
        fileprivate let name: CodePointString
    }

    private typealias Continuation = CheckedContinuation<Result<Handover, TidemarkError>, Never>

    private struct Waiter {
        let number: Int

        /// Nil until the caller with this place begins to wait.
        var continuation: Continuation?
    }

    private struct State {
        var lastNumber = 0
        var waiters: [CodePointString: [Waiter]] = [:]

        /// The messages to callers that have a place and did not wait yet.
        var news: [Int: Result<Handover, TidemarkError>] = [:]

        /// Returns the continuations of removed waiters that already wait, and stores the message for the others.
        mutating func waiting(_ waiters: [Waiter], _ result: Result<Handover, TidemarkError>) -> [Continuation] {
            for waiter in waiters where waiter.continuation == nil { self.news[waiter.number] = result }
            return waiters.compactMap(\.continuation)
        }
    }

    private let state = Mutex(State())

    /// Removes waiters from the list, and resumes them after the lock is released: resuming a task takes a lock of that task,
    /// and a cancellation of the task holds that lock while it calls ``leave(_:)``.
    private func tell(_ result: Result<Handover, TidemarkError>, _ body: (inout State) -> [Waiter]) {
        let continuations = self.state.withLock { state in
            let waiters = body(&state)
            return state.waiting(waiters, result)
        }
        for continuation in continuations { continuation.resume(returning: result) }
    }

    /// Takes a place at once: other calls may run on the actor before ``news(at:)`` waits there, and the message for this
    /// place is kept.
    func join(_ collection: String) -> Place {
        let name = CodePointString(collection)
        return self.state.withLock { state in
            state.lastNumber += 1
            state.waiters[name, default: []].append(Waiter(number: state.lastNumber, continuation: nil))
            return Place(number: state.lastNumber, name: name)
        }
    }

    /// Waits for the message; call it once for each place. Throws ``TidemarkError/Code/cancelled`` if the task is cancelled
    /// before the message comes.
    func news(at place: Place) async throws(TidemarkError) -> Handover {
        let news = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let news = self.state.withLock { state in
                    if let index = state.waiters[place.name]?.firstIndex(where: { $0.number == place.number }) {
                        state.waiters[place.name]?[index].continuation = continuation
                    }
                    return state.news.removeValue(forKey: place.number)
                }
                if let news { continuation.resume(returning: news) }
            }
        } onCancel: {
            self.leave(place)
        }
        return try news.get()
    }

    /// The number of waiting callers.
    func count(in collection: String) -> Int {
        self.state.withLock { $0.waiters[CodePointString(collection)]?.count ?? 0 }
    }

    /// Sends a message to every waiting caller.
    func tell(_ result: Result<Handover, TidemarkError>, in collection: String) {
        self.tell(result) { $0.waiters.removeValue(forKey: CodePointString(collection)) ?? [] }
    }

    /// Lets the caller that has waited longest continue the sync; the others wait for that caller.
    func handOver(_ collection: String) {
        let name = CodePointString(collection)
        self.tell(.success(.becomeLeader)) { state in
            guard state.waiters[name]?.isEmpty == false else { return [] }
            return (state.waiters[name]?.removeFirst()).map { [$0] } ?? []
        }
    }

    /// Ends all waits with an error.
    func end(throwing error: TidemarkError) {
        self.tell(.failure(error)) { state in
            defer { state.waiters = [:] }
            return state.waiters.values.flatMap { $0 }
        }
    }

    private func leave(_ place: Place) {
        self.tell(.failure(.cancelled("The sync"))) { state in
            guard let index = state.waiters[place.name]?.firstIndex(where: { $0.number == place.number }) else {
                return []
            }
            return (state.waiters[place.name]?.remove(at: index)).map { [$0] } ?? []
        }
    }
}
