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
    ///
    /// For ``JournalEntry/Reason/serverWentBack`` nothing newer is replaced: a value is set only where there is none, or still
    /// the one that the server showed after it went back. The others are in ``Restoration/left``. A write between the server's
    /// restore and this device's next sync is recognized as newer only if versions are numbers.
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
