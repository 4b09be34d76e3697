public import TidemarkMachine

/// A change of a record, or of its status.
public struct RecordChange: Hashable, Sendable {
    /// The cause of the change.
    public enum Origin: String, Hashable, Sendable {
        /// The app.
        case app

        /// The server, or its answer to a request.
        case server

        /// A merge of both.
        case merge

        /// The local change was discarded (resigned).
        case resignation

        /// No value changed; the record is being sent to the server (its phase is uploading), or the answer was lost
        /// (unconfirmed).
        case upload

        /// No value changed; a conflict waits for the user.
        case conflict

        /// No value changed; the record is held.
        case hold

        /// No value changed; the server refused the change, and the user has to decide.
        case refusal
    }

    /// The name of the collection.
    public let collection: String

    /// The pk of the record.
    public let pk: String

    /// The cause of the change.
    public let origin: Origin

    /// The phase of the record now.
    public let phase: RecordPhase

    /// For a conflict: why the verdict of the app's tactic is invalid, so that the user is asked; nil otherwise.
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
