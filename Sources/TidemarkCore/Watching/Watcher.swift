import Synchronization
import TidemarkJSON

/// One who wants to know when something changes. Called on the client's actor: it keeps what it is told, and returns.
protocol Watcher: Sendable {
    /// The app is told of a change.
    func tell(_ change: RecordChange)

    /// Something of this name is not what it was. It may be said although nothing changed.
    func touch(_ name: CodePointString)

    /// Anything may have changed.
    func touchAll()

    /// There will be no more.
    func finish()
}

/// Wakes one who waits; that it was raised several times before someone looked is one time.
struct Signal: Sendable {
    let raises: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (self.raises, self.continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func raise() { self.continuation.yield() }

    func finish() { self.continuation.finish() }
}

/// A watcher that reads what is there: it keeps only the names of what changed.
final class ChangeWatch: Watcher {
    let signal = Signal()
    private let names = Mutex(ChangedNames.some([]))

    /// What changed since this was asked last.
    func take() -> ChangedNames {
        self.names.withLock { names in
            defer { names = .some([]) }
            return names
        }
    }

    /// What the app is told is touched as well.
    func tell(_ change: RecordChange) {}

    func touch(_ name: CodePointString) {
        self.names.withLock { $0.insert(name) }
        self.signal.raise()
    }

    func touchAll() {
        self.names.withLock { $0 = .all }
        self.signal.raise()
    }

    func finish() { self.signal.finish() }
}

/// A watcher that keeps what the app is told, in its order.
final class ChangeListener: Watcher {
    let signal = Signal()
    private let queue = Mutex(ChangeQueue())

    /// Takes the oldest change; nil when none waits.
    func next() -> CollectionChange? {
        self.queue.withLock { $0.next() }
    }

    func tell(_ change: RecordChange) {
        self.queue.withLock { $0.append(change) }
        self.signal.raise()
    }

    /// Where the record stands is not what the app is told here, but what came of it.
    func touch(_ name: CodePointString) {}

    func touchAll() {
        self.queue.withLock { $0.appendAll() }
        self.signal.raise()
    }

    func finish() { self.signal.finish() }
}

/// A watcher that is told things for as long as this is kept.
final class Subscription<Watching: Watcher>: Sendable {
    let watcher: Watching
    private let leave: @Sendable () -> Void

    init(_ watcher: Watching, leave: @escaping @Sendable () -> Void) {
        self.watcher = watcher
        self.leave = leave
    }

    deinit {
        self.leave()
    }
}
