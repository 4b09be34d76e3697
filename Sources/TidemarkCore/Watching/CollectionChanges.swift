import TidemarkJSON

/// The changes of a collection from the moment it was made; see ``SyncCollection/changes``.
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
                    // It may have been told something just before the end.
                    return Task.isCancelled ? nil : self.subscription.watcher.next()
                }
            }
            return nil
        }
    }
}

extension SyncCollection {
    /// The changes from now on: the app's, the server's, merges, resignations, conflicts and holds.
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
    /// It tells what happened, one by one, for a log or an index. What is on a screen follows ``values(as:dates:)``, which
    /// begins with what is there. For a listener that is slow ``CollectionChange/limit`` changes are kept; when there are
    /// more, ``CollectionChange/all`` comes in their place, so that nothing is missed without a word. It ends when the
    /// client is closed, and at once where the client was made for other collections only.
    public var changes: some AsyncSequence<CollectionChange, Never> & Sendable {
        let listener = ChangeListener()
        let isKnown = (try? self.client.collections.use(self.name, isNew: true)) != nil
        if !isKnown { listener.finish() }
        return CollectionChanges(
            subscription: self.client.hub.watch(.collection(CodePointString(self.name)), listener))
    }
}
