// Events from the conflict tactic, or from the user it asked. `rebased` can be a verdict, too: see the
// feed's events.

extension RecordPhase {
    var onAdopted: RecordTransition {
        switch self {
        case .edited(.deciding), .created(.deciding), .deleted(.deciding):
            .move(.synced, [.journal, .summarize, .save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    var onErased: RecordTransition {
        switch self {
        case .edited(.deciding): .move(.absent, [.journal, .erase, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    var onRecreated: RecordTransition {
        switch self {
        case .edited(.deciding): .move(.created(.idle), [.journal, .summarize, .save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    var onRevived: RecordTransition {
        switch self {
        case .deleted(.deciding): .move(.edited(.idle), [.journal, .summarize, .save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// An open conflict is stored: the record stays readable and editable, and other records continue to sync.
    var onEscalatedToUser: RecordTransition {
        switch self {
        case .edited(.deciding), .created(.deciding), .deleted(.deciding): .move(self, [.save, .report])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R22.
    var onStale: RecordTransition {
        switch self {
        case .edited(.deciding), .created(.deciding), .deleted(.deciding): .move(self, [.runTactic])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }
}
