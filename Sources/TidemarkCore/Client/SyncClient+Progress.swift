import TidemarkJSON
public import TidemarkRules

// The progress of running syncs.

extension SyncClient {
    /// The progress of all syncs from now on, whichever caller began them. A slow listener sees only the newest value, which is
    /// complete.
    ///
    /// ```swift
    /// for await progress in client.progress { print(progress.received, progress.sent, progress.isSyncing) }
    /// ```
    ///
    /// The upload of a single record is a ``RecordChange`` of the origin ``RecordChange/Origin/upload``.
    public nonisolated var progress: AsyncStream<SyncStatus.Progress> {
        self.progressHub.stream()
    }

    /// Syncs collections with the server, and reports the progress; see ``sync(_:)``.
    ///
    /// ```swift
    /// let report = try await client.sync { progress in
    ///     Task { @MainActor in bar.set(progress.received, of: progress.left) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - collections: Which collections; nil for all of ``collectionNames``.
    ///   - progress: Called for each request and at the end, with these collections only; also for a sync that this call
    ///     joins. The closure is called on the client's actor, so it must return quickly.
    public func sync(
        _ collections: [String]? = nil, progress: @escaping @Sendable (SyncStatus.Progress) -> Void
    ) async throws(TidemarkError) -> SyncReport {
        let names = collections.map { Set($0.map { CodePointString($0) }) }
        let number = self.progressHub.add { all in
            let parts = all.collections.filter { names?.contains(CodePointString($0.collection)) ?? true }
            if !parts.isEmpty { progress(SyncStatus.Progress(collections: parts)) }
        }
        defer { self.progressHub.remove(number) }
        return try await self.sync(collections)
    }
}
