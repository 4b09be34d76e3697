public import TidemarkRules

// Restoring all lost values.

extension SyncCollection {
    /// Restores all values that were lost for one reason, as new edits; the next sync sends them.
    ///
    /// ```swift
    /// try await notes.restoreAll(reason: .serverRolledBack)
    /// ```
    ///
    /// A record that no longer exists is created again. In an existing record the fields are set, and the replaced
    /// values go to the journal (``JournalEntry/Reason/restore``). A value that was restored in this way before is skipped,
    /// and a record that was deleted here since stays deleted.
    ///
    /// For ``JournalEntry/Reason/serverRolledBack`` no newer value is replaced: a value is set only if its field has no value, or
    /// still has the value that the rolled-back server returned. The skipped values are in ``JournalEntry/Restoration/left``. A write between
    /// the server's restore and this device's next sync is recognized as newer only if versions are numbers.
    @discardableResult
    public func restoreAll(reason: JournalEntry.Reason) async throws(TidemarkError) -> JournalEntry.Restoration {
        try await self.client.restoreAll(reason, in: self.name)
    }
}

extension SyncClient {
    /// Restores all values that were lost for one reason, in every collection; see ``SyncCollection/restoreAll(reason:)``.
    @discardableResult
    public func restoreAll(reason: JournalEntry.Reason) async throws(TidemarkError) -> [JournalEntry.Restoration] {
        var restorations: [JournalEntry.Restoration] = []
        for name in try self.collectionNames { restorations.append(try await self[name].restoreAll(reason: reason)) }
        return restorations
    }
}
