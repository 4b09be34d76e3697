// Events from the app and from the schedule.

extension RecordPhase {
    /// R23: a create over a pending delete is an edit of the record that the server still has.
    var onCreated: RecordTransition {
        switch self {
        case .absent: .move(.created(.idle), [.save, .notify])
        case .deleted(.idle), .deleted(.held): .move(.edited(.idle), [.save, .notify])
        case .deleted(.deciding): .move(.edited(.deciding), [.save, .runTactic, .notify])
        case .deleted(let activity): .move(.edited(activity), [.save, .notify])
        case .synced, .edited, .created: .impossible
        }
    }

    var onCreatedAgain: RecordTransition {
        switch self {
        case .deleted(.idle), .deleted(.held): .move(.created(.idle), [.save, .notify])
        case .deleted(.deciding): .move(.created(.deciding), [.save, .runTactic, .notify])
        case .deleted(let activity): .move(.created(activity), [.save, .notify])
        case .absent, .synced, .edited, .created: .impossible
        }
    }

    /// R1, R3. An edit of a held record retries it; an edit of a record with an open conflict runs the tactic again.
    var onEdited: RecordTransition {
        switch self {
        case .synced: .move(.edited(.idle), [.save, .notify])
        case .edited(.deciding): .move(.edited(.deciding), [.save, .runTactic, .notify])
        case .edited(.held): .move(.edited(.idle), [.save, .notify])
        case .edited(let activity): .move(.edited(activity), [.save, .notify])
        case .created(.deciding): .move(.created(.deciding), [.save, .runTactic, .notify])
        case .created(.held): .move(.created(.idle), [.save, .notify])
        case .created(let activity): .move(.created(activity), [.save, .notify])
        case .absent, .deleted: .impossible
        }
    }

    /// R2: no change is left, so nothing is sent.
    var onReverted: RecordTransition {
        switch self {
        case .synced: .stay
        case .edited(.idle), .edited(.held): .move(.synced, [.save, .notify])
        case .deleted(.idle), .deleted(.held): .move(.synced, [.save, .notify])
        case .absent, .edited, .created, .deleted: .impossible
        }
    }

    /// R3, R17: the old upload is sent first, under its own request id, and the edit follows. If the first upload arrived, a
    /// new request id would apply it twice.
    var onEditedUnconfirmed: RecordTransition {
        switch self {
        case .edited(.held): .move(.edited(.unconfirmed), [.save, .notify])
        case .created(.held): .move(.created(.unconfirmed), [.save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R17, R23.
    var onCreatedUnconfirmed: RecordTransition {
        switch self {
        case .deleted(.held): .move(.edited(.unconfirmed), [.save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R17, I11.
    var onCreatedAgainUnconfirmed: RecordTransition {
        switch self {
        case .deleted(.held): .move(.created(.unconfirmed), [.save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R7: the pending upload is settled first; the delete is sent after it.
    var onDeleted: RecordTransition {
        switch self {
        case .synced: .move(.deleted(.idle), [.save, .notify])
        case .edited(.deciding), .created(.deciding): .move(.deleted(.deciding), [.save, .runTactic, .notify])
        case .edited(.held): .move(.deleted(.idle), [.save, .notify])
        case .edited(let activity): .move(.deleted(activity), [.save, .notify])
        case .created(.uploading): .move(.deleted(.uploading), [.save, .notify])
        case .created(.unconfirmed): .move(.deleted(.unconfirmed), [.save, .notify])
        case .absent, .created, .deleted: .impossible
        }
    }

    /// R6: the server never received it, and never will.
    var onDiscarded: RecordTransition {
        switch self {
        case .created(.idle), .created(.held): .move(.absent, [.erase, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R7, R17, I11: the outcome of the upload is settled first, by the same bytes.
    var onDeletedUnconfirmed: RecordTransition {
        switch self {
        case .edited(.held): .move(.deleted(.unconfirmed), [.save, .notify])
        case .created(.held): .move(.deleted(.unconfirmed), [.save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    var onRetried: RecordTransition {
        switch self {
        case .edited(.held): .move(.edited(.idle), [.save])
        case .created(.held): .move(.created(.idle), [.save])
        case .deleted(.held): .move(.deleted(.idle), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R17 applies to a held record, too: its upload is sent again unchanged.
    var onResumed: RecordTransition {
        switch self {
        case .edited(.held): .move(.edited(.unconfirmed), [.save])
        case .created(.held): .move(.created(.unconfirmed), [.save])
        case .deleted(.held): .move(.deleted(.unconfirmed), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }
}

// MARK: - Discarding

extension RecordPhase {
    /// R19. While deciding, to resign is to take the server's side: see `adopted` and `erased`.
    var onResigned: RecordTransition {
        switch self {
        case .edited(.idle), .edited(.uploading), .edited(.unconfirmed), .edited(.held):
            .move(.synced, [.journal, .save, .notify])
        case .deleted(.idle), .deleted(.uploading), .deleted(.unconfirmed), .deleted(.held):
            .move(.synced, [.journal, .save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R20. An edit ends here if its upload was accepted and the record was deleted on the server afterwards.
    var onAbandoned: RecordTransition {
        switch self {
        case .edited(.held): .move(.absent, [.journal, .erase, .notify])
        case .created(.idle), .created(.held): .move(.absent, [.journal, .erase, .notify])
        case .deleted(.idle), .deleted(.held): .move(.absent, [.erase])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R21, I11: the server may have the record, so it is deleted there.
    var onCreateAbandoned: RecordTransition {
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
    /// Saved before it is sent, so that the same bytes are in the store after a crash (R17, I5).
    var onSent: RecordTransition {
        switch self {
        case .edited(.idle), .edited(.unconfirmed): .move(.edited(.uploading), [.save])
        case .created(.idle), .created(.unconfirmed): .move(.created(.uploading), [.save])
        case .deleted(.idle), .deleted(.unconfirmed): .move(.deleted(.uploading), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// SPEC §3.3 and §3.6: a limit was reached. Nothing is dropped, and the app is told. This is also the event if a policy for
    /// refusals gives up a change that was given up before: a create that the server may have is given up once (R21), and stays
    /// held at the next refusal. If it were sent again each time, one sync would repeat it without an end (I8).
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
