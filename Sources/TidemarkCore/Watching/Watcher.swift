import Synchronization
import TidemarkJSON
import TidemarkRules

/// A receiver of changes. It is called on the client's actor: it stores the change, and returns.
protocol Watcher: Sendable {
    /// The app is notified of a change.
    func tell(_ change: RecordChange)

    /// The item with this name may have changed.
    func touch(_ name: CodePointString)

    /// Any item may have changed.
    func touchAll()

    /// There will be no more changes.
    func finish()
}

/// Wakes a waiting task; several raises before it wakes count as one.
struct Signal: Sendable {
    let raises: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (self.raises, self.continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func raise() { self.continuation.yield() }

    func finish() { self.continuation.finish() }
}

/// A watcher for readers of the present state: it keeps only the names of changed items.
final class ChangeWatch: Watcher {
    let signal = Signal()
    private let names = Mutex(ChangedNames.some([]))

    /// Returns the names since the last call.
    func take() -> ChangedNames {
        self.names.withLock { names in
            defer { names = .some([]) }
            return names
        }
    }

    /// Each change that the app is notified of is touched as well.
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

/// A watcher that keeps the changes that the app is notified of, in order.
final class ChangeListener: Watcher {
    let signal = Signal()
    private let queue = Mutex(ChangeQueue())

    /// Removes and returns the oldest change, or nil.
    func next() -> CollectionChange? {
        self.queue.withLock { $0.next() }
    }

    func tell(_ change: RecordChange) {
        self.queue.withLock { $0.append(change) }
        self.signal.raise()
    }

    /// Ignored: this watcher delivers only changes that the app is notified of, not each new phase.
    func touch(_ name: CodePointString) {}

    func touchAll() {
        self.queue.withLock { $0.appendAll() }
        self.signal.raise()
    }

    func finish() { self.signal.finish() }
}

/// A registration of a watcher; it ends when this is deinitialized.
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

/// The watch of a sequence: its reader looks, and waits for a change before it looks again.
struct ChangeReader {
    /// Nil at the end.
    private var subscription: Subscription<ChangeWatch>?
    private var raises: AsyncStream<Void>.Iterator

    /// Watches from now on: the first look includes the changes before it.
    init(_ topic: ChangeHub.Topic, of client: SyncClient) {
        let watch = ChangeWatch()
        self.subscription = client.hub.watch(topic, watch)
        self.raises = watch.signal.raises.makeAsyncIterator()
    }

    /// Watches a collection.
    ///
    /// - Parameter wish: Wakes the reader as well when it changes.
    init(of collection: SyncCollection, wish: ListWish? = nil) {
        self.init(.collection(CodePointString(collection.name)), in: collection)
        if let watch { wish?.raise(watch.signal) }
    }

    /// Watches a topic within a collection, which is synced from now on. An invalid name is an error of the first look.
    init(_ topic: ChangeHub.Topic, in collection: SyncCollection) {
        try? collection.client.collections.use(collection.name, isNew: true)
        self.init(topic, of: collection.client)
    }

    /// The names of changed records; nil at the end.
    var watch: ChangeWatch? { self.subscription?.watcher }

    /// - Returns: Whether there may be a change; false at the end.
    mutating func wait(isolation actor: isolated (any Actor)?) async -> Bool {
        await self.raises.next(isolation: actor) != nil
    }

    mutating func end() { self.subscription = nil }

    /// Ends. A client that was closed and a task that was cancelled are no errors of a sequence.
    mutating func end(by error: TidemarkError) throws(TidemarkError) {
        self.end()
        guard error.code == .clientClosed || error.code == .cancelled else { throw error }
    }
}
