public import TidemarkJSON
public import TidemarkRules

/// The fields of a draft that the user has to decide before the draft can be saved: the cause of the error
/// ``TidemarkError/Code/draftConflict``.
///
/// ```swift
/// var draft = try await notes["42"].draft()
/// draft.value.title = "Oat milk"
/// do {
///     try await draft.save()
/// } catch {
///     guard let conflict = error.draftConflict else { throw error }
///     var answers: [DraftConflict.Field: DraftConflict.Side] = [:]
///     for field in conflict.fields {
///         answers[field] = await office.agrees(to: "Overwrite \(field.stored?.text ?? "nothing")?") ? .draft : .stored
///     }
///     try await draft.save(preferring: answers)
/// }
/// ```
///
/// A value: it may be shown for as long as the user needs. If a field is changed again meanwhile, its answer no longer
/// counts, and the next save asks again (R22).
public struct DraftConflict: Error, Hashable, Sendable {
    /// The sides of a field.
    public enum Side: String, CaseIterable, Hashable, Sendable {
        /// The record as it is stored now.
        case stored

        /// The draft.
        case draft
    }

    /// A field with its three values. A side without a value is nil, and `null` is a value.
    public struct Field: Hashable, Sendable {
        /// Where the field is in the record, as in ``JSONMerge/Clash``: an object of an array with the rule `keyed` is named by
        /// its key.
        public let path: JSONPointer

        /// The value in the record that the draft was made from.
        public let base: JSON?

        /// The value that is stored now.
        public let stored: JSON?

        /// The value of the draft.
        public let draft: JSON?
    }

    /// The collection of the record.
    public let collection: String

    /// The pk of the record.
    public let pk: String

    /// The fields to decide, sorted by path: the fields that the rules leave to the user, or all conflicting fields if the
    /// rules decide each of them and the tactic asks.
    public let fields: [Field]

    /// The same answer for every field: ``Side/draft`` keeps the user's values, ``Side/stored`` the stored ones.
    public func preferring(_ side: Side) -> [Field: Side] {
        self.fields.reduce(into: [:]) { $0[$1] = side }
    }
}

extension DraftConflict {
    /// The error that a save throws.
    var error: TidemarkError {
        let places = self.fields.map { $0.path == .root ? "the record" : $0.path.text }.joined(separator: ", ")
        return TidemarkError(
            .draftConflict,
            """
            The draft of “\(self.pk)” in \(self.collection) can't be saved yet: \(places) \
            \(self.fields.count == 1 ? "was" : "were") changed in the store after the draft was made. Nothing was saved; \
            ask the user, and save the draft with an answer for each field.
            """,
            cause: self)
    }
}

extension TidemarkError {
    /// The fields that the user has to decide; nil unless the code is ``TidemarkError/Code/draftConflict``.
    public var draftConflict: DraftConflict? { self.cause as? DraftConflict }
}
