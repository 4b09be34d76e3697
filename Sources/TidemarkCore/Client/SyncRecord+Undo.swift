public import TidemarkRules

// Taking an edit back.

extension SyncRecord {
    /// Takes an edit or a delete back, as a new edit. Durable when it returns; sent with the next sync.
    ///
    /// Only what the edit changed is put back, and only where it still is what the edit made it. What was changed elsewhere
    /// in the record meanwhile stays, whoever changed it. Where a field was changed again, by the app or by another device,
    /// the rules of the collection decide what they can without anyone's value being lost: of a field with the rule `sum`
    /// the edit's own difference is taken off, from `union`, `list` and `text` what the edit put in. For everything else
    /// nothing at all is taken back and ``TidemarkError/Code/editOvertaken`` names the fields: an undo overwrites no one
    /// else's value.
    ///
    /// ```swift
    /// let change = try await notes["42"].edit { $0.title = "Oat milk" }
    /// do {
    ///     try await notes["42"].undo(change)
    /// } catch {
    ///     guard error.code == .editOvertaken else { throw error }
    ///     print(error.message)   // The edit of “42” in notes can't be taken back: /title was changed since. …
    /// }
    /// ```
    ///
    /// A delete that is taken back makes the record again as it was. A create is taken back with ``delete()``; what is
    /// pending as a whole, with ``resign()``.
    ///
    /// - Returns: What this changed, which can be taken back as well.
    /// - Throws: ``TidemarkError/Code/editOvertaken``, ``TidemarkError/Code/noSuchRecord`` when the record was deleted
    ///   since, ``TidemarkError/Code/recordExists`` when one that was deleted is there again,
    ///   ``TidemarkError/Code/patchFailed`` when the edit is of another record, and what the store throws.
    @discardableResult
    public func undo(_ edit: RecordEdit) async throws(TidemarkError) -> RecordEdit {
        try await self.client.undo(edit, of: self.pk, in: self.collection.name)
    }
}
