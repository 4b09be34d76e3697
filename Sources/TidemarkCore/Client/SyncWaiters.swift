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

    /// A place in the list of those who wait.
    struct Place: Sendable {
        fileprivate let number: Int
        fileprivate let name: CodePointString
    }

    private struct Waiter {
        let number: Int

        /// Nil while whoever has the place does not wait yet.
        var continuation: CheckedContinuation<Result<News, TidemarkError>, Never>?
    }

    private struct State {
        var lastNumber = 0
        var waiters: [CodePointString: [Waiter]] = [:]

        /// What was told to those who have a place and did not wait yet.
        var news: [Int: Result<News, TidemarkError>] = [:]

        /// Tells someone who is in no list any more.
        mutating func tell(_ waiter: Waiter, _ result: Result<News, TidemarkError>) {
            guard let continuation = waiter.continuation else { return self.news[waiter.number] = result }
            continuation.resume(returning: result)
        }
    }

    private let state = Mutex(State())

    /// Takes a place, at once: others may run on the actor before ``news(at:)`` waits there, and what they tell is kept.
    func join(_ collection: String) -> Place {
        let name = CodePointString(collection)
        return self.state.withLock { state in
            state.lastNumber += 1
            state.waiters[name, default: []].append(Waiter(number: state.lastNumber, continuation: nil))
            return Place(number: state.lastNumber, name: name)
        }
    }

    /// Waits; throws ``TidemarkError/Code/cancelled`` when the task is cancelled before there is news. Once for each place.
    func news(at place: Place) async throws(TidemarkError) -> News {
        let news = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.state.withLock { state in
                    if let news = state.news.removeValue(forKey: place.number) {
                        continuation.resume(returning: news)
                    } else if let index = state.waiters[place.name]?.firstIndex(where: { $0.number == place.number }) {
                        state.waiters[place.name]?[index].continuation = continuation
                    }
                }
            }
        } onCancel: {
            self.leave(place)
        }
        return try news.get()
    }

    /// How many wait.
    func count(in collection: String) -> Int {
        self.state.withLock { $0.waiters[CodePointString(collection)]?.count ?? 0 }
    }

    /// Tells everyone.
    func tell(_ result: Result<News, TidemarkError>, in collection: String) {
        self.state.withLock { state in
            for waiter in state.waiters.removeValue(forKey: CodePointString(collection)) ?? [] {
                state.tell(waiter, result)
            }
        }
    }

    /// Lets the one who has waited longest carry the sync on; the others wait for that one.
    func handOver(_ collection: String) {
        let name = CodePointString(collection)
        self.state.withLock { state in
            guard state.waiters[name]?.isEmpty == false, let first = state.waiters[name]?.removeFirst() else { return }
            state.tell(first, .success(.takeOver))
        }
    }

    /// Lets everyone go, whatever they wait for.
    func end(throwing error: TidemarkError) {
        self.state.withLock { state in
            let waiters = state.waiters.values.flatMap { $0 }
            state.waiters = [:]
            for waiter in waiters { state.tell(waiter, .failure(error)) }
        }
    }

    private func leave(_ place: Place) {
        self.state.withLock { state in
            guard let index = state.waiters[place.name]?.firstIndex(where: { $0.number == place.number }),
                let waiter = state.waiters[place.name]?.remove(at: index)
            else { return }
            state.tell(waiter, .failure(.cancelled("The sync")))
        }
    }
}
