public import TidemarkJSON
import TidemarkMachine
public import TidemarkRules

/// One record of a collection; it need not exist.
public struct SyncRecord: Sendable {
    /// Where it belongs.
    public let collection: SyncCollection

    /// Its name.
    public let pk: String

    var client: SyncClient { self.collection.client }

    /// What the app sees; nil when it was deleted or is not known.
    ///
    /// - Throws: ``TidemarkError/Code/recordDamaged`` when the store holds it in a form that can't be read.
    public func get() async throws(TidemarkError) -> JSON? {
        try await self.snapshot()?.content
    }

    /// What the app sees, as a value of your own; nil when it was deleted or is not known.
    ///
    /// - Parameters:
    ///   - type: What it is read as; ``JSON/decode(_:dates:)`` tells how a type may grow.
    ///   - dates: How dates are written.
    /// - Throws: ``TidemarkError/Code/invalidContent`` when the record does not fit the type.
    public func get<Value: Decodable>(
        as type: Value.Type, dates: JSONDates = .rfc3339
    ) async throws(TidemarkError) -> Value? {
        try await self.get().map { (json) throws(TidemarkError) in try json.content(as: type, dates: dates) }
    }

    /// Everything that is known of the record; nil when it is not known.
    public func snapshot() async throws(TidemarkError) -> RecordSnapshot? {
        try await self.client.snapshot(of: self.pk, in: self.collection.name)
    }

    /// Deletes the record. Durable when it returns; sent with the next sync.
    ///
    /// - Returns: What this changed, so that ``undo(_:)`` can take it back.
    /// - Throws: ``TidemarkError/Code/noSuchRecord``, and what the store throws.
    @discardableResult
    public func delete() async throws(TidemarkError) -> RecordEdit {
        try await self.client.delete(self.pk, in: self.collection.name)
    }

    /// Lets a held record try again.
    ///
    /// - Throws: ``TidemarkError/Code/nothingToDecide`` when it is not held.
    public func release() async throws(TidemarkError) {
        try await self.client.release(self.pk, in: self.collection.name)
    }

    /// Gives up what was changed here and was not confirmed: the undo of a pending edit, create or delete (R19–R21). What
    /// is lost goes to the journal, and ``SyncCollection/restore(_:)`` brings it back.
    ///
    /// - Throws: ``TidemarkError/Code/nothingToDecide`` when nothing is pending.
    public func resign() async throws(TidemarkError) {
        try await self.client.resign(self.pk, in: self.collection.name)
    }

    /// Why the record is not in step yet, in words.
    public func explain() async throws(TidemarkError) -> RecordExplanation {
        try await self.client.explain(self.pk, in: self.collection.name)
    }

    /// What of this record lost, and why.
    public var journal: [JournalEntry] {
        get async throws(TidemarkError) { try await self.client.journal(of: self.pk, in: self.collection.name) }
    }
}
