import TidemarkJSON

/// The changes of a collection since this value was made; see ``SyncCollection/changes``.
struct CollectionChanges: AsyncSequence {
    let subscription: Subscription<ChangeListener>

    func makeAsyncIterator() -> Iterator {
        Iterator(subscription: self.subscription, raises: self.subscription.watcher.signal.raises.makeAsyncIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
        let subscription: Subscription<ChangeListener>
        var raises: AsyncStream<Void>.Iterator

        mutating func next(isolation actor: isolated (any Actor)?) async -> CollectionChange? {
            while !Task.isCancelled {
                if let change = self.subscription.watcher.next() { return change }
                guard await self.raises.next(isolation: actor) != nil else {
                    // A change may have been added just before the end.
                    return Task.isCancelled ? nil : self.subscription.watcher.next()
                }
            }
            return nil
        }
    }
}

extension SyncCollection {
    /// The changes from now on: of the app, of the server, merges, resignations, conflicts and holds.
    ///
    /// ```swift
    /// for await change in notes.changes {
    ///     switch change {
    ///     case .record(let change): print(change.pk, change.origin)
    ///     case .all: print("look at every record again")
    ///     }
    /// }
    /// ```
    ///
    /// The sequence delivers each change, for a log or an index. For a view use ``observe()``, which begins with the
    /// present records. For a slow reader ``CollectionChange/limit`` changes are kept; if there are more, ``CollectionChange/all``
    /// replaces them, so that no change is missed silently. The sequence ends when the client is closed, and at once if the
    /// client was made for other collections only.
    public var changes: some AsyncSequence<CollectionChange, Never> & Sendable {
        let listener = ChangeListener()
        let isKnown = (try? self.client.collections.use(self.name, isNew: true)) != nil
        if !isKnown { listener.finish() }
        let subscription = self.client.hub.watch(.collection(CodePointString(self.name)), listener)
        // Other sequences begin with a read, which opens a store that was handed over.
        if isKnown { Task { [client] in await client.comeBackSoon() } }
        return CollectionChanges(subscription: subscription)
    }
}
