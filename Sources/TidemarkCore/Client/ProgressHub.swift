import Synchronization
import TidemarkJSON

/// Collects the progress of each collection, and sends the whole to every listener.
final class ProgressHub: Sendable {
    typealias Listener = @Sendable (SyncStatus.Progress) -> Void

    private struct State {
        var parts: [SyncStatus.CollectionProgress] = []
        var listeners: [Int: Listener] = [:]
        var streams: [Int: AsyncStream<SyncStatus.Progress>.Continuation] = [:]
        var last = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Returns a stream of the newest progress and each later one. A value that is not read yet is replaced by the next.
    func stream() -> AsyncStream<SyncStatus.Progress> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SyncStatus.Progress.self, bufferingPolicy: .bufferingNewest(1))
        let number = self.add { progress in continuation.yield(progress) }
        let isFinished = self.state.withLock { state in
            state.streams[number] = state.isFinished ? nil : continuation
            return state.isFinished
        }
        if isFinished { continuation.finish() }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    /// Calls a listener with the present progress if a sync is running, and with each later progress.
    ///
    /// - Returns: The number with which ``remove(_:)`` removes the listener.
    func add(_ listener: @escaping Listener) -> Int {
        let (number, parts) = self.state.withLock { state in
            state.last += 1
            if !state.isFinished { state.listeners[state.last] = listener }
            return (state.last, state.parts)
        }
        let progress = SyncStatus.Progress(collections: parts)
        if progress.isSyncing { listener(progress) }
        return number
    }

    /// The progress of the running syncs, and of those that ended last.
    var present: SyncStatus.Progress { SyncStatus.Progress(collections: self.state.withLock { $0.parts }) }

    func remove(_ number: Int) {
        self.state.withLock { state in
            state.listeners[number] = nil
            state.streams[number] = nil
        }
    }

    func tell(_ part: SyncStatus.CollectionProgress) {
        let (progress, listeners) = self.state.withLock { state in
            state.parts.take(part)
            return (SyncStatus.Progress(collections: state.parts), Array(state.listeners.values))
        }
        for listener in listeners { listener(progress) }
    }

    /// Ends the progress of a collection whose sync ended without a report because the store failed.
    func end(_ collection: String) {
        let name = CodePointString(collection)
        let part = self.state.withLock { $0.parts.first { CodePointString($0.collection) == name } }
        guard let part, !part.isOver else { return }
        self.tell(
            SyncStatus.CollectionProgress(
                collection: part.collection, received: part.received, left: part.left, sent: part.sent, isOver: true))
    }

    /// Ends every stream, and each stream that is made later.
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

extension [SyncStatus.CollectionProgress] {
    /// Adds or replaces the progress of a collection. A collection that starts a new sync starts a new count: the finished ones
    /// are removed.
    fileprivate mutating func take(_ part: SyncStatus.CollectionProgress) {
        let name = CodePointString(part.collection)
        let place = self.firstIndex { CodePointString($0.collection) == name }
        guard let place else { return self.append(part) }
        guard self[place].isOver else { return self[place] = part }
        self.removeAll(where: \.isOver)
        self.append(part)
    }
}
