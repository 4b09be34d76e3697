// Events from the app and from the schedule.

extension RecordPhase {
    /// R23: a create over a pending delete is an edit of the record that the server still has.
    var onCreated: RecordTransition {
        switch self {
        case .absent: .move(.created(.idle), [.save, .notify])
        case .deleted(.idle), .deleted(.held): .move(.edited(.idle), [.save, .notify])
        case .deleted(.deciding): .move(.edited(.deciding), [.save, .consult, .notify])
        case .deleted(let activity): .move(.edited(activity), [.save, .notify])
        case .synced, .edited, .created: .impossible
        }
    }

    var onCreatedAgain: RecordTransition {
        switch self {
        case .deleted(.idle), .deleted(.held): .move(.created(.idle), [.save, .notify])
        case .deleted(.deciding): .move(.created(.deciding), [.save, .consult, .notify])
        case .deleted(let activity): .move(.created(activity), [.save, .notify])
        case .absent, .synced, .edited, .created: .impossible
        }
    }

    /// R1, R3. An edit lets a held record try again, and asks anew where a decision is open.
    var onEdited: RecordTransition {
        switch self {
        case .synced: .move(.edited(.idle), [.save, .notify])
        case .edited(.deciding): .move(.edited(.deciding), [.save, .consult, .notify])
        case .edited(.held): .move(.edited(.idle), [.save, .notify])
        case .edited(let activity): .move(.edited(activity), [.save, .notify])
        case .created(.deciding): .move(.created(.deciding), [.save, .consult, .notify])
        case .created(.held): .move(.created(.idle), [.save, .notify])
        case .created(let activity): .move(.created(activity), [.save, .notify])
        case .absent, .deleted: .impossible
        }
    }

    /// R2: nothing is left to say, so nothing is sent.
    var onReverted: RecordTransition {
        switch self {
        case .synced: .stay
        case .edited(.idle), .edited(.held): .move(.synced, [.save, .notify])
        case .deleted(.idle), .deleted(.held): .move(.synced, [.save, .notify])
        case .absent, .edited, .created, .deleted: .impossible
        }
    }

    /// R3, R17: the old bytes are settled under their own name first, and the edit follows. Under another name they would
    /// be counted twice where the first arrived.
    var onEditedInDoubt: RecordTransition {
        switch self {
        case .edited(.held): .move(.edited(.unconfirmed), [.save, .notify])
        case .created(.held): .move(.created(.unconfirmed), [.save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R17, R23.
    var onCreatedInDoubt: RecordTransition {
        switch self {
        case .deleted(.held): .move(.edited(.unconfirmed), [.save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R17, I11.
    var onCreatedAgainInDoubt: RecordTransition {
        switch self {
        case .deleted(.held): .move(.created(.unconfirmed), [.save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R7: what is under way is settled first; the delete is sent after it.
    var onDeleted: RecordTransition {
        switch self {
        case .synced: .move(.deleted(.idle), [.save, .notify])
        case .edited(.deciding), .created(.deciding): .move(.deleted(.deciding), [.save, .consult, .notify])
        case .edited(.held): .move(.deleted(.idle), [.save, .notify])
        case .edited(let activity): .move(.deleted(activity), [.save, .notify])
        case .created(.uploading): .move(.deleted(.uploading), [.save, .notify])
        case .created(.unconfirmed): .move(.deleted(.unconfirmed), [.save, .notify])
        case .absent, .created, .deleted: .impossible
        }
    }

    /// R6: the server never heard of it, and never will.
    var onDiscarded: RecordTransition {
        switch self {
        case .created(.idle), .created(.held): .move(.absent, [.erase, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R7, R17, I11: the fate of what was sent is settled first, with its own bytes.
    var onDeletedInDoubt: RecordTransition {
        switch self {
        case .edited(.held): .move(.deleted(.unconfirmed), [.save, .notify])
        case .created(.held): .move(.deleted(.unconfirmed), [.save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    var onReleased: RecordTransition {
        switch self {
        case .edited(.held): .move(.edited(.idle), [.save])
        case .created(.held): .move(.created(.idle), [.save])
        case .deleted(.held): .move(.deleted(.idle), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R17 holds for a held record too: its bytes go out again as they were.
    var onResumed: RecordTransition {
        switch self {
        case .edited(.held): .move(.edited(.unconfirmed), [.save])
        case .created(.held): .move(.created(.unconfirmed), [.save])
        case .deleted(.held): .move(.deleted(.unconfirmed), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }
}

// MARK: - Giving up

extension RecordPhase {
    /// R19. While deciding, giving up is taking the server's side: see `adopted` and `erased`.
    var onResigned: RecordTransition {
        switch self {
        case .edited(.idle), .edited(.uploading), .edited(.unconfirmed), .edited(.held):
            .move(.synced, [.journal, .save, .notify])
        case .deleted(.idle), .deleted(.uploading), .deleted(.unconfirmed), .deleted(.held):
            .move(.synced, [.journal, .save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R20. An edit is given up so where what it grew from was taken, and deleted there since.
    var onAbandoned: RecordTransition {
        switch self {
        case .edited(.held): .move(.absent, [.journal, .erase, .notify])
        case .created(.idle), .created(.held): .move(.absent, [.journal, .erase, .notify])
        case .deleted(.idle), .deleted(.held): .move(.absent, [.erase])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R21, I11: the server may have it, so giving up means deleting it there.
    var onWithdrawn: RecordTransition {
        switch self {
        case .created(.idle), .created(.held): .move(.deleted(.unconfirmed), [.journal, .save, .notify])
        case .created(.uploading): .move(.deleted(.uploading), [.journal, .save, .notify])
        case .created(.unconfirmed): .move(.deleted(.unconfirmed), [.journal, .save, .notify])
        case .deleted(.held): .move(.deleted(.unconfirmed), [.save])
        case .deleted(.uploading), .deleted(.unconfirmed): .stay
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }
}

// MARK: - From the schedule

extension RecordPhase {
    /// Saved before it is sent, so that a crash finds the very bytes (R17, I5).
    var onSent: RecordTransition {
        switch self {
        case .edited(.idle), .edited(.unconfirmed): .move(.edited(.uploading), [.save])
        case .created(.idle), .created(.unconfirmed): .move(.created(.uploading), [.save])
        case .deleted(.idle), .deleted(.unconfirmed): .move(.deleted(.uploading), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// SPEC §3.3 and §3.6: a limit was reached. Nothing is dropped; someone is told. One is what a policy for refusals may give up:
    /// a create that the server may have is given up once (R21), and at the next refusal it stays held. Sent again each time it
    /// would go round and round within one sync (I8).
    var onExhausted: RecordTransition {
        switch self {
        case .edited(.idle), .edited(.unconfirmed), .edited(.deciding): .move(.edited(.held), [.save, .report])
        case .created(.idle), .created(.unconfirmed), .created(.deciding): .move(.created(.held), [.save, .report])
        case .deleted(.idle), .deleted(.unconfirmed), .deleted(.deciding), .deleted(.held):
            .move(.deleted(.held), [.save, .report])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }
}
