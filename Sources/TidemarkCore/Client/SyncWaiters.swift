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

    private typealias Continuation = CheckedContinuation<Result<News, TidemarkError>, Never>

    private struct Waiter {
        let number: Int

        /// Nil while whoever has the place does not wait yet.
        var continuation: Continuation?
    }

    private struct State {
        var lastNumber = 0
        var waiters: [CodePointString: [Waiter]] = [:]

        /// What was told to those who have a place and did not wait yet.
        var news: [Int: Result<News, TidemarkError>] = [:]

        /// Those of some who are in no list any more that wait; what is told to the others is kept.
        mutating func waiting(_ waiters: [Waiter], _ result: Result<News, TidemarkError>) -> [Continuation] {
            for waiter in waiters where waiter.continuation == nil { self.news[waiter.number] = result }
            return waiters.compactMap(\.continuation)
        }
    }

    private let state = Mutex(State())

    /// Takes waiters out of the list, and tells them. Not while the list is held: to wake a task takes a lock of that task, and
    /// whoever cancels it holds that one while it comes here.
    private func tell(_ result: Result<News, TidemarkError>, _ body: (inout State) -> [Waiter]) {
        let continuations = self.state.withLock { state in
            let waiters = body(&state)
            return state.waiting(waiters, result)
        }
        for continuation in continuations { continuation.resume(returning: result) }
    }

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

    /// How many wait.
    func count(in collection: String) -> Int {
        self.state.withLock { $0.waiters[CodePointString(collection)]?.count ?? 0 }
    }

    /// Tells everyone.
    func tell(_ result: Result<News, TidemarkError>, in collection: String) {
        self.tell(result) { $0.waiters.removeValue(forKey: CodePointString(collection)) ?? [] }
    }

    /// Lets the one who has waited longest carry the sync on; the others wait for that one.
    func handOver(_ collection: String) {
        let name = CodePointString(collection)
        self.tell(.success(.takeOver)) { state in
            guard state.waiters[name]?.isEmpty == false else { return [] }
            return (state.waiters[name]?.removeFirst()).map { [$0] } ?? []
        }
    }

    /// Lets everyone go, whatever they wait for.
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
