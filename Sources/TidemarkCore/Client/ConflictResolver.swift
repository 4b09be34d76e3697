public import TidemarkJSON
public import TidemarkRules

/// Resolves open conflicts asynchronously: it may ask the user, a service or a model.
///
/// A ``Tactic`` decides at once, inside the transaction that applies the server's answer. A resolver runs afterwards, for the
/// conflicts that were left open (``Verdict/ask``); run it with ``SyncClient/resolveConflicts(in:with:timeout:)``.
///
/// **Write your own.** One function. Return a ``ConflictDecision`` about the given conflict, or throw an error if there is no
/// decision. An invalid decision is reported in the ``ConflictDecision/Report``, and the conflict stays open; no data is lost. After
/// the timeout its task is cancelled and no longer awaited, whether it ends or not.
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
    /// Resolves one conflict.
    func resolve(_ conflict: RecordConflict) async throws -> ConflictDecision
}

/// A verdict about the conflict of a record.
public struct ConflictDecision: Hashable, Sendable {
    /// The collection of the record.
    public let collection: String

    /// The pk of the record.
    public let pk: String

    /// The verdict.
    public let verdict: Verdict

    /// Makes a decision about a record by its pk, for example from a message of another process.
    public init(_ verdict: Verdict, collection: String, pk: String) {
        self.collection = collection
        self.pk = pk
        self.verdict = verdict
    }

    /// Makes a decision about a record by its ``RecordValue/id``.
    @_disfavoredOverload
    public init(_ verdict: Verdict, collection: String, pk: CodePointString) {
        self.init(verdict, collection: collection, pk: pk.value)
    }

    /// Makes a decision about a conflict.
    public init(_ verdict: Verdict, about conflict: RecordConflict) {
        self.init(verdict, collection: conflict.collection, pk: conflict.pk)
    }
}

extension ConflictDecision {
    /// The results of the decisions of a ``ConflictResolver``.
    public struct Report: Hashable, Sendable {
        /// A decision that was not carried out; the conflict is still open.
        public struct Refusal: Hashable, Sendable {
            /// Why a decision was not carried out.
            public enum Reason: String, CaseIterable, Hashable, Sendable {
                /// The resolver threw an error.
                case threw

                /// The resolver took too long.
                case timedOut

                /// The decision names another record than the given one.
                case otherRecord

                /// The server or the app changed the record meanwhile (R22).
                case stale

                /// The verdict is invalid: a merge that is not an object, or a pk that is taken or not allowed.
                case invalid
            }

            /// The pk of the record with the conflict.
            public let pk: String

            /// The reason.
            public let reason: Reason

            /// The reason, as a text for the user.
            public let message: String
        }

        /// The name of the collection.
        public let collection: String

        /// The pks of the conflicts that are resolved.
        public internal(set) var settled: [String] = []

        /// The pks of the conflicts that the resolver left to the user.
        public internal(set) var asked: [String] = []

        /// The decisions that were not carried out.
        public internal(set) var refused: [Refusal] = []

        mutating func refuse(_ pk: String, _ reason: Refusal.Reason, _ message: String) {
            self.refused.append(Refusal(pk: pk, reason: reason, message: message))
        }
    }
}
