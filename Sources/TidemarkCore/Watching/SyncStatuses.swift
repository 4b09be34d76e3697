import TidemarkJSON
public import TidemarkRules

/// The status of a client, now and whenever it changes; see ``SyncClient/statuses``.
struct SyncStatuses: AsyncSequence {
    let client: SyncClient

    /// Watches from now on: the first value includes the changes before it.
    func makeAsyncIterator() -> Iterator {
        Iterator(client: self.client, reader: ChangeReader(.client, of: self.client))
    }

    struct Iterator: AsyncIteratorProtocol {
        let client: SyncClient

        var reader: ChangeReader

        /// The last status of each collection: only changed collections are counted again.
        private var last: [CodePointString: SyncStatus.Collection]?

        init(client: SyncClient, reader: ChangeReader) {
            self.client = client
            self.reader = reader
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(TidemarkError) -> SyncStatus? {
            guard let watch = self.reader.watch else { return nil }
            do throws(TidemarkError) {
                while !Task.isCancelled {
                    let last = self.last
                    let status = try await self.client.whileAwake { () async throws(TidemarkError) in
                        try await self.client.look(watch, after: last)
                    }
                    if let status {
                        self.last = status.byName
                        return status
                    }
                    guard await self.reader.wait(isolation: actor) else { break }
                }
                self.reader.end()
            } catch {
                try self.reader.end(by: error)
            }
            return nil
        }
    }
}

extension SyncStatus {
    fileprivate var byName: [CodePointString: SyncStatus.Collection] {
        Dictionary(self.collections.map { (CodePointString($0.collection), $0) }) { first, _ in first }
    }
}

extension SyncClient {
    /// The status of the client, over all collections.
    public var status: SyncStatus {
        get throws(TidemarkError) { try self.status(after: [:], .all) }
    }

    /// The status of the client: at once, and then at each change by a sync, by the app or by a decision.
    ///
    /// A slow reader gets only the newest value. The sequence ends when the client is closed or the task is cancelled, and
    /// throws the errors of the store.
    public nonisolated var statuses: some AsyncSequence<SyncStatus, TidemarkError> & Sendable {
        SyncStatuses(client: self)
    }

    /// Returns the status if it changed since the watcher's last read; nil if no collection was touched.
    fileprivate func look(
        _ watch: ChangeWatch, after last: [CodePointString: SyncStatus.Collection]?
    ) throws(TidemarkError) -> SyncStatus? {
        let changed = watch.take()
        guard let last else { return try self.status(after: [:], .all) }
        return changed == .some([]) ? nil : try self.status(after: last, changed)
    }

    private func status(
        after last: [CodePointString: SyncStatus.Collection], _ changed: ChangedNames
    ) throws(TidemarkError) -> SyncStatus {
        let engine = try self.engine
        var collections: [SyncStatus.Collection] = []
        for collection in try self.collectionNames {
            let name = CodePointString(collection)
            if let known = last[name], !changed.contains(name) {
                collections.append(known)
            } else {
                collections.append(try engine.status(of: collection))
            }
        }
        return SyncStatus(
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
