import TidemarkJSON
import TidemarkMachine
public import TidemarkRules

extension TidemarkError.Code {
    /// A sync of the collection is going on.
    public static let collectionInUse = TidemarkError.Code("collectionInUse")
}

extension SyncEngine {
    /// How many records an error names.
    private static let namedRecords = 5

    /// Takes a collection out of the store: records, watermark, items set aside and journal. The server keeps its rows,
    /// and the next sync of the collection brings them all again.
    ///
    /// Nobody is told of the records that leave: they were not deleted.
    ///
    /// - Throws: ``TidemarkError/Code/unsentChanges`` while something of it is not confirmed by the server (I2),
    ///   ``TidemarkError/Code/collectionInUse`` while it syncs, and what the store throws.
    package func forget(_ collection: String) throws(TidemarkError) {
        _ = try self.commit(in: collection) { (turn) throws(TidemarkError) in
            guard !turn.exchange.machine.isUnderWay else {
                throw TidemarkError(
                    .collectionInUse,
                    "A sync of \(collection) is going on. Let it end before the collection is forgotten.")
            }
            try self.requireNothingUnsent(in: collection)
            try turn.forget()
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
            \(names)\(count > records.count ? ", and more" : ""). Sync first, or give them up with resign.
            """)
    }
}
