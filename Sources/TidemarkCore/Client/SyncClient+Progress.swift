import TidemarkJSON
public import TidemarkRules

// How far a sync is, while it goes on.

extension SyncClient {
    /// How far syncs are, from now on, whoever began them. Slow listeners see the newest state only, and it is the whole one.
    ///
    /// ```swift
    /// for await progress in client.progress { print(progress.received, progress.sent, progress.isSyncing) }
    /// ```
    ///
    /// That a single record goes up is a ``RecordChange`` of the origin ``RecordChange/Origin/upload``.
    public nonisolated var progress: AsyncStream<SyncProgress> {
        self.progressHub.stream()
    }

    /// Brings collections in step with the server, and tells how far it is; see ``sync(_:)``.
    ///
    /// ```swift
    /// let report = try await client.sync { progress in bar.set(progress.received, of: progress.left) }
    /// ```
    ///
    /// - Parameters:
    ///   - collections: Which collections; nil for all of ``collectionNames``.
    ///   - progress: Called with each request and at the end, with these collections only; of a sync that is joined, too. It
    ///     is called on the client's own actor: hand on what it gets, and return.
    public func sync(
        _ collections: [String]? = nil, progress: @escaping @Sendable (SyncProgress) -> Void
    ) async throws(TidemarkError) -> SyncReport {
        let names = collections.map { Set($0.map { CodePointString($0) }) }
        let number = self.progressHub.add { all in
            let parts = all.collections.filter { names?.contains(CodePointString($0.collection)) ?? true }
            if !parts.isEmpty { progress(SyncProgress(collections: parts)) }
        }
        defer { self.progressHub.remove(number) }
        return try await self.sync(collections)
    }
}
