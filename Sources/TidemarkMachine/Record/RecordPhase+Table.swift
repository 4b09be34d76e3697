// The transition table of a record.
//
// Rule 1: everything that moves a record from one phase to another stands in the files `RecordPhase+Table*.swift`.
// Rule 2: there is no `default`. The compiler proves that no cell is missing (I7).
// Rule 3: what comes from server, disk or user is never `.impossible` by itself: it is classified first, and the
//         classification never names an event that the phase can't take (R24). Exploration checks that.
//
// One column of the table, that is one event, is one property. Each reads top to bottom as the phases do: absent,
// synced, edited, created, deleted.

extension RecordPhase {
    /// What an event does to a record in this phase.
    public func transition(on event: RecordEvent) -> RecordTransition {
        switch event {
        case .created: self.onCreated
        case .createdAgain: self.onCreatedAgain
        case .edited: self.onEdited
        case .reverted: self.onReverted
        case .editedInDoubt: self.onEditedInDoubt
        case .createdInDoubt: self.onCreatedInDoubt
        case .createdAgainInDoubt: self.onCreatedAgainInDoubt
        case .deleted: self.onDeleted
        case .discarded: self.onDiscarded
        case .deletedInDoubt: self.onDeletedInDoubt
        case .released: self.onReleased
        case .resumed: self.onResumed
        case .resigned: self.onResigned
        case .abandoned: self.onAbandoned
        case .withdrawn: self.onWithdrawn
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
        case .dissolved: self.onDissolved
        case .refused: self.onRefused
        case .refusedEarlier: self.onRefusedEarlier
        case .refusedInDoubt: self.onRefusedInDoubt
        case .lost: self.onLost
        case .forgotten: self.onForgotten
        case .adopted: self.onAdopted
        case .erased: self.onErased
        case .recreated: self.onRecreated
        case .revived: self.onRevived
        case .undecided: self.onUndecided
        case .stale: self.onStale
        }
    }
}
