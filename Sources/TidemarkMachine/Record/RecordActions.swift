/// One thing that the client has to do after a transition.
public enum RecordAction: UInt8, CaseIterable, Hashable, Sendable {
    /// Write what lost to the journal.
    case journal

    /// Keep what the merge did beside the record, so that it can be explained.
    case summarise

    /// Write the record to the store.
    case save

    /// Remove the record from the store.
    case erase

    /// Ask the tactic.
    case consult

    /// Ask the policy for refusals.
    case appeal

    /// Tell the app that the record changed.
    case notify

    /// Tell the app that the record needs someone, unless something follows at once.
    case report

    /// Every action, in the order in which they are carried out.
    public static let inOrder = Self.allCases
}

/// What the client has to do after a transition: names only, in one fixed order.
///
/// A set instead of a list, because the order never varies: what lost is journalled, the record is saved or erased in
/// the same transaction, and only then anyone is told. A set also lives in one byte, so a transition allocates nothing
/// (SPEC §9).
public struct RecordActions: OptionSet, Hashable, Sendable {
    /// One bit for each action.
    public let rawValue: UInt8

    /// Makes a set from its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    private init(_ action: RecordAction) {
        self.init(rawValue: 1 << action.rawValue)
    }

    /// Whether an action is among them.
    public func has(_ action: RecordAction) -> Bool {
        self.contains(RecordActions(action))
    }

    /// ``RecordAction/journal``
    public static let journal = RecordActions(.journal)

    /// ``RecordAction/summarise``
    public static let summarise = RecordActions(.summarise)

    /// ``RecordAction/save``
    public static let save = RecordActions(.save)

    /// ``RecordAction/erase``
    public static let erase = RecordActions(.erase)

    /// ``RecordAction/consult``
    public static let consult = RecordActions(.consult)

    /// ``RecordAction/appeal``
    public static let appeal = RecordActions(.appeal)

    /// ``RecordAction/notify``
    public static let notify = RecordActions(.notify)

    /// ``RecordAction/report``
    public static let report = RecordActions(.report)
}

extension RecordActions: CustomStringConvertible {
    /// The names, in the order in which they are carried out.
    public var description: String {
        RecordAction.inOrder.filter { self.has($0) }.map { "\($0)" }.joined(separator: ", ")
    }
}

/// What one event does to one phase of a record.
public enum RecordTransition: Hashable, Sendable {
    /// The record moves to a phase, and the client then acts.
    case move(RecordPhase, RecordActions)

    /// The event is legal here and changes nothing.
    case stay

    /// The event can't occur here. Receiving it is a programmer's mistake (R24).
    case impossible
}
