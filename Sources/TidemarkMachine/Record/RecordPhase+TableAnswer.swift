// Events from the server in answer to a POST. R18 recognises an own write in the feed, too, so `accepted` can come
// where no POST is in flight.

extension RecordPhase {
    /// R4.
    var onAccepted: RecordTransition {
        switch self {
        case .edited(.uploading), .edited(.unconfirmed), .edited(.held): .move(.synced, [.save, .notify])
        case .created(.uploading), .created(.unconfirmed), .created(.held): .move(.synced, [.save, .notify])
        case .deleted(.uploading), .deleted(.unconfirmed), .deleted(.held): .move(.absent, [.erase])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R4, R5, R7: only the upload is cleared; what was changed meanwhile is still to be sent.
    var onAcceptedEarlier: RecordTransition {
        switch self {
        case .edited(.uploading), .edited(.unconfirmed), .edited(.held): .move(.edited(.idle), [.save, .notify])
        case .created(.uploading), .created(.unconfirmed), .created(.held): .move(.edited(.idle), [.save, .notify])
        case .deleted(.uploading), .deleted(.unconfirmed), .deleted(.held): .move(.deleted(.idle), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R23, continued: the server has deleted it, so what was made here meanwhile is a create.
    var onAcceptedGone: RecordTransition {
        switch self {
        case .edited(.uploading), .edited(.unconfirmed), .edited(.held): .move(.created(.idle), [.save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R4: it was taken, and deleted since; nothing was changed here that could be lost by it.
    var onAcceptedThenDeleted: RecordTransition {
        switch self {
        case .edited(.uploading), .created(.uploading): .move(.absent, [.erase, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// W2: nothing was changed there, so the upload goes back to the local change. The row follows as an event.
    var onConflicted: RecordTransition {
        switch self {
        case .edited(.uploading): .move(.edited(.idle), [.save])
        case .created(.uploading): .move(.created(.idle), [.save])
        case .deleted(.uploading): .move(.deleted(.idle), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R6 by way of R7: the create is settled, it was not taken, and no one wants it any more.
    var onDissolved: RecordTransition {
        switch self {
        case .deleted(.uploading): .move(.absent, [.erase])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    var onRefused: RecordTransition {
        switch self {
        case .edited(.uploading): .move(.edited(.held), [.save, .appeal, .report])
        case .created(.uploading): .move(.created(.held), [.save, .appeal, .report])
        case .deleted(.uploading): .move(.deleted(.held), [.save, .appeal, .report])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// What was changed meanwhile may be the cure, so it gets its try.
    var onRefusedEarlier: RecordTransition {
        switch self {
        case .edited(.uploading): .move(.edited(.idle), [.save])
        case .created(.uploading): .move(.created(.idle), [.save])
        case .deleted(.uploading): .move(.deleted(.idle), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R17, I9: a refusal that says nothing of the upload leaves it in doubt, with its name and its bytes, also while it is held.
    var onRefusedInDoubt: RecordTransition {
        switch self {
        case .edited(.uploading): .move(.edited(.held), [.save, .appeal, .report])
        case .created(.uploading): .move(.created(.held), [.save, .appeal, .report])
        case .deleted(.uploading): .move(.deleted(.held), [.save, .appeal, .report])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R17: an answer lost, a process killed, a power cut.
    var onLost: RecordTransition {
        switch self {
        case .edited(.uploading): .move(.edited(.unconfirmed), [.save])
        case .created(.uploading): .move(.created(.unconfirmed), [.save])
        case .deleted(.uploading): .move(.deleted(.unconfirmed), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R18, SPEC §6: from here on the server's row has to show whether it was taken.
    var onForgotten: RecordTransition {
        switch self {
        case .edited(.unconfirmed), .created(.unconfirmed), .deleted(.unconfirmed): .move(self, [.save])
        case .edited(.held), .created(.held), .deleted(.held): .move(self, [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }
}
