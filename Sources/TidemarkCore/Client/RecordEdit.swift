public import TidemarkJSON

/// What an edit or a delete changed, so that it can be taken back.
///
/// ```swift
/// let change = try await notes["42"].edit { $0.title = "Oat milk" }
/// print(change.patch)                            // [{"op":"replace","path":"/title","value":"Oat milk"}]
/// let back = try await notes["42"].undo(change)  // and notes["42"].undo(back) does it again
/// ```
///
/// It holds the record as it was before and after, and is worth keeping for as long as a person may want it back. It is
/// memory, not store: what has to be taken back after a restart is in the journal, or in a record of the app's own.
public struct RecordEdit: Hashable, Sendable {
    /// The collection.
    public let collection: String

    /// The record.
    public let pk: String

    /// What the app saw before; nil when there was no record.
    let before: JSON?

    /// What the app saw after; nil when the record was deleted.
    let after: JSON?

    /// What was changed, in the canonical form of SPEC §4; empty when nothing was.
    public var patch: JSONPatch { JSONPatch.diff(from: self.before, to: self.after) }

    /// What takes it back, in the same form.
    public var inverse: JSONPatch { JSONPatch.diff(from: self.after, to: self.before) }

    /// Whether the edit is of this record.
    func isOf(_ pk: String, in collection: String) -> Bool {
        CodePointString(self.pk) == CodePointString(pk)
            && CodePointString(self.collection) == CodePointString(collection)
    }
}
