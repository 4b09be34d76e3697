public import TidemarkJSON

/// The decision of a tactic or of the user about a conflict.
public enum Verdict: Hashable, Sendable {
    /// One of the two sides of a conflict.
    public enum Side: String, CaseIterable, Hashable, Sendable {
        /// The server's side.
        case server

        /// The client's side.
        case client
    }

    /// Every open clash (``RecordConflict/asked``) is settled for one side, and the rest is merged, so fields without an open
    /// clash keep their merged values. If one side is a deletion, the side wins as a whole.
    case clashes(Side)

    /// Each open clash (``RecordConflict/asked``) is settled for the side that is given for its path, and the rest is merged. If one
    /// side is a deletion, the one open clash is the whole record, at ``JSONPointer/root``.
    ///
    /// ```swift
    /// for open in try await notes.conflicts {
    ///     let answers = open.conflict.asked.map { ($0.path, Verdict.Side.client) }
    ///     try await open.resolve(.fields(Dictionary(uniqueKeysWithValues: answers)))
    /// }
    /// ```
    ///
    /// Each open clash needs a side, and a path that is no open clash is an error: ``TidemarkError/Code/invalidAnswers``.
    case fields([JSONPointer: Side])

    /// The server's record wins, or its deletion. The local change goes to the journal.
    case takeServer

    /// The client's record wins as a whole, or its deletion. The server's change goes to the journal.
    case takeClient

    /// This record wins: a JSON object.
    case merge(JSON)

    /// The user has to decide; until then the record is readable, editable and not sent.
    case ask

    /// The server's record keeps the pk, and the client's becomes a separate record.
    ///
    /// - Parameter newPK: Its pk; nil if the client makes one.
    case keepBoth(newPK: String?)
}
