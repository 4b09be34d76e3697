// The transition table of the run loop. The rules of `RecordPhase+Table.swift` hold here, too.

extension RunPhase {
    /// What an event does to a collection in this phase.
    package func transition(on event: RunEvent) -> RunTransition {
        switch event {
        case .began: self.onBegan
        case .edited, .hinted: self.onNews
        case .hintedInVain, .wokenInVain: .stay
        case .asBefore: .move(self, .say)
        case .watched: self.onWatched
        case .deserted: self.onDeserted
        case .woken: self.onWoken
        case .blocked: .move(self, [.wake, .say])
        case .connected: self.onConnected
        case .funded: self.onFunded
        case .joined: self.onJoined
        case .endedWatched: self.onEnded(.resting, [.wake, .say])
        case .endedUnwatched: self.onEnded(.unwatched, [.wake, .say])
        case .endedWithMore: self.onEnded(.due, [.wake, .say])
        case .endedToWait: self.onEnded(.waiting, [.wake, .say])
        case .endedByAccess, .endedForGood: self.onEnded(.paused, [.wake, .say])
        case .endedAtLast: self.onEnded(.unwatched, .say)
        case .renewed: self.onRenewed
        case .stopped: self.onStopped
        }
    }

    /// What happened while no loop ran, no one has seen.
    private var onBegan: RunTransition {
        switch self {
        case .unwatched: .move(.due, [.wake, .say])
        case .resting, .due, .syncing, .waiting, .paused: .impossible
        }
    }

    /// The wait that the exchange named is kept whatever is edited (SPEC §3.5), and the sync after it sends that, too.
    private var onNews: RunTransition {
        switch self {
        case .resting, .unwatched, .due: .move(.due, [.wake, .say])
        case .syncing, .waiting, .paused: .stay
        }
    }

    /// Who begins to hint says at once how the server stands (SPEC §10): nothing need be asked for it.
    private var onWatched: RunTransition {
        switch self {
        case .unwatched: .move(.resting, [.wake, .say])
        case .due, .syncing, .waiting, .paused: .move(self, .say)
        case .resting: .stay
        }
    }

    private var onDeserted: RunTransition {
        switch self {
        case .resting: .move(.unwatched, [.wake, .say])
        case .due, .syncing, .waiting, .paused: .move(self, .say)
        case .unwatched: .stay
        }
    }

    /// Nobody asks for a time while a sync goes on, or while hints are waited for.
    private var onWoken: RunTransition {
        switch self {
        case .due, .waiting, .unwatched: .move(.syncing, [.sync, .wake, .say])
        // A probe: SPEC §3.5 lets it try once, which sends nothing.
        case .paused: .move(.syncing, [.sync, .wake, .say])
        case .resting, .syncing: .impossible
        }
    }

    /// A wait, or the time of the next probe, is kept: it may be over by now.
    private var onConnected: RunTransition {
        switch self {
        case .resting, .unwatched, .due: .move(.due, [.wake, .say])
        case .waiting, .paused: .move(self, [.wake, .say])
        case .syncing: .move(.syncing, .say)
        }
    }

    private var onFunded: RunTransition {
        switch self {
        case .resting, .unwatched, .due, .waiting, .paused: .move(self, [.wake, .say])
        case .syncing: .move(.syncing, .say)
        }
    }

    /// A sync of the app's is as good as one of the loop's, and there are never two.
    private var onJoined: RunTransition {
        switch self {
        case .resting, .unwatched, .due, .waiting, .paused: .move(.syncing, [.wake, .say])
        case .syncing: .stay
        }
    }

    private func onEnded(_ target: RunPhase, _ actions: RunActions) -> RunTransition {
        switch self {
        case .syncing: .move(target, actions)
        case .resting, .due, .waiting, .paused, .unwatched: .impossible
        }
    }

    /// What credentials were waited out for is over with them (SPEC §3.5).
    private var onRenewed: RunTransition {
        switch self {
        case .paused, .waiting: .move(.due, [.wake, .say])
        case .resting, .due, .syncing, .unwatched: .stay
        }
    }

    /// The sync is cancelled, and its end is waited for.
    private var onStopped: RunTransition {
        switch self {
        case .syncing: .move(.syncing, [.cancel, .wake])
        case .resting, .due, .waiting, .paused, .unwatched: .move(.unwatched, [.wake, .say])
        }
    }
}
