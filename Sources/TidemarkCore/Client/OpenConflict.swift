public import TidemarkRules

/// A conflict that waits for the user, with its collection.
public struct OpenConflict: Sendable {
    let collection: SyncCollection

    /// Both sides, their base, and the conflicting fields.
    public let conflict: RecordConflict

    /// Resolves the conflict; see ``SyncCollection/resolve(_:_:)``.
    public func resolve(_ verdict: Verdict) async throws(TidemarkError) {
        try await self.collection.resolve(self.conflict, verdict)
    }
}
