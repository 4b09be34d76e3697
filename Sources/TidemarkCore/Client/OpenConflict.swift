public import TidemarkRules

/// A conflict that waits for the user, with its collection.
public struct OpenConflict: Sendable, Identifiable {
    let collection: SyncCollection

    /// The record and its two sides: a new value on one side is a new conflict for a list.
    public var id: RecordConflict { self.conflict }

    /// Both sides, their base, and the conflicting fields.
    public let conflict: RecordConflict

    /// Resolves the conflict; see ``SyncCollection/resolve(_:_:)``.
    public func resolve(_ verdict: Verdict) async throws(TidemarkError) {
        try await self.collection.resolve(self.conflict, verdict)
    }
}
