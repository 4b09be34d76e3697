public import TidemarkMachine

/// A record changed, or needs someone.
public struct RecordChange: Hashable, Sendable {
    /// Who changed it.
    public enum Origin: String, Hashable, Sendable {
        /// The app.
        case app

        /// The server, or its answer to what was sent.
        case server

        /// A merge of both.
        case merge

        /// The local change was given up.
        case resignation

        /// Nothing changed; the record goes up to the server (its phase is uploading), or the answer was lost (unconfirmed).
        case upload

        /// Nothing changed; a conflict waits for a person.
        case conflict

        /// Nothing changed; the record is held.
        case hold

        /// Nothing changed; the server refused the change, and a person has to say what becomes of it.
        case refusal
    }

    /// The collection.
    public let collection: String

    /// The record.
    public let pk: String

    /// Who changed it.
    public let origin: Origin

    /// Where the record stands now.
    public let phase: RecordPhase

    /// For a conflict: what is wrong with the verdict of the app's tactic, so that a person is asked; nil when nothing is.
    public let problem: String?

    /// Makes a change.
    public init(collection: String, pk: String, origin: Origin, phase: RecordPhase, problem: String? = nil) {
        self.collection = collection
        self.pk = pk
        self.origin = origin
        self.phase = phase
        self.problem = problem
    }
}
