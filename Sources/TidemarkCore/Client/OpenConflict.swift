public import TidemarkRules

/// A conflict that waits for a person, with the collection that it is of.
public struct OpenConflict: Sendable {
    let collection: SyncCollection

    /// Both sides, what they grew from, and where they clash.
    public let conflict: RecordConflict

    /// Decides; see ``SyncCollection/resolve(_:_:)``.
    public func resolve(_ verdict: Verdict) async throws(TidemarkError) {
        try await self.collection.resolve(self.conflict, verdict)
    }
}
