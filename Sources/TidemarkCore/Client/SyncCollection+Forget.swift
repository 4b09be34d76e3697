public import TidemarkRules

extension SyncCollection {
    /// Takes the collection out of the store: records, watermark and journal. The server keeps its rows, and the next
    /// sync of the collection brings them all again.
    ///
    /// - Throws: ``TidemarkError/Code/unsentChanges`` while something of it is not confirmed by the server;
    ///   ``TidemarkError/Code/collectionInUse`` while it syncs.
    public func forget() async throws(TidemarkError) {
        try await self.client.forget(self.name)
    }
}
