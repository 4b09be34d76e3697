extension SyncCollection {
    /// Takes the collection out of the store: records, watermark and journal. The server keeps its rows, and the next
    /// sync of the collection brings them all again.
    ///
    /// - Throws: ``TidemarkError/Code/unsentChanges`` while something of it is not confirmed by the server;
    ///   ``TidemarkError/Code/collectionInUse`` while it syncs.
    public func forget() async throws(TidemarkError) {
        let name = self.name
        try await self.client.perform { (engine) throws(TidemarkError) in ((), try engine.forgetQuietly(name)) }
    }
}

extension SyncEngine {
    /// Nobody is told, so there is nothing to carry out.
    fileprivate func forgetQuietly(_ collection: String) throws(TidemarkError) -> [Effect] {
        try self.forget(collection)
        return []
    }
}
