// The transition table of an exchange. The rules of `Phase+Table.swift` hold here, too.

extension ExchangePhase {
    /// What an event does to an exchange in this phase.
    public func transition(on event: ExchangeEvent) -> ExchangeTransition {
        switch event {
        case .dueToPost: self.onDue(.posting, .post)
        case .dueToGet: self.onDue(.getting, .get)
        case .answeredToPost: self.onAnswered(.posting, .post)
        case .answeredToGet: self.onAnswered(.getting, .get)
        case .answeredDone: self.onAnswered(.idle, .finish)
        case .failed: self.onFailed
        case .unauthorised: self.onStopped
        case .mistaken: self.onStopped
        case .stopped: self.onStopped
        case .historyLost: self.onHistoryLost
        case .refusedWhole: self.onRefusedWhole
        case .renewed: self.onRenewed
        }
    }

    private func onDue(_ target: ExchangePhase, _ action: ExchangeActions) -> ExchangeTransition {
        switch self {
        case .idle, .waiting: .move(target, action)
        case .getting, .posting: .stay
        // Nothing is sent in the name of the wrong account, or with credentials that are known to be bad.
        case .paused: .stay
        }
    }

    private func onAnswered(_ target: ExchangePhase, _ action: ExchangeActions) -> ExchangeTransition {
        switch self {
        case .getting, .posting: .move(target, action)
        case .idle, .waiting, .paused: .impossible
        }
    }

    private var onFailed: ExchangeTransition {
        switch self {
        case .getting: .move(.waiting, [.backOff, .finish])
        case .posting: .move(.waiting, [.lose, .backOff, .finish])
        case .idle, .waiting, .paused: .impossible
        }
    }

    /// Nothing is dropped and no try is counted (SPEC §3.5; by default the classes *auth* and
    /// *identity changed*).
    private var onStopped: ExchangeTransition {
        switch self {
        case .getting: .move(.paused, .finish)
        case .posting: .move(.paused, [.lose, .finish])
        case .idle, .waiting, .paused: .impossible
        }
    }

    private var onHistoryLost: ExchangeTransition {
        switch self {
        case .getting: .move(.getting, [.startOver, .get])
        // What was posted was not applied (W8). It goes out again after the listing, and not before: only its end shows what
        // the server lacks (SPEC §6), and only an answer whose data this is: the queue belongs to the account that made it.
        case .posting: .move(.getting, [.lose, .startOver, .get])
        case .idle, .waiting, .paused: .impossible
        }
    }

    private var onRefusedWhole: ExchangeTransition {
        switch self {
        case .posting: .move(.posting, [.lose, .bisect, .post])
        case .idle, .getting, .waiting, .paused: .impossible
        }
    }

    private var onRenewed: ExchangeTransition {
        switch self {
        case .paused, .waiting: .move(.idle, [])
        case .idle, .getting, .posting: .stay
        }
    }
}
