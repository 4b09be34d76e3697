import TidemarkJSON
import TidemarkMachine
public import TidemarkRules

extension TidemarkError.Code {
    /// A sync of the collection is running.
    public static let collectionInUse = TidemarkError.Code("collectionInUse")
}

extension SyncEngine {
    /// The number of records that an error names.
    private static let namedRecords = 5

    /// Removes a collection from the store: records, cursor, quarantined items and journal. The server keeps its rows, and the
    /// next sync of the collection loads all of them again.
    ///
    /// It does not notify the app of the removed records: they were not deleted.
    ///
    /// - Throws: ``TidemarkError/Code/unsentChanges`` while the server has not confirmed all of its changes (I2),
    ///   ``TidemarkError/Code/collectionInUse`` while it syncs, and the errors of the store.
    package func forget(_ collection: String) throws(TidemarkError) {
        _ = try self.commit(in: collection) { (transaction) throws(TidemarkError) in
            guard !transaction.exchange.machine.isUnderWay else {
                throw TidemarkError(
                    .collectionInUse,
                    "A sync of \(collection) is running. Forget the collection when the sync has ended.")
            }
            try self.requireNothingUnsent(in: collection)
            try transaction.forget()
        }
    }

    /// How many rows of forgotten collections are removed from the file in one transaction.
    static let erasedSlice = 2_000

    /// Removes rows of forgotten collections from the file, which nothing can read any more.
    ///
    /// - Returns: Whether there may be more of them.
    package func removeErased() throws(TidemarkError) -> Bool {
        // A guest runs for a short time in little memory, and the owner does the same at its first sync.
        guard !self.isGuest else { return false }
        return try self.store.transaction { () throws(TidemarkError) in
            try self.store.removeErased(limit: Self.erasedSlice)
        }
    }

    private func requireNothingUnsent(in collection: String) throws(TidemarkError) {
        let states = Set(SyncState.allCases).subtracting([.synced])
        let counts = try self.store.counts(in: collection)
        let count = states.reduce(0) { $0 + counts[$1, default: 0] }
        guard count > 0 else { return }
        let records = try self.store.records(in: collection, states: states, after: nil, limit: Self.namedRecords)
        let names = records.map { "\($0.pk) is \($0.phase)" }.joined(separator: ", ")
        throw TidemarkError(
            .unsentChanges,
            """
            \(collection) has \(count == 1 ? "1 change" : "\(count) changes") that the server has not confirmed: \
            \(names)\(count > records.count ? ", and more" : ""). Sync first, or discard them with resign.
            """)
    }
}
