import TidemarkMachine
package import TidemarkRules

// What concerns the store as a whole.

extension SyncEngine {
    /// Whose data the store holds; nil before the first answer of a server.
    package func account() throws(TidemarkError) -> String? {
        try self.store.setting(Self.accountKey)
    }

    /// What the server has not confirmed, over all collections.
    package func unsent() throws(TidemarkError) -> SyncClient.UnsentChanges {
        var counts: [SyncClient.UnsentChanges.Count] = []
        var names: [SyncClient.UnsentChanges.Name] = []
        for collection in try self.store.collections() {
            let count = try self.store.counts(in: collection).reduce(0) { $0 + ($1.key == .synced ? 0 : $1.value) }
            guard count > 0 else { continue }
            counts.append(SyncClient.UnsentChanges.Count(collection: collection, count: count))
            let room = SyncClient.UnsentChanges.namesLimit - names.count
            guard room > 0 else { continue }
            let records = try self.store.records(
                in: collection, states: [.edited, .created, .deleted], after: nil, limit: room)
            names += records.map { SyncClient.UnsentChanges.Name(collection: collection, pk: $0.pk) }
        }
        return SyncClient.UnsentChanges(counts: counts, names: names)
    }

    /// Removes everything that the store holds. The engine is good for nothing but ``close()`` afterwards.
    ///
    /// - Throws: ``TidemarkError/Code/unsentChanges``, and what the store throws.
    func erase(evenUnsent: Bool) throws(TidemarkError) {
        let unsent = try self.unsent()
        guard evenUnsent || unsent.isEmpty else { throw unsent.refusal }
        try self.store.transaction { () throws(TidemarkError) in try self.store.eraseAll() }
    }

    /// Gives back what the store holds of the system.
    func close() {
        self.store.close()
    }
}

extension SyncClient.UnsentChanges {
    /// Why nothing is erased.
    fileprivate var refusal: TidemarkError {
        let places = self.counts.map { "\($0.collection): \($0.count)" }.joined(separator: ", ")
        let changes = self.count == 1 ? "1 change was" : "\(self.count) changes were"
        return TidemarkError(
            .unsentChanges,
            """
            \(changes) not sent yet (\(places)), and nothing was erased. Sync first, or erase with “evenUnsent” to throw \
            \(self.count == 1 ? "it" : "them") away.
            """)
    }
}
