import Synchronization
package import TidemarkJSON
public import TidemarkRules

/// A copy of a record that the user works on, as in a form, and saves later.
///
/// ```swift
/// var draft = try await notes["42"].draft()
/// draft.value.title = "Oat milk"      // minutes, and any number of syncs, may pass
/// try await draft.save()
/// ```
///
/// The draft keeps the record that it was made from. Saving it writes only the fields that were changed in the draft: a field
/// that the user did not change keeps the value that is stored now, even if it changed meanwhile. ``save(preferring:)``
/// describes what happens to a field that was changed on both sides.
///
/// A draft is a value: keep it as `@State`, or drop it. It is not stored: unsaved changes are lost when the process ends. It
/// can be saved more than once, for example while the user types: each save writes the changes since the last save. Copies of a
/// draft share the content that was saved last.
public struct RecordDraft<Value: Codable & Sendable>: Sendable {
    /// The record that this is a draft of.
    public let record: SyncRecord<Value>

    /// The record as the user works on it. Members that the type does not know are kept, also in the elements of arrays; see
    /// `edit` of ``SyncRecord``.
    public var value: Value

    private var dates: JSONDates { self.record.collection.dates }

    /// The rules of the collection: their keys identify the elements of arrays.
    let fields: FieldRules

    /// The record that the draft was made from, and the same record as the type sees it.
    private let base: JSON
    private let seen: JSON

    let saved: SavedDraft

    init(of base: JSON, _ record: SyncRecord<Value>, _ fields: FieldRules) throws(TidemarkError) {
        let dates = record.collection.dates
        self.record = record
        self.fields = fields
        self.base = base
        self.saved = SavedDraft(base)
        self.value = try base.content(as: Value.self, dates: dates)
        self.seen = try JSON.content(encoding: self.value, dates: dates)
    }

    /// Whether the value differs from the content that was saved last, or else from the record that the draft was made from.
    /// Each read encodes the value.
    public var hasChanges: Bool { (try? self.change().record) != self.saved.content }

    /// Saves the changes of the draft as an edit. Durable when it returns; sent with the next sync.
    ///
    /// The draft is merged with the record that is stored now (Contract §8); the base of the merge is the content that the draft
    /// was saved with last, or else the record that it was made from. If a field was changed on both sides, the rules of the
    /// collection decide as they do in a conflict, with the stored record as the server's side and the draft as the client's:
    /// without a rule the draft's value is stored, with `.server` the stored value is kept, with `.sum` both differences count.
    /// The value that loses goes to the journal (``JournalEntry/Reason/merge``) and can be restored.
    ///
    /// If a rule is `.ask`, or the tactic of the collection asks the user, nothing is stored and the error has the fields to
    /// decide, as `error.draftConflict`. Call this again with an answer for each of them.
    ///
    /// The draft itself does not change: to show a change of another device, make a new draft.
    ///
    /// - Parameter answers: The side to prefer, for each field of the ``DraftConflict``. An answer counts only as long as the
    ///   field has the three values that it had when the user was asked (R22); answers about other fields are ignored.
    /// - Returns: The change of the stored record, so that ``SyncRecord/undo(_:)`` can undo it.
    /// - Throws: ``TidemarkError/Code/draftConflict``; ``TidemarkError/Code/noSuchRecord`` if the record was deleted after the
    ///   draft was made, here or elsewhere; ``TidemarkError/Code/invalidContent`` if the value does not become a JSON object;
    ///   and the errors of the store.
    @discardableResult
    public func save(
        preferring answers: [DraftConflict.Field: DraftConflict.Side] = [:]
    ) async throws(TidemarkError) -> RecordEdit {
        let change = try self.change()
        return try await self.record.client.save(
            change.record, over: self.saved, of: self.record.pk, in: self.record.collection.name,
            preferring: answers, losses: change.losses)
    }

    /// The changes of the draft, applied to the record with all of its members.
    func change() throws(TidemarkError) -> TypedChange {
        let value = try JSON.content(encoding: self.value, dates: self.dates)
        return TypedChange(from: self.seen, to: value, of: self.base, by: self.fields) {
            $0.seen(as: Value.self, dates: self.dates)
        }
    }
}

/// The record as the draft saved it last; before the first save, the record that it was made from.
///
/// All copies of a draft share it, so that a second save of the same value, as after a double tap, changes nothing. The client
/// reads and replaces it in one step with the save itself.
package final class SavedDraft: Sendable {
    private let state: Mutex<JSON>

    package init(_ content: JSON) { self.state = Mutex(content) }

    package var content: JSON {
        get { self.state.withLock { $0 } }
        set { self.state.withLock { $0 = newValue } }
    }
}

extension SyncRecord where Value: Encodable {
    /// Makes a draft of the record, to change now and save later.
    ///
    /// - Throws: ``TidemarkError/Code/noSuchRecord``; ``TidemarkError/Code/invalidContent`` if the record does not fit the
    ///   type; and the errors of the store.
    public func draft() async throws(TidemarkError) -> RecordDraft<Value> {
        guard let content = try await self.snapshot()?.content else {
            throw TidemarkError(
                .noSuchRecord,
                "There is no record “\(self.pk)” in \(self.collection.name), or it was deleted: create it instead.")
        }
        let fields = try await self.client.rules(of: self.collection.name).fields
        return try RecordDraft(of: content, self, fields)
    }
}
