// Events from the server in answer to a POST. R18 recognizes an own write in the feed, too, so `accepted` is possible
// while no POST is in flight.

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

    /// R4, R5, R7: only the upload is cleared; later local changes are still to be sent.
    var onAcceptedEarlier: RecordTransition {
        switch self {
        case .edited(.uploading), .edited(.unconfirmed), .edited(.held): .move(.edited(.idle), [.save, .notify])
        case .created(.uploading), .created(.unconfirmed), .created(.held): .move(.edited(.idle), [.save, .notify])
        case .deleted(.uploading), .deleted(.unconfirmed), .deleted(.held): .move(.deleted(.idle), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R23, continued: the server has deleted the record, so the record that was created here meanwhile is a create.
    var onAcceptedGone: RecordTransition {
        switch self {
        case .edited(.uploading), .edited(.unconfirmed), .edited(.held): .move(.created(.idle), [.save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R4: the server accepted it, and the record was deleted there afterwards; there is no later local change that could be
    /// lost.
    var onAcceptedThenDeleted: RecordTransition {
        switch self {
        case .edited(.uploading), .created(.uploading): .move(.absent, [.erase, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// W2: the server applied nothing, so the upload becomes part of the local change again. The row follows as an event.
    var onConflicted: RecordTransition {
        switch self {
        case .edited(.uploading): .move(.edited(.idle), [.save])
        case .created(.uploading): .move(.created(.idle), [.save])
        case .deleted(.uploading): .move(.deleted(.idle), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R6 through R7: the create was not accepted, and the record was deleted here, so nothing is left.
    var onCancelledCreateRefused: RecordTransition {
        switch self {
        case .deleted(.uploading): .move(.absent, [.erase])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    var onRefused: RecordTransition {
        switch self {
        case .edited(.uploading): .move(.edited(.held), [.save, .applyRefusalPolicy, .report])
        case .created(.uploading): .move(.created(.held), [.save, .applyRefusalPolicy, .report])
        case .deleted(.uploading): .move(.deleted(.held), [.save, .applyRefusalPolicy, .report])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// The later local change may fix the cause of the refusal, so it is sent.
    var onRefusedEarlier: RecordTransition {
        switch self {
        case .edited(.uploading): .move(.edited(.idle), [.save])
        case .created(.uploading): .move(.created(.idle), [.save])
        case .deleted(.uploading): .move(.deleted(.idle), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R17, I9: a refusal that is no evidence about the upload leaves it unconfirmed, with its request id and its bytes, also
    /// while it is held.
    var onRefusedUnconfirmed: RecordTransition {
        switch self {
        case .edited(.uploading): .move(.edited(.held), [.save, .applyRefusalPolicy, .report])
        case .created(.uploading): .move(.created(.held), [.save, .applyRefusalPolicy, .report])
        case .deleted(.uploading): .move(.deleted(.held), [.save, .applyRefusalPolicy, .report])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R17: the answer was lost, the process was killed, or the power failed.
    var onLost: RecordTransition {
        switch self {
        case .edited(.uploading): .move(.edited(.unconfirmed), [.save])
        case .created(.uploading): .move(.created(.unconfirmed), [.save])
        case .deleted(.uploading): .move(.deleted(.unconfirmed), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R18, SPEC §6: from here on the server's row has to show whether the upload was accepted.
    var onIdempotencyLost: RecordTransition {
        switch self {
        case .edited(.unconfirmed), .created(.unconfirmed), .deleted(.unconfirmed): .move(self, [.save])
        case .edited(.held), .created(.held), .deleted(.held): .move(self, [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }
}
