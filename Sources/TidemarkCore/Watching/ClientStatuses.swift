import TidemarkJSON
public import TidemarkRules

/// How a client stands, now and whenever that changes; see ``SyncClient/statuses``.
struct ClientStatuses: AsyncSequence {
    let client: SyncClient

    /// Watches from here on: what changes before the first look is seen with it.
    func makeAsyncIterator() -> Iterator {
        let watch = ChangeWatch()
        return Iterator(
            client: self.client, subscription: self.client.hub.watch(.client, watch),
            raises: watch.signal.raises.makeAsyncIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
        let client: SyncClient

        /// Nil at the end.
        var subscription: Subscription<ChangeWatch>?
        var raises: AsyncStream<Void>.Iterator

        /// What was seen last, by collection: only what changed is counted again.
        private var last: [CodePointString: CollectionStatus]?

        init(client: SyncClient, subscription: Subscription<ChangeWatch>, raises: AsyncStream<Void>.Iterator) {
            self.client = client
            self.subscription = subscription
            self.raises = raises
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(TidemarkError) -> ClientStatus? {
            guard let watch = self.subscription?.watcher else { return nil }
            do throws(TidemarkError) {
                while !Task.isCancelled {
                    if let status = try await self.client.look(watch, after: self.last) {
                        self.last = status.byName
                        return status
                    }
                    guard await self.raises.next(isolation: actor) != nil else { break }
                }
                self.subscription = nil
                return nil
            } catch {
                self.subscription = nil
                guard error.code == .clientClosed else { throw error }
                return nil
            }
        }
    }
}

extension ClientStatus {
    fileprivate var byName: [CodePointString: CollectionStatus] {
        Dictionary(self.collections.map { (CodePointString($0.collection), $0) }) { first, _ in first }
    }
}

extension SyncClient {
    /// How the client stands, over all collections.
    public var status: ClientStatus {
        get throws(TidemarkError) { try self.status(after: [:], .all) }
    }

    /// How the client stands: at once, and then whenever that changes, by a sync, by the app or by a decision.
    ///
    /// Who is slow gets the newest one only. It ends when the client is closed or the task is cancelled, and throws what the
    /// store throws.
    public nonisolated var statuses: some AsyncSequence<ClientStatus, TidemarkError> & Sendable {
        ClientStatuses(client: self)
    }

    /// How the client stands after what a watcher saw last; nil when nothing was touched since.
    fileprivate func look(
        _ watch: ChangeWatch, after last: [CodePointString: CollectionStatus]?
    ) throws(TidemarkError) -> ClientStatus? {
        let changed = watch.take()
        guard let last else { return try self.status(after: [:], .all) }
        return changed == .some([]) ? nil : try self.status(after: last, changed)
    }

    private func status(
        after last: [CodePointString: CollectionStatus], _ changed: ChangedNames
    ) throws(TidemarkError) -> ClientStatus {
        let engine = try self.engine
        var collections: [CollectionStatus] = []
        for collection in try self.collectionNames {
            let name = CodePointString(collection)
            if let known = last[name], !changed.contains(name) {
                collections.append(known)
            } else {
                collections.append(try engine.status(of: collection))
            }
        }
        return ClientStatus(
            collections: collections, progress: self.progressHub.present,
            lastReports: self.lastReports.sorted { $0.key < $1.key }.map(\.value), run: self.runStatus)
    }
}

extension ChangedNames {
    fileprivate func contains(_ name: CodePointString) -> Bool {
        switch self {
        case .some(let names): names.contains(name)
        case .all: true
        }
    }
}
