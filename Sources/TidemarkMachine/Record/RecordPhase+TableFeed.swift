// Events from the server: a row of the feed, or the row that a conflicted answer brought.

extension RecordPhase {
    /// R10. The bulk path of a pull relies on both rows being alike, and on nothing being journalled.
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

    /// R11, R12. Also the verdict of a tactic that lets the local change go on.
    var onRebased: RecordTransition {
        switch self {
        case .edited(.idle): .move(.edited(.idle), [.summarise, .save, .notify])
        case .edited(.held): .move(.edited(.held), [.summarise, .save, .notify])
        case .edited(.deciding), .created(.deciding): .move(.edited(.idle), [.journal, .summarise, .save, .notify])
        case .deleted(.idle): .move(.deleted(.idle), [.summarise, .save])
        case .deleted(.held): .move(.deleted(.idle), [.summarise, .save])
        case .deleted(.deciding): .move(.deleted(.idle), [.journal, .summarise, .save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R12, R16.
    var onConverged: RecordTransition {
        switch self {
        case .edited(.idle), .edited(.held), .edited(.deciding): .move(.synced, [.summarise, .save, .notify])
        case .created(.idle), .created(.held), .created(.deciding): .move(.synced, [.summarise, .save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R13, R15, R16; while deciding, the question is asked anew (R22).
    var onClashed: RecordTransition {
        switch self {
        case .edited(.idle), .edited(.held), .edited(.deciding): .move(.edited(.deciding), [.save, .consult])
        case .created(.idle), .created(.held), .created(.deciding): .move(.created(.deciding), [.save, .consult])
        case .deleted(.idle), .deleted(.held), .deleted(.deciding): .move(.deleted(.deciding), [.save, .consult])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R8, R9, R14. A create that meets a tombstone is sent again with the tombstone's version (SPEC §5).
    var onGone: RecordTransition {
        switch self {
        case .absent: .stay
        case .synced: .move(.absent, [.erase, .notify])
        case .edited(.idle), .edited(.held), .edited(.deciding): .move(.edited(.deciding), [.save, .consult])
        case .created(.idle), .created(.deciding): .move(.created(.idle), [.save])
        case .created(.held): .move(.created(.held), [.save])
        case .deleted: .move(.absent, [.erase])
        case .edited, .created: .impossible
        }
    }

    /// The row is kept beside the upload: only the server's answer can say which came first (R18, I6).
    var onSeen: RecordTransition {
        switch self {
        case .edited(.uploading), .created(.uploading), .deleted(.uploading): .move(self, [.save])
        case .edited(.unconfirmed), .created(.unconfirmed), .deleted(.unconfirmed): .move(self, [.save])
        case .edited(.held), .created(.held), .deleted(.held): .move(self, [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }
}
