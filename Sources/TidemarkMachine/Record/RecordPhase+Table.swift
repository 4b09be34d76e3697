// The transition table of a record.
//
// Rule 1: every transition of a record from one phase to another is in the files `RecordPhase+Table*.swift`.
// Rule 2: there is no `default`. The compiler proves that no cell is missing (I7).
// Rule 3: an input from server, disk or user is never `.impossible` by itself: it is classified first, and the
//         classification never returns an event that is impossible in the phase (R24). Exploration checks that.
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
