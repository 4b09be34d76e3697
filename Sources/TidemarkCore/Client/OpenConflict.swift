public import TidemarkJSON
public import TidemarkRules

/// A conflict that waits for the user, with its collection.
public struct OpenConflict: Sendable, Identifiable {
    let client: SyncClient

    /// The record and its two sides: a new value on one side is a new conflict for a list.
    public var id: RecordConflict { self.conflict }

    /// Both sides, their base, and the conflicting fields.
    public let conflict: RecordConflict

    /// The answers of the user, field by field, for a sheet; empty at first.
    public var choices: RecordConflict.Choices { RecordConflict.Choices(self.conflict) }

    /// Resolves the conflict field by field.
    ///
    /// ```swift
    /// for open in try await notes.conflicts {
    ///     try await open.resolve(choosing: ["/due": .client, "/lines/b/text": .server])     // the line with the key b
    /// }
    /// ```
    ///
    /// - Parameter answers: A side for each open clash; see ``Verdict/fields(_:)``.
    /// - Throws: The errors of ``resolve(_:)``; ``TidemarkError/Code/invalidAnswers`` if an open clash has no side, or a path is none.
    public func resolve(choosing answers: [JSONPointer: Verdict.Side]) async throws(TidemarkError) {
        try await self.resolve(.fields(answers))
    }

    /// Resolves the conflict; see ``SyncCollection/resolve(_:_:)``.
    public func resolve(_ verdict: Verdict) async throws(TidemarkError) {
        let conflict = self.conflict
        guard try await self.client.resolve(conflict, verdict) == .stale else { return }
        throw TidemarkError(
            .staleDecision,
            "“\(conflict.pk)” in \(conflict.collection) has changed since you were asked. Look at the conflict again, and decide anew."
        )
    }
}
