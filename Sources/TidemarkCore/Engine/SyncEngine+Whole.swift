import TidemarkMachine
package import TidemarkRules

// Calls that concern the whole store.

extension SyncEngine {
    /// Returns the account of the data in the store; nil before the first answer of a server.
    package func account() throws(TidemarkError) -> String? {
        try self.store.setting(Self.accountKey)
    }

    /// Returns the changes that the server has not confirmed, over all collections.
    package func unsent() throws(TidemarkError) -> SyncClient.UnsentChanges {
        var counts: [SyncClient.UnsentChanges.Count] = []
        var names: [SyncClient.UnsentChanges.Record] = []
        for collection in try self.store.collections() {
            let count = try self.store.counts(in: collection).reduce(0) { $0 + ($1.key == .synced ? 0 : $1.value) }
            guard count > 0 else { continue }
            counts.append(SyncClient.UnsentChanges.Count(collection: collection, count: count))
            let room = SyncClient.UnsentChanges.namesLimit - names.count
            guard room > 0 else { continue }
            let records = try self.store.records(
                in: collection, states: [.edited, .created, .deleted], after: nil, limit: room)
            names += records.map { SyncClient.UnsentChanges.Record(collection: collection, pk: $0.pk) }
        }
        return SyncClient.UnsentChanges(counts: counts, names: names)
    }

    /// Removes all data of the store. Afterwards only ``close()`` may be called.
    ///
    /// - Throws: ``TidemarkError/Code/unsentChanges``, and the errors of the store.
    func erase(evenUnsent: Bool) throws(TidemarkError) {
        let unsent = try self.unsent()
        guard evenUnsent || unsent.isEmpty else { throw unsent.refusal }
        try self.store.transaction { () throws(TidemarkError) in
            try self.store.eraseAll()
            // All that is left: by it a client that was suspended meanwhile recognizes that this is another store.
            try self.store.set(Self.erasuresKey, to: String(self.erasures + 1))
        }
    }

    /// Releases the system resources of the store.
    func close() {
        self.store.close()
    }
}

extension SyncClient.UnsentChanges {
    /// The error if unsent changes prevent the erasing.
    fileprivate var refusal: TidemarkError {
        let places = self.counts.map { "\($0.collection): \($0.count)" }.joined(separator: ", ")
        let changes = self.count == 1 ? "1 change was" : "\(self.count) changes were"
        return TidemarkError(
            .unsentChanges,
            """
            \(changes) not sent yet (\(places)), and nothing was erased. Sync first, or erase with “evenUnsent” to discard \
            \(self.count == 1 ? "it" : "them").
            """)
    }
}
