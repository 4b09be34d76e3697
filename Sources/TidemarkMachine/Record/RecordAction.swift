/// One thing that the client has to do after a transition.
public enum RecordAction: UInt32, CaseIterable, Hashable, Sendable {
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

/// What the client has to do after a transition of a record.
public typealias RecordActions = ActionSet<RecordAction>

extension RecordActions {
    /// ``RecordAction/journal``
    public static var journal: Self { Self(.journal) }

    /// ``RecordAction/summarise``
    public static var summarise: Self { Self(.summarise) }

    /// ``RecordAction/save``
    public static var save: Self { Self(.save) }

    /// ``RecordAction/erase``
    public static var erase: Self { Self(.erase) }

    /// ``RecordAction/consult``
    public static var consult: Self { Self(.consult) }

    /// ``RecordAction/appeal``
    public static var appeal: Self { Self(.appeal) }

    /// ``RecordAction/notify``
    public static var notify: Self { Self(.notify) }

    /// ``RecordAction/report``
    public static var report: Self { Self(.report) }
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
