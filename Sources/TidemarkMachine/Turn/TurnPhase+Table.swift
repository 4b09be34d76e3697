// The transition table of a client's turn with its store. The rules of `RecordPhase+Table.swift` hold here, too.

extension TurnPhase {
    /// Returns the transition for an event in this phase.
    package func transition(on event: TurnEvent) -> TurnTransition {
        switch event {
        case .asked: self.onAsked
        case .freed: self.onFreed
        case .opened: self.onOpened
        case .suspended: self.onSuspended
        case .closed: self.onClosed
        }
    }

    /// A request for the store may arrive late: after the store was handed over, or after the client was suspended.
    private var onAsked: TurnTransition {
        switch self {
        case .holding: .move(.asked, [])
        case .asked, .away, .suspended, .closed: .stay
        }
    }

    private var onFreed: TurnTransition {
        switch self {
        case .asked: .move(.away, [.release, .comeBack])
        case .holding, .away, .suspended, .closed: .stay
        }
    }

    private var onOpened: TurnTransition {
        switch self {
        case .away, .suspended: .move(.holding, .refresh)
        case .holding, .asked, .closed: .impossible
        }
    }

    private var onSuspended: TurnTransition {
        switch self {
        case .holding, .asked: .move(.suspended, .release)
        case .away: .move(.suspended, [])
        case .suspended, .closed: .stay
        }
    }

    private var onClosed: TurnTransition {
        switch self {
        case .holding, .asked: .move(.closed, .release)
        case .away, .suspended: .move(.closed, [])
        case .closed: .stay
        }
    }
}
