public import TidemarkRules

// Brings back what lost, all at once.

extension SyncCollection {
    /// Brings back all that lost for one reason, as new edits; the next sync sends them.
    ///
    /// ```swift
    /// try await notes.restoreAll(reason: .serverWentBack)
    /// ```
    ///
    /// A record that is gone is made again; in one that is there the fields are set, and what stood there goes to the
    /// journal (``JournalEntry/Reason/restore``). What was brought back so before is left alone, and what was deleted here
    /// since stays deleted.
    @discardableResult
    public func restoreAll(reason: JournalEntry.Reason) async throws(TidemarkError) -> Restoration {
        try await self.client.restoreAll(reason, in: self.name)
    }
}

extension SyncClient {
    /// Brings back all that lost for one reason, in every collection; see ``SyncCollection/restoreAll(reason:)``.
    @discardableResult
    public func restoreAll(reason: JournalEntry.Reason) async throws(TidemarkError) -> [Restoration] {
        var restorations: [Restoration] = []
        for name in try self.collectionNames { restorations.append(try await self[name].restoreAll(reason: reason)) }
        return restorations
    }
}
