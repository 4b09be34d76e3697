import Synchronization
import TidemarkJSON

/// Hands each change to everyone who listens.
final class ChangeHub: Sendable {
    private struct Listener {
        var collection: CodePointString
        var continuation: AsyncStream<Change>.Continuation
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var last = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// The changes of a collection from now on. A listener that is slow misses none: they wait for it.
    func changes(of collection: String) -> AsyncStream<Change> {
        let (stream, continuation) = AsyncStream.makeStream(of: Change.self)
        let number = self.state.withLock { state in
            state.last += 1
            guard !state.isFinished else { return nil as Int? }
            state.listeners[state.last] = Listener(
                collection: CodePointString(collection), continuation: continuation)
            return state.last
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    func tell(_ change: Change) {
        let collection = CodePointString(change.collection)
        let listeners = self.state.withLock { state in
            state.listeners.values.filter { $0.collection == collection }.map(\.continuation)
        }
        for listener in listeners { listener.yield(change) }
    }

    /// Ends every stream, and those that are asked for later.
    func finish() {
        let listeners = self.state.withLock { state in
            defer { state.listeners = [:] }
            state.isFinished = true
            return state.listeners.values.map(\.continuation)
        }
        for listener in listeners { listener.finish() }
    }

    deinit {
        self.finish()
    }

    private func remove(_ number: Int) {
        self.state.withLock { state in state.listeners[number] = nil }
    }
}
