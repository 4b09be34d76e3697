public import TidemarkJSON
import TidemarkRules

/// The change that an edit or a delete made, so that it can be undone.
///
/// ```swift
/// let change = try await notes["42"].edit { $0.title = "Oat milk" }
/// print(change.patch)                            // [{"op":"replace","path":"/title","value":"Oat milk"}]
/// let back = try await notes["42"].undo(change)  // and notes["42"].undo(back) does it again
/// ```
///
/// The value contains the record before and after the edit. Keep it for as long as the user may want to undo. It is in memory
/// only: to undo after a restart, use the journal, or a record of the app.
public struct RecordEdit: Hashable, Sendable {
    /// The name of the collection.
    public let collection: String

    /// The pk of the record.
    public let pk: String

    /// The app's view before the edit; nil if there was no record.
    package let before: JSON?

    /// The app's view after the edit; nil if the record was deleted.
    package let after: JSON?

    /// `discards` of the engine when the edit was made. If it has grown, an undo takes no addition back, since the addition itself may
    /// have been discarded.
    let discards: Int

    /// The change, in the canonical form of Contract §4; empty if nothing changed.
    public var patch: JSONPatch { JSONPatch.diff(from: self.before, to: self.after) }

    /// The patch that undoes the change, in the same form.
    public var inverse: JSONPatch { JSONPatch.diff(from: self.after, to: self.before) }

    /// Throws ``TidemarkError/Code/patchFailed`` if the edit is of another record.
    func check(isOf pk: String, in collection: String) throws(TidemarkError) {
        let isSameCollection = CodePointString(self.collection) == CodePointString(collection)
        guard !isSameCollection || CodePointString(self.pk) != CodePointString(pk) else { return }
        throw TidemarkError(
            .patchFailed,
            "The edit is of “\(self.pk)” in \(self.collection), not of “\(pk)” in \(collection): undo it there.")
    }
}
