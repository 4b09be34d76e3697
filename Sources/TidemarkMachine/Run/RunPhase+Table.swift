// The transition table of the run loop. The rules of `RecordPhase+Table.swift` hold here, too.

extension RunPhase {
    /// Returns the transition for an event in this phase.
    package func transition(on event: RunEvent) -> RunTransition {
        switch event {
        case .began: self.onBegan
        case .edited, .hinted: self.onNews
        case .hintedKnown, .timerFiredEarly: .stay
        case .asBefore: .move(self, .publish)
        case .hintsConnected: self.onHintsConnected
        case .hintsLost: self.onHintsLost
        case .timerFired: self.onTimerFired
        case .blocked: .move(self, .publish)
        case .connected: self.onConnected
        case .budgetRenewed: self.onBudgetRenewed
        case .joined: self.onJoined
        case .endedListening: self.onEnded(.listening, .publish)
        case .endedPolling: self.onEnded(.polling, .publish)
        case .endedWithMore: self.onEnded(.due, .publish)
        case .endedToWait: self.onEnded(.waiting, .publish)
        case .endedByAccess, .endedForGood: self.onEnded(.paused, .publish)
        case .endedAtLast: self.onEnded(.polling, .publish)
        case .renewed: self.onRenewed
        case .stopped: self.onStopped
        }
    }

    /// Changes on the server while no loop ran were not noticed.
    private var onBegan: RunTransition {
        switch self {
        case .polling: .move(.due, .publish)
        case .listening, .due, .syncing, .waiting, .paused: .impossible
        }
    }

    /// The wait of the exchange is kept despite edits (Contract §3.5), and the sync after it sends them, too.
    private var onNews: RunTransition {
        switch self {
        case .listening, .polling, .due: .move(.due, .publish)
        case .syncing, .waiting, .paused: .stay
        }
    }

    /// The notification connection begins with the server's present state (Contract §10): no extra poll is needed.
    private var onHintsConnected: RunTransition {
        switch self {
        case .polling: .move(.listening, .publish)
        case .due, .syncing, .waiting, .paused: .move(self, .publish)
        case .listening: .stay
        }
    }

    private var onHintsLost: RunTransition {
        switch self {
        case .listening: .move(.polling, .publish)
        case .due, .syncing, .waiting, .paused: .move(self, .publish)
        case .polling: .stay
        }
    }

    /// No timer is set while a sync is running, or while the loop listens for notifications.
    private var onTimerFired: RunTransition {
        switch self {
        case .due, .waiting, .polling: .move(.syncing, [.sync, .publish])
        // One try with rejected credentials: Contract §3.5 allows it; it sends no edit.
        case .paused: .move(.syncing, [.sync, .publish])
        case .listening, .syncing: .impossible
        }
    }

    /// A wait, or the time of the next credential retry, is kept: it may be over by now.
    private var onConnected: RunTransition {
        switch self {
        case .listening, .polling, .due: .move(.due, .publish)
        case .waiting, .paused: .move(self, .publish)
        case .syncing: .move(.syncing, .publish)
        }
    }

    private var onBudgetRenewed: RunTransition {
        switch self {
        case .listening, .polling, .due, .waiting, .paused: .move(self, .publish)
        case .syncing: .move(.syncing, .publish)
        }
    }

    /// A sync of the app counts as one of the loop, and there are never two at a time.
    private var onJoined: RunTransition {
        switch self {
        case .listening, .polling, .due, .waiting, .paused: .move(.syncing, .publish)
        case .syncing: .stay
        }
    }

    private func onEnded(_ target: RunPhase, _ actions: RunActions) -> RunTransition {
        switch self {
        case .syncing: .move(target, actions)
        case .listening, .due, .waiting, .paused, .polling: .impossible
        }
    }

    /// A wait that former credentials led to ends with them (Contract §3.5).
    private var onRenewed: RunTransition {
        switch self {
        case .paused, .waiting: .move(.due, .publish)
        case .listening, .due, .syncing, .polling: .stay
        }
    }

    /// The loop cancels its tasks, and waits for the end of the sync.
    private var onStopped: RunTransition {
        switch self {
        case .syncing: .move(.syncing, [])
        case .listening, .due, .waiting, .paused, .polling: .move(.polling, .publish)
        }
    }
}
