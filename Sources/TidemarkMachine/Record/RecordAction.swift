/// One thing that the client has to do after a transition.
public enum RecordAction: UInt32, CaseIterable, Hashable, Sendable {
    /// Write the discarded values to the journal.
    case journal

    /// Store a summary of the merge with the record, for explanations.
    case summarize

    /// Write the record to the store.
    case save

    /// Remove the record from the store.
    case erase

    /// Run the tactic.
    case runTactic

    /// Run the policy for refusals.
    case applyRefusalPolicy

    /// Notify the app that the record changed.
    case notify

    /// Report to the app that the record needs attention, unless a next input follows at once.
    case report

    /// Every action, in the order in which they are carried out.
    public static let inOrder = Self.allCases
}

/// The actions of the client after a transition of a record.
public typealias RecordActions = ActionSet<RecordAction>

extension RecordActions {
    /// ``RecordAction/journal``
    public static var journal: Self { Self(.journal) }

    /// ``RecordAction/summarize``
    public static var summarize: Self { Self(.summarize) }

    /// ``RecordAction/save``
    public static var save: Self { Self(.save) }

    /// ``RecordAction/erase``
    public static var erase: Self { Self(.erase) }

    /// ``RecordAction/runTactic``
    public static var runTactic: Self { Self(.runTactic) }

    /// ``RecordAction/applyRefusalPolicy``
    public static var applyRefusalPolicy: Self { Self(.applyRefusalPolicy) }

    /// ``RecordAction/notify``
    public static var notify: Self { Self(.notify) }

    /// ``RecordAction/report``
    public static var report: Self { Self(.report) }
}
