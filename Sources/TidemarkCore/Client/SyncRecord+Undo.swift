public import TidemarkRules

// Undoing an edit.

extension SyncRecord {
    /// Undoes an edit or a delete, as a new edit. Durable when it returns; sent with the next sync.
    ///
    /// Only the fields that the edit changed are restored, and only if they still have the value of the edit. Other changes of
    /// the record since then stay, whether the app or another device made them. If a field was changed again, by the app or by
    /// another device, the rules of the collection undo as much as possible without losing a value: for a field with the rule
    /// `sum` the edit's difference is subtracted, for `union`, `list` and `text` the edit's additions are removed. If any other
    /// field was changed again, nothing at all is undone, and ``TidemarkError/Code/editOvertaken`` names the fields: an undo
    /// never overwrites another value.
    ///
    /// ```swift
    /// let change = try await notes["42"].edit { $0.title = "Oat milk" }
    /// do {
    ///     try await notes["42"].undo(change)
    /// } catch {
    ///     guard error.code == .editOvertaken else { throw error }
    ///     print(error.message)   // The edit of “42” in notes can't be undone: /title was changed since. …
    /// }
    /// ```
    ///
    /// Undoing a delete creates the record again with its old content, and undoing a create deletes it, unless one of its fields was
    /// changed since. To discard all pending changes, use ``resign()``.
    ///
    /// - Returns: The change, which can be undone as well.
    /// - Throws: ``TidemarkError/Code/editOvertaken``, ``TidemarkError/Code/noSuchRecord`` if the record was deleted since,
    ///   ``TidemarkError/Code/recordExists`` if a deleted record exists again, ``TidemarkError/Code/patchFailed`` if the edit
    ///   is of another record, and the errors of the store.
    @discardableResult
    public func undo(_ edit: RecordEdit) async throws(TidemarkError) -> RecordEdit {
        try await self.client.undo(edit, of: self.pk, in: self.collection.name)
    }
}
