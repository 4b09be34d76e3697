import Synchronization
import TidemarkJSON

/// Puts together how far each collection is, and hands that to everyone who listens.
final class ProgressHub: Sendable {
    typealias Listener = @Sendable (SyncProgress) -> Void

    private struct State {
        var parts: [CollectionProgress] = []
        var listeners: [Int: Listener] = [:]
        var streams: [Int: AsyncStream<SyncProgress>.Continuation] = [:]
        var last = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// The newest progress, and each that follows. One that no one has looked at yet gives way to the next.
    func stream() -> AsyncStream<SyncProgress> {
        let (stream, continuation) = AsyncStream.makeStream(of: SyncProgress.self, bufferingPolicy: .bufferingNewest(1))
        let number = self.add { progress in continuation.yield(progress) }
        let isFinished = self.state.withLock { state in
            state.streams[number] = state.isFinished ? nil : continuation
            return state.isFinished
        }
        if isFinished { continuation.finish() }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    /// Calls a listener with what is known of a sync that goes on, and with each progress that follows.
    ///
    /// - Returns: The number under which ``remove(_:)`` takes the listener away.
    func add(_ listener: @escaping Listener) -> Int {
        let (number, parts) = self.state.withLock { state in
            state.last += 1
            if !state.isFinished { state.listeners[state.last] = listener }
            return (state.last, state.parts)
        }
        let progress = SyncProgress(collections: parts)
        if progress.isSyncing { listener(progress) }
        return number
    }

    /// What is known of the syncs that go on, and of those that ended last.
    var present: SyncProgress { SyncProgress(collections: self.state.withLock { $0.parts }) }

    func remove(_ number: Int) {
        self.state.withLock { state in
            state.listeners[number] = nil
            state.streams[number] = nil
        }
    }

    func tell(_ part: CollectionProgress) {
        let (progress, listeners) = self.state.withLock { state in
            state.parts.take(part)
            return (SyncProgress(collections: state.parts), Array(state.listeners.values))
        }
        for listener in listeners { listener(progress) }
    }

    /// The sync of a collection ended without a report: the store failed.
    func end(_ collection: String) {
        let name = CodePointString(collection)
        let part = self.state.withLock { $0.parts.first { CodePointString($0.collection) == name } }
        guard let part, !part.isOver else { return }
        self.tell(
            CollectionProgress(
                collection: part.collection, received: part.received, left: part.left, sent: part.sent, isOver: true))
    }

    /// Ends every stream, and those that are asked for later.
    func finish() {
        let streams = self.state.withLock { state in
            defer { (state.listeners, state.streams, state.isFinished) = ([:], [:], true) }
            return Array(state.streams.values)
        }
        for stream in streams { stream.finish() }
    }

    deinit {
        self.finish()
    }
}

extension [CollectionProgress] {
    /// Puts what is known of a collection in its place. A collection that begins anew begins a new count: what is over goes.
    fileprivate mutating func take(_ part: CollectionProgress) {
        let name = CodePointString(part.collection)
        let place = self.firstIndex { CodePointString($0.collection) == name }
        guard let place else { return self.append(part) }
        guard self[place].isOver else { return self[place] = part }
        self.removeAll(where: \.isOver)
        self.append(part)
    }
}
