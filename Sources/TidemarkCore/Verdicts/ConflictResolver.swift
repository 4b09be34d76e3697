public import TidemarkRules

/// Decides open conflicts, and may take its time: it asks a person, a service or a model.
///
/// A ``Tactic`` decides at once, inside the transaction that takes in the server's answer. A resolver comes afterwards, for
/// the conflicts that were left open (``Verdict/ask``); run it with
/// ``SyncClient/resolveConflicts(in:with:timeout:)``.
///
/// **Write your own.** One function. Return a ``ConflictDecision`` about the conflict that was handed in, or throw when there is
/// none. What is wrong with a decision is said in the ``ResolutionReport``, and the conflict stays open; nothing is lost by
/// it. When it takes longer than the timeout its task is cancelled and no longer waited for, whether it ends or not.
///
/// ```swift
/// struct AskTheOffice: ConflictResolver {
///     let office: Office
///     func resolve(_ conflict: RecordConflict) async throws -> ConflictDecision {
///         ConflictDecision(try await office.prefersServer(conflict.pk) ? .takeServer : .takeClient, about: conflict)
///     }
/// }
/// ```
///
/// **Test it.** Make a ``RecordConflict`` and await ``resolve(_:)``; no client is needed.
public protocol ConflictResolver: Sendable {
    /// Decides one conflict.
    func resolve(_ conflict: RecordConflict) async throws -> ConflictDecision
}

/// A verdict, and what it is about.
public struct ConflictDecision: Hashable, Sendable {
    /// The collection of the record.
    public let collection: String

    /// The record.
    public let pk: String

    /// What is decided.
    public let verdict: Verdict

    /// Makes a decision about a record by its name, as who gets it over a wire does.
    public init(_ verdict: Verdict, collection: String, pk: String) {
        self.collection = collection
        self.pk = pk
        self.verdict = verdict
    }

    /// Makes a decision about a conflict.
    public init(_ verdict: Verdict, about conflict: RecordConflict) {
        self.init(verdict, collection: conflict.collection, pk: conflict.pk)
    }
}

/// What came of the decisions of a ``ConflictResolver``.
public struct ResolutionReport: Hashable, Sendable {
    /// A decision that was not carried out; the conflict is still open.
    public struct Refusal: Hashable, Sendable {
        /// Why a decision was not carried out.
        public enum Reason: String, CaseIterable, Hashable, Sendable {
            /// The resolver threw an error.
            case threw

            /// The resolver took too long.
            case timedOut

            /// The decision names another record than was asked about.
            case otherRecord

            /// The server or the app changed the record meanwhile (R22).
            case stale

            /// The verdict can't be carried out: a merge that is no object, or a pk that is taken or can't be a name.
            case invalid
        }

        /// The record that was asked about.
        public let pk: String

        /// Why.
        public let reason: Reason

        /// Why, for a person.
        public let message: String
    }

    /// The collection.
    public let collection: String

    /// The pks of the conflicts that are settled.
    public internal(set) var settled: [String] = []

    /// The pks of the conflicts that the resolver left to a person.
    public internal(set) var asked: [String] = []

    /// The decisions that were not carried out.
    public internal(set) var refused: [Refusal] = []

    mutating func refuse(_ pk: String, _ reason: Refusal.Reason, _ message: String) {
        self.refused.append(Refusal(pk: pk, reason: reason, message: message))
    }
}
