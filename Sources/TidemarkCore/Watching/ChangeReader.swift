import Synchronization
import TidemarkJSON
import TidemarkRules

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

/// A watcher for readers of the present state: it keeps only the names of changed items. Each transition of a record touches it
/// (`SyncClient.init`); beyond ``ChangedNames/limit`` names it is `all`.
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
    init<Value>(of collection: SyncCollection<Value>, wish: ListWish? = nil) {
        self.init(.collection(CodePointString(collection.name)), in: collection)
        if let watch { wish?.raise(watch.signal) }
    }

    /// Watches a topic within a collection, which is synced from now on. An invalid name is an error of the first look.
    init<Value>(_ topic: ChangeHub.Topic, in collection: SyncCollection<Value>) {
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
