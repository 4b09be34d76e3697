public import TidemarkRules

// Waiting for the outcome of a write.

extension SyncRecord {
    /// Waits for the outcome of the changes of this record that are pending now.
    ///
    /// It does not sync by itself: a sync has to be running or begin, and the wait for a write that can't be sent lasts until
    /// it can. Edits after the call are not waited for, unless they are sent together with it.
    ///
    /// ```swift
    /// try await notes["42"].edit { $0.title = "Oat milk" }
    /// async let report = client.sync()
    /// let outcome = try await notes["42"].outcome()
    /// ```
    ///
    /// - Returns: The outcome; at once for a record that is held or in conflict, and nil at once if no change is pending.
    /// - Throws: ``TidemarkError/Code/cancelled`` if the task is cancelled, which does not change the write; the errors of the
    ///   store.
    public func outcome() async throws(TidemarkError) -> WriteOutcome? {
        try await self.collection.client.outcome(of: self.pk, in: self.collection.name)
    }
}
