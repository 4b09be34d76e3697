public import TidemarkRules

// Waiting for what becomes of a write.

extension SyncRecord {
    /// Waits until it is known what becomes of what is pending of this record now.
    ///
    /// It does not sync by itself: some sync has to go on or begin, and a write that can't be sent is waited for as long. What
    /// is edited after the call is not waited for, unless it goes out together.
    ///
    /// ```swift
    /// try await notes["42"].edit { $0.title = "Oat milk" }
    /// async let report = client.sync()
    /// let outcome = try await notes["42"].outcome()
    /// ```
    ///
    /// - Returns: The outcome; at once for a record that is held or in conflict, and nil at once when nothing is pending.
    /// - Throws: ``TidemarkError/Code/cancelled`` when the task is cancelled, which changes nothing of the write; what the store throws.
    public func outcome() async throws(TidemarkError) -> WriteOutcome? {
        try await self.collection.client.outcome(of: self.pk, in: self.collection.name)
    }
}
