public import TidemarkJSON
public import TidemarkRules

/// A copy of a record that the user works on, as in a form, and saves later.
///
/// ```swift
/// var draft = try await notes["42"].draft(as: Note.self)
/// draft.value.title = "Oat milk"      // minutes, and any number of syncs, may pass
/// try await draft.save()
/// ```
///
/// The draft remembers the record that it was made from. Saving it writes only what was changed in the draft: a field that
/// the user did not change keeps the value that is stored now, even if it changed meanwhile. ``save(preferring:)`` says what
/// happens to a field that was changed on both sides.
///
/// A draft is a value: keep it as `@State`, copy it, or drop it. It is not stored: changes that were not saved are lost when
/// the process ends.
public struct RecordDraft<Value: Codable & Sendable>: Sendable {
    /// The record that it is a draft of.
    public let record: SyncRecord

    /// The record as the user works on it. Members that the type does not know are kept.
    public var value: Value

    private let dates: JSONDates

    /// The record that the draft was made from, and the same as the type sees it.
    private var base: JSON
    private var seen: JSON

    init(of base: JSON, _ record: SyncRecord, _ dates: JSONDates) throws(TidemarkError) {
        self.record = record
        self.dates = dates
        self.base = base
        self.value = try base.content(as: Value.self, dates: dates)
        self.seen = try JSON.content(encoding: self.value, dates: dates)
    }

    /// Whether the value differs from the record that the draft was made from. It encodes the value each time it is read.
    public var hasChanges: Bool {
        (try? JSON.content(encoding: self.value, dates: self.dates)) != self.seen
    }

    /// Saves what was changed in the draft, as an edit. Durable when it returns; sent with the next sync.
    ///
    /// The draft is merged with the record that is stored now (SPEC §8); the base of the merge is the record that the
    /// draft was made from. If a field was changed on both sides, the rules of the collection decide as they do in a
    /// conflict, with the stored record as the server's side and the draft as the client's: without a rule the draft's
    /// value is stored, with `.server` the stored one is kept, with `.sum` both differences count. What loses goes to the
    /// journal (``JournalEntry/Reason/merge``) and can be restored.
    ///
    /// If a rule is `.ask`, or the tactic of the collection asks the user, nothing is stored and the error has the fields to
    /// decide, as `error.draftConflict`. Call this again with an answer for each of them.
    ///
    /// The draft itself does not change. To save it again after more changes, take over what was saved with
    /// ``rebase(onto:)`` first.
    ///
    /// - Parameter answers: The side to prefer, for each field of the ``DraftConflict``. An answer counts only as long as the
    ///   field has the three values that it had when the user was asked (R22); answers about other fields are ignored.
    /// - Returns: What this changed in the stored record, so that ``SyncRecord/undo(_:)`` can take it back.
    /// - Throws: ``TidemarkError/Code/draftConflict``; ``TidemarkError/Code/noSuchRecord`` if the record was deleted after the
    ///   draft was made, here or elsewhere; ``TidemarkError/Code/invalidContent`` if the value does not become a JSON object;
    ///   and what the store throws.
    @discardableResult
    public func save(
        preferring answers: [DraftConflict.Field: DraftConflict.Side] = [:]
    ) async throws(TidemarkError) -> RecordEdit {
        try await self.record.client.save(
            try self.content(), from: self.base, of: self.record.pk, in: self.record.collection.name,
            preferring: answers)
    }

    /// Makes the saved record the one that the draft is made from, so that the draft can be changed and saved again. What was
    /// changed in the draft while it was saved stays changed.
    ///
    /// ```swift
    /// var draft = try await notes["42"].draft(as: Note.self)
    /// draft.value.title = "Oat milk"
    /// let edit = try await draft.save()
    /// try draft.rebase(onto: edit)
    /// draft.value.done = true
    /// try await draft.save()
    /// ```
    ///
    /// - Parameter edit: What ``save(preferring:)`` of this draft returned.
    /// - Throws: ``TidemarkError/Code/patchFailed`` if the edit is not the save of a draft of this record;
    ///   ``TidemarkError/Code/invalidContent`` if the saved record does not fit the type. The draft does not change then.
    public mutating func rebase(onto edit: RecordEdit) throws(TidemarkError) {
        guard let saved = edit.draft, let stored = edit.after,
            edit.isOf(self.record.pk, in: self.record.collection.name)
        else {
            throw TidemarkError(
                .patchFailed,
                """
                The edit of “\(edit.pk)” in \(edit.collection) is not the save of a draft of “\(self.record.pk)” in \
                \(self.record.collection.name): hand over what the save of this draft returned.
                """)
        }
        let changed = JSONMerge.merge(base: saved, server: stored, client: try self.content()).merged ?? stored
        var draft = try Self(of: stored, self.record, self.dates)
        draft.value = try changed.content(as: Value.self, dates: self.dates)
        self = draft
    }

    /// The record as the draft has it: what was changed in the value, over the whole record.
    private func content() throws(TidemarkError) -> JSON {
        let value = try JSON.content(encoding: self.value, dates: self.dates)
        var content = self.base
        try content.apply(JSONPatch.diff(from: self.seen, to: value), adapting: self.seen)
        return content
    }
}

extension SyncRecord {
    /// Makes a draft of the record: JSON that is worked on, and saved later.
    ///
    /// - Throws: ``TidemarkError/Code/noSuchRecord``, and what the store throws.
    public func draft() async throws(TidemarkError) -> RecordDraft<JSON> {
        try await self.draft(as: JSON.self)
    }

    /// Makes a draft of the record: a value of your own that is worked on, and saved later.
    ///
    /// - Parameters:
    ///   - type: What the record is read and written as.
    ///   - dates: How a `Date` is written and read.
    /// - Throws: ``TidemarkError/Code/noSuchRecord``; ``TidemarkError/Code/invalidContent`` if the record does not fit the
    ///   type; and what the store throws.
    public func draft<Value: Codable & Sendable>(
        as type: Value.Type, dates: JSONDates = .rfc3339
    ) async throws(TidemarkError) -> RecordDraft<Value> {
        guard let content = try await self.get() else {
            throw TidemarkError(
                .noSuchRecord,
                "There is no record “\(self.pk)” in \(self.collection.name), or it was deleted: create it instead.")
        }
        return try RecordDraft(of: content, self, dates)
    }
}
