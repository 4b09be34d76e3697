public import TidemarkJSON
import TidemarkMachine
public import TidemarkRules

/// One record of a collection; it need not exist.
public struct SyncRecord: Sendable {
    /// The collection of the record.
    public let collection: SyncCollection

    /// The pk of the record.
    public let pk: String

    var client: SyncClient { self.collection.client }

    /// Returns the app's view of the record; nil if the record was deleted or is unknown.
    ///
    /// - Throws: ``TidemarkError/Code/recordDamaged`` if the store holds it in a form that can't be read.
    public func get() async throws(TidemarkError) -> JSON? {
        try await self.snapshot()?.content
    }

    /// Returns the app's view as a value of your own; nil if the record was deleted or is unknown.
    ///
    /// - Parameters:
    ///   - type: The type that the record is read as; ``JSON/decode(_:dates:)`` describes how a type may change.
    ///   - dates: How dates are written.
    /// - Throws: ``TidemarkError/Code/invalidContent`` if the record does not fit the type.
    public func get<Value: Decodable>(
        as type: Value.Type, dates: JSONDates = .rfc3339
    ) async throws(TidemarkError) -> Value? {
        try await self.get().map { (json) throws(TidemarkError) in try json.content(as: type, dates: dates) }
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
