// The transition table of an exchange. The rules of `RecordPhase+Table.swift` hold here, too.

extension ExchangePhase {
    /// What an event does to an exchange in this phase.
    package func transition(on event: ExchangeEvent) -> ExchangeTransition {
        switch event {
        case .dueToPost: self.onDueToPost
        case .dueToGet: self.onDueToGet
        case .dueToTryAccess: self.onDueToTryAccess
        case .dueTooEarly: self.onDueTooEarly
        case .postponed: self.onPostponed
        case .done: self.onDone
        case .joined: self.onJoined
        case .appliedInPart: self.onAppliedInPart
        case .applied: self.onApplied
        case .resyncEnded: self.onResyncEnded
        case .failed: self.onFailed
        case .stopped: self.onStopped
        case .historyLost: self.onHistoryLost
        case .refusedWhole: self.onRefusedWhole
        case .refusedAlone: self.onRefusedAlone
        case .answeredTooMuch: self.onAnsweredTooMuch
        case .storeFailed: self.onStoreFailed
        case .cancelled: self.onCancelled
        case .renewed: self.onRenewed
        }
    }

    /// Nothing is sent in the name of the wrong account, or with credentials that are known to be bad.
    private var onDueToPost: ExchangeTransition {
        switch self {
        case .idle, .waiting, .getting, .posting: .move(.posting, .post)
        case .paused: .impossible
        }
    }

    /// Whoever asked while it pauses is told why.
    private var onDueToGet: ExchangeTransition {
        switch self {
        case .idle, .waiting, .getting, .posting: .move(.getting, .get)
        case .paused: .move(.paused, .finish)
        }
    }

    /// SPEC §3.5: who asks for a sync gets one try in any case, and a success ends the pause. What is tried is a GET:
    /// nothing of the queue goes out before an answer has shown whose account this is.
    private var onDueToTryAccess: ExchangeTransition {
        switch self {
        case .paused: .move(.getting, .get)
        case .idle, .getting, .posting, .waiting: .impossible
        }
    }

    /// Nothing has failed, so no try is counted, and nothing is lost: what is left is done after the rest.
    private var onDueTooEarly: ExchangeTransition {
        switch self {
        case .idle, .waiting, .getting, .posting: .move(.waiting, [.rest, .finish])
        case .paused: .impossible
        }
    }

    /// What was refused or contended for has its wait; what was sent was answered, so nothing is lost.
    private var onPostponed: ExchangeTransition {
        switch self {
        case .getting, .posting: .move(.waiting, [.backOff, .finish])
        case .idle, .waiting, .paused: .impossible
        }
    }

    private var onDone: ExchangeTransition {
        switch self {
        case .getting, .posting: .move(.idle, [.clear, .finish])
        case .idle, .waiting, .paused: .impossible
        }
    }

    private var onJoined: ExchangeTransition {
        switch self {
        case .getting, .posting: .stay
        case .idle, .waiting, .paused: .impossible
        }
    }

    /// Only a POST can be answered in part, and what is answered has worked.
    private var onAppliedInPart: ExchangeTransition {
        switch self {
        case .posting: .move(.posting, [.charge, .acquit])
        case .idle, .getting, .waiting, .paused: .impossible
        }
    }

    /// Only a POST that works takes back what failed POSTs have led to (SPEC §3.1).
    private var onApplied: ExchangeTransition {
        switch self {
        case .getting: .move(.getting, [.charge, .pass])
        case .posting: .move(.posting, [.charge, .acquit, .pass])
        case .idle, .waiting, .paused: .impossible
        }
    }

    private var onResyncEnded: ExchangeTransition {
        switch self {
        case .getting: .move(.getting, [.charge, .pass, .endListing])
        case .posting: .move(.posting, [.charge, .acquit, .pass, .endListing])
        case .idle, .waiting, .paused: .impossible
        }
    }

    /// Who can't write can still read: after a POST that failed the next try begins with a GET (SPEC §3.1).
    private var onFailed: ExchangeTransition {
        switch self {
        case .getting: .move(.waiting, [.backOff, .finish])
        case .posting: .move(.waiting, [.lose, .blame, .readFirst, .backOff, .finish])
        case .idle, .waiting, .paused: .impossible
        }
    }

    /// Nothing is dropped and no try is counted (SPEC §3.5; by default the classes *auth*, *not found* and
    /// *identity changed*).
    private var onStopped: ExchangeTransition {
        switch self {
        case .getting: .move(.paused, .finish)
        case .posting: .move(.paused, [.lose, .blame, .readFirst, .finish])
        case .idle, .waiting, .paused: .impossible
        }
    }

    private var onHistoryLost: ExchangeTransition {
        switch self {
        case .getting: .move(.getting, [.startOver, .get])
        // What was posted was not applied (W8). It goes out again after the listing, and not before: only its end shows what
        // the server lacks (SPEC §6), and only an answer whose data this is: the queue belongs to the account that made it.
        case .posting: .move(.getting, [.lose, .readFirst, .startOver, .get])
        case .idle, .waiting, .paused: .impossible
        }
    }

    /// Also between the halves of a batch the feed is read: an account that may not write gets what others changed, and
    /// the next POST is compared with what is there (SPEC §3.1).
    private var onRefusedWhole: ExchangeTransition {
        switch self {
        case .posting: .move(.getting, [.lose, .readFirst, .bisect, .get])
        case .idle, .getting, .waiting, .paused: .impossible
        }
    }

    /// Who can't write can still read (SPEC §3.1): the feed comes before the next change that may be refused.
    private var onRefusedAlone: ExchangeTransition {
        switch self {
        case .posting: .move(.getting, [.refuse, .get])
        case .idle, .getting, .waiting, .paused: .impossible
        }
    }

    /// At once and not after a wait: it is never the network's doing, and the next answer is smaller.
    private var onAnsweredTooMuch: ExchangeTransition {
        switch self {
        case .getting: .move(.getting, [.shorten, .get])
        case .posting: .move(.getting, [.lose, .readFirst, .bisect, .shorten, .get])
        case .idle, .waiting, .paused: .impossible
        }
    }

    /// No back-off: nothing has failed, and whoever asks next is served at once. What was posted goes again as it was,
    /// first and alone (R17), without a GET before it.
    private var onCancelled: ExchangeTransition {
        switch self {
        case .getting: .move(.idle, .finish)
        case .posting: .move(.idle, [.lose, .finish])
        case .idle, .waiting, .paused: .impossible
        }
    }

    /// The uploads are sent again as they were, and the server gives the same answer (W4).
    private var onStoreFailed: ExchangeTransition {
        switch self {
        case .getting, .posting: .move(.waiting, [])
        case .idle, .waiting, .paused: .impossible
        }
    }

    private var onRenewed: ExchangeTransition {
        switch self {
        case .paused, .waiting: .move(.idle, [])
        case .idle, .getting, .posting: .stay
        }
    }
}
