package import TidemarkRules

/// A store that finds records by their references (Contract §11).
///
/// It decides nothing: the engine computes what a row says about references, and the store finds what follows from two rows.
package protocol ReferenceStore: RecordStore {
    /// Replaces what a record's row says about references. `erase(collection:)` and `eraseAll()` remove it with the records, and
    /// `erase(_:in:)` does not.
    ///
    /// - Returns: The former ones.
    func replaceReferences(
        of pk: String, in collection: String, by references: RecordReferences
    ) throws(TidemarkError) -> RecordReferences

    /// Returns what a record's row says about references.
    func references(of pk: String, in collection: String) throws(TidemarkError) -> RecordReferences

    /// Returns the pks of records whose row says something about references, in their order.
    func recordsWithReferences(
        in collection: String, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [String]

    /// Removes what all rows say about references, since other ones are declared.
    func eraseReferences() throws(TidemarkError)

    /// Returns the idle records, in the order of their ``StoredRecord/sequence``, that name no record which the server may not have,
    /// and that no pending change has ceased to name; a change that itself names a record which the server may not have does not
    /// count for the second.
    ///
    /// - Parameter sequence: Only records with a larger one are returned.
    func recordsToSend(
        in collection: String, after sequence: Int64, limit: Int
    ) throws(TidemarkError) -> [StoredRecord]

    /// Returns the pks of idle records that may wait, in the order of their ``StoredRecord/sequence``: all that name a record which the
    /// server may not have, and all deletes that a pending change has ceased to name.
    ///
    /// - Parameter areAwaited: Only those for which another record may wait.
    func waitingRecords(in collection: String, areAwaited: Bool, limit: Int) throws(TidemarkError) -> [String]

    /// Returns for which records an idle record waits, in the order of kind and name; for each, whether it is idle or not.
    func waits(of pk: String, in collection: String, limit: Int) throws(TidemarkError) -> [RecordWait]

    /// Whether a pending change has ceased to name a record of a collection.
    func hasRemovedNames(in collection: String) throws(TidemarkError) -> Bool

    /// Returns the records of a collection that name a record in ``RecordReferences/added``, in the order of their pk.
    func records(
        adding name: RecordName, in collection: String, limit: Int
    ) throws(TidemarkError) -> [String]
}
