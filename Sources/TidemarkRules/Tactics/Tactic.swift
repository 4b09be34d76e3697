import TidemarkMachine

/// What decides a conflict (SPEC §4).
///
/// **Choose.** ``AutoMerge`` (the default) merges field by field; ``TakeServer``, ``TakeClient`` and ``AskUser`` do what
/// they say. They compose: ``FirstThatDecides``.
///
/// **Write your own.** A tactic is a value with one function. It must be pure: no clock, no network, no store. It runs
/// inside the transaction that takes in the server's answer, so it should be quick; to wait for someone, answer
/// ``Verdict/ask`` and resolve the conflict later.
///
/// ```swift
/// struct NewestPriceWins: Tactic {
///     func decide(_ conflict: RecordConflict) -> Verdict? {
///         guard conflict.collection == "prices" else { return nil }
///         return .takeServer
///     }
/// }
/// ```
///
/// **Test it.** Make a ``RecordConflict`` and call ``decide(_:)``; no client is needed.
public protocol Tactic: Sendable {
    /// Decides, or (nil) leaves the decision to the next tactic.
    func decide(_ conflict: RecordConflict) -> Verdict?
}

/// The server's side stands.
public struct TakeServer: Tactic {
    /// Makes the tactic.
    public init() {}

    /// Takes the server's side.
    public func decide(_ conflict: RecordConflict) -> Verdict? { .takeServer }
}

/// The client's side stands.
public struct TakeClient: Tactic {
    /// Makes the tactic.
    public init() {}

    /// Takes the client's side.
    public func decide(_ conflict: RecordConflict) -> Verdict? { .takeClient }
}

/// A person decides.
public struct AskUser: Tactic {
    /// Makes the tactic.
    public init() {}

    /// Asks.
    public func decide(_ conflict: RecordConflict) -> Verdict? { .ask }
}

/// Merges field by field: the local patch over fresh data, and the collection's field rules where both sides changed
/// the same field.
public struct AutoMerge: Tactic {
    /// Edited here, deleted there.
    public var editDelete: DeletePolicy

    /// Deleted here, edited there.
    public var deleteEdit: DeletePolicy

    /// Makes the tactic with a delete policy for each direction.
    public init(editDelete: DeletePolicy = .editWins, deleteEdit: DeletePolicy = .editWins) {
        self.editDelete = editDelete
        self.deleteEdit = deleteEdit
    }

    /// The merge of both sides, or what the delete policy says.
    public func decide(_ conflict: RecordConflict) -> Verdict? {
        switch (conflict.kind, conflict.merged) {
        case (.editEdit, .some(let merged)), (.createCreate, .some(let merged)):
            return conflict.undecided.isEmpty ? .merge(merged) : .ask
        case (.editEdit, nil), (.createCreate, nil): return .ask
        case (.editDelete, _):
            switch self.editDelete {
            case .editWins: return .takeClient
            case .deleteWins: return .takeServer
            case .ask: return .ask
            }
        case (.deleteEdit, _):
            switch self.deleteEdit {
            case .editWins: return .takeServer
            case .deleteWins: return .takeClient
            case .ask: return .ask
            }
        }
    }
}

extension AutoMerge {
    /// What becomes of a record that one side deleted and the other edited.
    public enum DeletePolicy: String, CaseIterable, Hashable, Sendable {
        /// The edit stands: nothing is lost.
        case editWins

        /// The deletion stands; the edit goes to the journal.
        case deleteWins

        /// A person decides.
        case ask
    }
}

/// Asks one tactic after the other; when none decides, a person does.
public struct FirstThatDecides: Tactic {
    /// The tactics, in their order.
    public var tactics: [any Tactic]

    /// Makes the tactic.
    public init(_ tactics: any Tactic...) {
        self.tactics = tactics
    }

    /// What the first tactic says that says anything.
    public func decide(_ conflict: RecordConflict) -> Verdict? {
        for tactic in self.tactics {
            if let verdict = tactic.decide(conflict) { return verdict }
        }
        return nil
    }
}

extension Tactic where Self == AutoMerge {
    /// Merges field by field; an edit wins over a deletion.
    public static var autoMerge: AutoMerge { AutoMerge() }
}

extension Tactic where Self == TakeServer {
    /// The server's side stands.
    public static var takeServer: TakeServer { TakeServer() }
}

extension Tactic where Self == TakeClient {
    /// The client's side stands.
    public static var takeClient: TakeClient { TakeClient() }
}

extension Tactic where Self == AskUser {
    /// A person decides.
    public static var askUser: AskUser { AskUser() }
}
