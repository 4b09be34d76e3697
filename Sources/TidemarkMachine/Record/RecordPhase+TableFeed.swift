// Events from the server: a row of the feed, or the row in an answer that reported a conflict.

extension RecordPhase {
    /// R10. The bulk path of a pull relies on two facts: absent and synced have the same transition, and nothing is journalled.
    var onRefreshed: RecordTransition {
        switch self {
        case .absent, .synced: .move(.synced, [.save, .notify])
        case .edited, .created, .deleted: .impossible
        }
    }

    var onRepeated: RecordTransition {
        switch self {
        case .absent, .synced, .edited, .created, .deleted: .stay
        }
    }

    /// R11, R12. Also the verdict of a tactic that keeps the local change.
    var onRebased: RecordTransition {
        switch self {
        case .edited(.idle): .move(.edited(.idle), [.summarize, .save, .notify])
        case .edited(.held): .move(.edited(.held), [.summarize, .save, .notify])
        case .edited(.deciding), .created(.deciding): .move(.edited(.idle), [.journal, .summarize, .save, .notify])
        case .deleted(.idle): .move(.deleted(.idle), [.summarize, .save])
        case .deleted(.held): .move(.deleted(.idle), [.summarize, .save])
        case .deleted(.deciding): .move(.deleted(.idle), [.journal, .summarize, .save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R12, R16.
    var onConverged: RecordTransition {
        switch self {
        case .edited(.idle), .edited(.held), .edited(.deciding): .move(.synced, [.summarize, .save, .notify])
        case .created(.idle), .created(.held), .created(.deciding): .move(.synced, [.summarize, .save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R13, R15, R16; while deciding, the tactic runs again (R22).
    var onClashed: RecordTransition {
        switch self {
        case .edited(.idle), .edited(.held), .edited(.deciding): .move(.edited(.deciding), [.save, .runTactic])
        case .created(.idle), .created(.held), .created(.deciding): .move(.created(.deciding), [.save, .runTactic])
        case .deleted(.idle), .deleted(.held), .deleted(.deciding): .move(.deleted(.deciding), [.save, .runTactic])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R8, R9, R14. A create that meets a tombstone is sent again with the tombstone's version (SPEC §5).
    var onGone: RecordTransition {
        switch self {
        case .absent: .stay
        case .synced: .move(.absent, [.erase, .notify])
        case .edited(.idle), .edited(.held), .edited(.deciding): .move(.edited(.deciding), [.save, .runTactic])
        case .created(.idle), .created(.deciding): .move(.created(.idle), [.save])
        case .created(.held): .move(.created(.held), [.save])
        case .deleted: .move(.absent, [.erase])
        case .edited, .created: .impossible
        }
    }

    /// The row is stored in addition to the upload: only the server's answer can show which of them is newer (R18, I6).
    var onSeen: RecordTransition {
        switch self {
        case .edited(.uploading), .created(.uploading), .deleted(.uploading): .move(self, [.save])
        case .edited(.unconfirmed), .created(.unconfirmed), .deleted(.unconfirmed): .move(self, [.save])
        case .edited(.held), .created(.held), .deleted(.held): .move(self, [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }
}
