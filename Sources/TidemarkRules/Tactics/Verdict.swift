public import TidemarkJSON

/// What a tactic, or a person, says about a conflict.
public enum Verdict: Hashable, Sendable {
    /// One of the two sides of a conflict.
    public enum Side: String, CaseIterable, Hashable, Sendable {
        /// What the server has.
        case server

        /// What the client has.
        case client
    }

    /// Every clash that is asked about (``RecordConflict/asked``) is settled for one side, and the rest is merged: what
    /// nobody was asked about is not undone. Where one side is a deletion, the side stands as a whole.
    case clashes(Side)

    /// The server's record stands, or its deletion. What was changed here goes to the journal.
    case takeServer

    /// The client's record stands as a whole, or its deletion. What the server changed goes to the journal.
    case takeClient

    /// This record stands: a JSON object.
    case merge(JSON)

    /// A person has to decide; until then the record is readable, editable and not sent.
    case ask

    /// The server's record stands under the pk, and the client's becomes a record of its own.
    ///
    /// - Parameter newPK: Its pk; nil lets the client make one.
    case keepBoth(newPK: String?)
}
