// The transition table of a record.
//
// Rule 1: every transition of a record from one phase to another is in this file.
// Rule 2: there is no `default`. The compiler proves that no cell is missing (I7).
// Rule 3: an input from server, disk or user is never `.impossible` by itself: it is classified first, and the
//         classification never returns an event that is impossible in the phase (R24). The simulation checks that.
//
// Each column of the table (one event) is one property. Each reads top to bottom as the phases do: absent,
// synced, edited, created, deleted.

extension RecordPhase {
    /// Returns the transition for an event in this phase.
    public func transition(on event: RecordEvent) -> RecordTransition {
        switch event {
        case .created: self.onCreated
        case .createdAgain: self.onCreatedAgain
        case .edited: self.onEdited
        case .reverted: self.onReverted
        case .editedUnconfirmed: self.onEditedUnconfirmed
        case .createdUnconfirmed: self.onCreatedUnconfirmed
        case .createdAgainUnconfirmed: self.onCreatedAgainUnconfirmed
        case .deleted: self.onDeleted
        case .discarded: self.onDiscarded
        case .deletedUnconfirmed: self.onDeletedUnconfirmed
        case .retried: self.onRetried
        case .resumed: self.onResumed
        case .resigned: self.onResigned
        case .abandoned: self.onAbandoned
        case .createAbandoned: self.onCreateAbandoned
        case .sent: self.onSent
        case .exhausted: self.onExhausted
        case .refreshed: self.onRefreshed
        case .repeated: self.onRepeated
        case .rebased: self.onRebased
        case .converged: self.onConverged
        case .clashed: self.onClashed
        case .gone: self.onGone
        case .seen: self.onSeen
        case .accepted: self.onAccepted
        case .acceptedEarlier: self.onAcceptedEarlier
        case .acceptedGone: self.onAcceptedGone
        case .acceptedThenDeleted: self.onAcceptedThenDeleted
        case .conflicted: self.onConflicted
        case .cancelledCreateRefused: self.onCancelledCreateRefused
        case .refused: self.onRefused
        case .refusedEarlier: self.onRefusedEarlier
        case .refusedUnconfirmed: self.onRefusedUnconfirmed
        case .lost: self.onLost
        case .idempotencyLost: self.onIdempotencyLost
        case .adopted: self.onAdopted
        case .erased: self.onErased
        case .recreated: self.onRecreated
        case .revived: self.onRevived
        case .escalatedToUser: self.onEscalatedToUser
        case .stale: self.onStale
        }
    }
}

// MARK: - Events from the app and from the schedule

extension RecordPhase {
    /// R23: a create over a pending delete is an edit of the record that the server still has.
    private var onCreated: RecordTransition {
        switch self {
        case .absent: .move(.created(.idle), [.save, .notify])
        case .deleted(.idle), .deleted(.held): .move(.edited(.idle), [.save, .notify])
        case .deleted(.deciding): .move(.edited(.deciding), [.save, .runTactic, .notify])
        case .deleted(let activity): .move(.edited(activity), [.save, .notify])
        case .synced, .edited, .created: .impossible
        }
    }

    private var onCreatedAgain: RecordTransition {
        switch self {
        case .deleted(.idle), .deleted(.held): .move(.created(.idle), [.save, .notify])
        case .deleted(.deciding): .move(.created(.deciding), [.save, .runTactic, .notify])
        case .deleted(let activity): .move(.created(activity), [.save, .notify])
        case .absent, .synced, .edited, .created: .impossible
        }
    }

    /// R1, R3. An edit of a held record retries it; an edit of a record with an open conflict runs the tactic again.
    private var onEdited: RecordTransition {
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
    private var onReverted: RecordTransition {
        switch self {
        case .synced: .stay
        case .edited(.idle), .edited(.held): .move(.synced, [.save, .notify])
        case .deleted(.idle), .deleted(.held): .move(.synced, [.save, .notify])
        case .absent, .edited, .created, .deleted: .impossible
        }
    }

    /// R3, R17: the old upload is sent first, under its own request id, and the edit follows. If the first upload arrived, a
    /// new request id would apply it twice.
    private var onEditedUnconfirmed: RecordTransition {
        switch self {
        case .edited(.held): .move(.edited(.unconfirmed), [.save, .notify])
        case .created(.held): .move(.created(.unconfirmed), [.save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R17, R23.
    private var onCreatedUnconfirmed: RecordTransition {
        switch self {
        case .deleted(.held): .move(.edited(.unconfirmed), [.save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R17, I11.
    private var onCreatedAgainUnconfirmed: RecordTransition {
        switch self {
        case .deleted(.held): .move(.created(.unconfirmed), [.save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R7: the pending upload is settled first; the delete is sent after it.
    private var onDeleted: RecordTransition {
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
    private var onDiscarded: RecordTransition {
        switch self {
        case .created(.idle), .created(.held): .move(.absent, [.erase, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R7, R17, I11: the outcome of the upload is settled first, by the same bytes.
    private var onDeletedUnconfirmed: RecordTransition {
        switch self {
        case .edited(.held): .move(.deleted(.unconfirmed), [.save, .notify])
        case .created(.held): .move(.deleted(.unconfirmed), [.save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    private var onRetried: RecordTransition {
        switch self {
        case .edited(.held): .move(.edited(.idle), [.save])
        case .created(.held): .move(.created(.idle), [.save])
        case .deleted(.held): .move(.deleted(.idle), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R17 applies to a held record, too: its upload is sent again unchanged.
    private var onResumed: RecordTransition {
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
    private var onResigned: RecordTransition {
        switch self {
        case .edited(.idle), .edited(.uploading), .edited(.unconfirmed), .edited(.held):
            .move(.synced, [.journal, .save, .notify])
        case .deleted(.idle), .deleted(.uploading), .deleted(.unconfirmed), .deleted(.held):
            .move(.synced, [.journal, .save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R20. An edit ends here if its upload was accepted and the record was deleted on the server afterwards.
    private var onAbandoned: RecordTransition {
        switch self {
        case .edited(.held): .move(.absent, [.journal, .erase, .notify])
        case .created(.idle), .created(.held): .move(.absent, [.journal, .erase, .notify])
        case .deleted(.idle), .deleted(.held): .move(.absent, [.erase])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R21, I11: the server may have the record, so it is deleted there.
    private var onCreateAbandoned: RecordTransition {
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
    private var onSent: RecordTransition {
        switch self {
        case .edited(.idle), .edited(.unconfirmed): .move(.edited(.uploading), [.save])
        case .created(.idle), .created(.unconfirmed): .move(.created(.uploading), [.save])
        case .deleted(.idle), .deleted(.unconfirmed): .move(.deleted(.uploading), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// Contract §3.3 and §3.6: a limit was reached. Nothing is dropped, and the app is told. This is also the event if a policy for
    /// refusals gives up a change that was given up before: a create that the server may have is given up once (R21), and stays
    /// held at the next refusal. If it were sent again each time, one sync would repeat it without an end (I8).
    private var onExhausted: RecordTransition {
        switch self {
        case .edited(.idle), .edited(.unconfirmed), .edited(.deciding): .move(.edited(.held), [.save, .report])
        case .created(.idle), .created(.unconfirmed), .created(.deciding): .move(.created(.held), [.save, .report])
        case .deleted(.idle), .deleted(.unconfirmed), .deleted(.deciding), .deleted(.held):
            .move(.deleted(.held), [.save, .report])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }
}

// MARK: - Events from the server in answer to a POST

// R18 recognizes an own write in the feed, too, so `accepted` is possible while no POST is in flight.

extension RecordPhase {
    /// R4.
    private var onAccepted: RecordTransition {
        switch self {
        case .edited(.uploading), .edited(.unconfirmed), .edited(.held): .move(.synced, [.save, .notify])
        case .created(.uploading), .created(.unconfirmed), .created(.held): .move(.synced, [.save, .notify])
        case .deleted(.uploading), .deleted(.unconfirmed), .deleted(.held): .move(.absent, [.erase])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R4, R5, R7: only the upload is cleared; later local changes are still to be sent.
    private var onAcceptedEarlier: RecordTransition {
        switch self {
        case .edited(.uploading), .edited(.unconfirmed), .edited(.held): .move(.edited(.idle), [.save, .notify])
        case .created(.uploading), .created(.unconfirmed), .created(.held): .move(.edited(.idle), [.save, .notify])
        case .deleted(.uploading), .deleted(.unconfirmed), .deleted(.held): .move(.deleted(.idle), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R23, continued: the server has deleted the record, so the record that was created here meanwhile is a create.
    private var onAcceptedGone: RecordTransition {
        switch self {
        case .edited(.uploading), .edited(.unconfirmed), .edited(.held): .move(.created(.idle), [.save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R4: the server accepted it, and the record was deleted there afterwards; there is no later local change that could be
    /// lost.
    private var onAcceptedThenDeleted: RecordTransition {
        switch self {
        case .edited(.uploading), .created(.uploading): .move(.absent, [.erase, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// W2: the server applied nothing, so the upload becomes part of the local change again. The row follows as an event.
    private var onConflicted: RecordTransition {
        switch self {
        case .edited(.uploading): .move(.edited(.idle), [.save])
        case .created(.uploading): .move(.created(.idle), [.save])
        case .deleted(.uploading): .move(.deleted(.idle), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R6 through R7: the create was not accepted, and the record was deleted here, so nothing is left.
    private var onCancelledCreateRefused: RecordTransition {
        switch self {
        case .deleted(.uploading): .move(.absent, [.erase])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    private var onRefused: RecordTransition {
        switch self {
        case .edited(.uploading): .move(.edited(.held), [.save, .applyRefusalPolicy, .report])
        case .created(.uploading): .move(.created(.held), [.save, .applyRefusalPolicy, .report])
        case .deleted(.uploading): .move(.deleted(.held), [.save, .applyRefusalPolicy, .report])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// The later local change may fix the cause of the refusal, so it is sent.
    private var onRefusedEarlier: RecordTransition {
        switch self {
        case .edited(.uploading): .move(.edited(.idle), [.save])
        case .created(.uploading): .move(.created(.idle), [.save])
        case .deleted(.uploading): .move(.deleted(.idle), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R17, I9: a refusal that is no evidence about the upload leaves it unconfirmed, with its request id and its bytes, also
    /// while it is held.
    private var onRefusedUnconfirmed: RecordTransition {
        switch self {
        case .edited(.uploading): .move(.edited(.held), [.save, .applyRefusalPolicy, .report])
        case .created(.uploading): .move(.created(.held), [.save, .applyRefusalPolicy, .report])
        case .deleted(.uploading): .move(.deleted(.held), [.save, .applyRefusalPolicy, .report])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R17: the answer was lost, the process was killed, or the power failed.
    private var onLost: RecordTransition {
        switch self {
        case .edited(.uploading): .move(.edited(.unconfirmed), [.save])
        case .created(.uploading): .move(.created(.unconfirmed), [.save])
        case .deleted(.uploading): .move(.deleted(.unconfirmed), [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R18, Contract §6: from here on the server's row has to show whether the upload was accepted.
    private var onIdempotencyLost: RecordTransition {
        switch self {
        case .edited(.unconfirmed), .created(.unconfirmed), .deleted(.unconfirmed): .move(self, [.save])
        case .edited(.held), .created(.held), .deleted(.held): .move(self, [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }
}

// MARK: - Events from the server: a row of the feed, or the row in an answer that reported a conflict

extension RecordPhase {
    /// R10. The bulk path of a pull relies on two facts: absent and synced have the same transition, and nothing is journalled.
    private var onRefreshed: RecordTransition {
        switch self {
        case .absent, .synced: .move(.synced, [.save, .notify])
        case .edited, .created, .deleted: .impossible
        }
    }

    private var onRepeated: RecordTransition {
        switch self {
        case .absent, .synced, .edited, .created, .deleted: .stay
        }
    }

    /// R11, R12. Also the verdict of a tactic that keeps the local change.
    private var onRebased: RecordTransition {
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
    private var onConverged: RecordTransition {
        switch self {
        case .edited(.idle), .edited(.held), .edited(.deciding): .move(.synced, [.summarize, .save, .notify])
        case .created(.idle), .created(.held), .created(.deciding): .move(.synced, [.summarize, .save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R13, R15, R16; while deciding, the tactic runs again (R22).
    private var onClashed: RecordTransition {
        switch self {
        case .edited(.idle), .edited(.held), .edited(.deciding): .move(.edited(.deciding), [.save, .runTactic])
        case .created(.idle), .created(.held), .created(.deciding): .move(.created(.deciding), [.save, .runTactic])
        case .deleted(.idle), .deleted(.held), .deleted(.deciding): .move(.deleted(.deciding), [.save, .runTactic])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R8, R9, R14. A create that meets a tombstone is sent again with the tombstone's version (Contract §5).
    private var onGone: RecordTransition {
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
    private var onSeen: RecordTransition {
        switch self {
        case .edited(.uploading), .created(.uploading), .deleted(.uploading): .move(self, [.save])
        case .edited(.unconfirmed), .created(.unconfirmed), .deleted(.unconfirmed): .move(self, [.save])
        case .edited(.held), .created(.held), .deleted(.held): .move(self, [.save])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }
}

// MARK: - Events from the conflict tactic, or from the user it asked

// `rebased` can be a verdict, too: see the events of the feed.

extension RecordPhase {
    private var onAdopted: RecordTransition {
        switch self {
        case .edited(.deciding), .created(.deciding), .deleted(.deciding):
            .move(.synced, [.journal, .summarize, .save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    private var onErased: RecordTransition {
        switch self {
        case .edited(.deciding): .move(.absent, [.journal, .erase, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    private var onRecreated: RecordTransition {
        switch self {
        case .edited(.deciding): .move(.created(.idle), [.journal, .summarize, .save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    private var onRevived: RecordTransition {
        switch self {
        case .deleted(.deciding): .move(.edited(.idle), [.journal, .summarize, .save, .notify])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// An open conflict is stored: the record stays readable and editable, and other records continue to sync.
    private var onEscalatedToUser: RecordTransition {
        switch self {
        case .edited(.deciding), .created(.deciding), .deleted(.deciding): .move(self, [.save, .report])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }

    /// R22.
    private var onStale: RecordTransition {
        switch self {
        case .edited(.deciding), .created(.deciding), .deleted(.deciding): .move(self, [.runTactic])
        case .absent, .synced, .edited, .created, .deleted: .impossible
        }
    }
}
