package import TidemarkJSON
import TidemarkMachine
public import TidemarkRules

/// One record of a collection; it need not exist.
public struct SyncRecord<Value: Decodable & Sendable>: Sendable {
    /// The collection of the record.
    public let collection: SyncCollection<Value>

    /// The pk of the record.
    public let pk: String

    var client: SyncClient { self.collection.client }

    /// The same record as a value of another type.
    package func of<Other: Decodable & Sendable>(
        _ type: Other.Type, dates: JSONDates = .rfc3339
    ) -> SyncRecord<Other> {
        self.collection.of(type, dates: dates)[self.pk]
    }

    /// Returns the app's view of the record; nil if the record was deleted or is unknown.
    ///
    /// - Throws: ``TidemarkError/Code/invalidContent`` if the record does not fit the type; ``JSON/decode(_:dates:)`` describes
    ///   how a type may change. ``TidemarkError/Code/recordDamaged`` if the store holds it in a form that can't be read.
    public func get() async throws(TidemarkError) -> Value? {
        guard let content = try await self.snapshot()?.content else { return nil }
        return try content.content(as: Value.self, dates: self.collection.dates)
    }

    /// Returns all that the store has of the record; nil if the record is unknown.
    public func snapshot() async throws(TidemarkError) -> RecordSnapshot? {
        try await self.client.snapshot(of: self.pk, in: self.collection.name)
    }

    /// Deletes the record. Durable when it returns; sent with the next sync.
    ///
    /// - Returns: The change, so that ``undo(_:)`` can undo it.
    /// - Throws: ``TidemarkError/Code/noSuchRecord``, and the errors of the store.
    @discardableResult
    public func delete() async throws(TidemarkError) -> RecordEdit {
        try await self.client.delete(self.pk, in: self.collection.name)
    }

    /// Deletes the record, and in the same transaction decides about the records that name it by a reference
    /// (``CollectionRules/references``).
    ///
    /// It acts on the records that are on this device now: one that another device has made meanwhile, or that was not pulled yet, still
    /// names the deleted record.
    ///
    /// ```swift
    /// try await client["lists"]["42"].delete(referring: .delete)      // and its todos
    /// ```
    ///
    /// - Parameter others: What happens to the records that name it.
    /// - Returns: The changes of all records, for ``UndoHistory`` or `undo` of a transaction.
    /// - Throws: ``TidemarkError/Code/recordReferred``; ``TidemarkError/Code/transactionTooLarge`` if more than
    ///   ``SyncLimits/transactionRecords`` would be changed, or if an index is not built yet and more than
    ///   ``SyncLimits/transactionReads`` would be read; ``TidemarkError/Code/noSuchRecord``, and the errors of the store.
    @discardableResult
    public func delete(
        referring others: RecordTransaction.Referring
    ) async throws(TidemarkError) -> [RecordEdit] {
        let (collection, pk) = (self.collection.name, self.pk)
        return try await self.client.transaction { (transaction) throws(TidemarkError) in
            try transaction[collection][pk].delete(referring: others)
            return transaction.edits
        }
    }

    /// Retries a held record.
    ///
    /// - Throws: ``TidemarkError/Code/nothingToDecide`` if the record is not held.
    public func retry() async throws(TidemarkError) {
        try await self.client.retry(self.pk, in: self.collection.name)
    }

    /// Discards the local changes that are not confirmed: a pending edit, create or delete is undone (R19–R21). The discarded
    /// values go to the journal, and ``SyncCollection/restore(_:)`` restores them.
    ///
    /// - Throws: ``TidemarkError/Code/nothingToDecide`` if no change is pending.
    public func resign() async throws(TidemarkError) {
        try await self.client.resign(self.pk, in: self.collection.name)
    }

    /// Explains in words why the record is not in sync yet.
    public func explain() async throws(TidemarkError) -> RecordExplanation {
        try await self.client.explain(self.pk, in: self.collection.name)
    }

    /// The values of this record that lost, with the reason.
    public var journal: [JournalEntry] {
        get async throws(TidemarkError) { try await self.client.journal(of: self.pk, in: self.collection.name) }
    }
}
