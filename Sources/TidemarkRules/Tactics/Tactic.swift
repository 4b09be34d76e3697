import TidemarkMachine

/// A policy that decides a conflict (Contract §4).
///
/// **Choose.** ``AutoMerge`` (the default) merges field by field; ``TakeServer``, ``TakeClient`` and ``AskUser`` do what
/// their names say. They compose: ``FirstThatDecides``.
///
/// **Write your own.** A tactic is a value with one function. It must be pure: no clock, no network, no store. It runs
/// inside the transaction that applies the server's answer, so it should be quick; to wait for the user, return
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

/// The server's side wins.
public struct TakeServer: Tactic {
    /// Makes the tactic.
    public init() {}

    /// Takes the server's side.
    public func decide(_ conflict: RecordConflict) -> Verdict? { .takeServer }
}

/// The client's side wins.
public struct TakeClient: Tactic {
    /// Makes the tactic.
    public init() {}

    /// Takes the client's side.
    public func decide(_ conflict: RecordConflict) -> Verdict? { .takeClient }
}

/// The user decides.
public struct AskUser: Tactic {
    /// Makes the tactic.
    public init() {}

    /// Leaves the decision to the user.
    public func decide(_ conflict: RecordConflict) -> Verdict? { .ask }
}

/// Merges field by field: the local patch is applied to the server's record, and the collection's field rules decide the
/// fields that both sides changed.
public struct AutoMerge: Tactic {
    /// Edited here, deleted on the server.
    public var editDelete: DeletePolicy

    /// Deleted here, edited on the server.
    public var deleteEdit: DeletePolicy

    /// Makes the tactic with a delete policy for each direction.
    public init(editDelete: DeletePolicy = .editWins, deleteEdit: DeletePolicy = .editWins) {
        self.editDelete = editDelete
        self.deleteEdit = deleteEdit
    }

    /// Returns the merge of both sides, or the choice of the delete policy.
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
    /// The policy for a record that one side deleted and the other edited.
    public enum DeletePolicy: String, CaseIterable, Hashable, Sendable {
        /// The edit wins: nothing is lost.
        case editWins

        /// The deletion wins; the edit goes to the journal.
        case deleteWins

        /// The user decides.
        case ask
    }
}

/// Runs one tactic after the other; if none decides, the user does.
public struct FirstThatDecides: Tactic {
    /// The tactics, in their order.
    public var tactics: [any Tactic]

    /// Makes the tactic.
    public init(_ tactics: any Tactic...) {
        self.tactics = tactics
    }

    /// Returns the verdict of the first tactic that decides.
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
    /// The server's side wins.
    public static var takeServer: TakeServer { TakeServer() }
}

extension Tactic where Self == TakeClient {
    /// The client's side wins.
    public static var takeClient: TakeClient { TakeClient() }
}

extension Tactic where Self == AskUser {
    /// The user decides.
    public static var askUser: AskUser { AskUser() }
}
