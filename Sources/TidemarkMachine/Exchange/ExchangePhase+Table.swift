// The transition table of an exchange. The rules of `RecordPhase+Table.swift` hold here, too.

extension ExchangePhase {
    /// What an event does to an exchange in this phase.
    package func transition(on event: ExchangeEvent) -> ExchangeTransition {
        switch event {
        case .dueToPost: self.onDue(.posting, .post)
        case .dueToGet, .dueToReadFirst: self.onDue(.getting, .get)
        case .dueToTryAccess: self.onDueToTryAccess
        case .dueInVain: self.onDueInVain
        case .dueTooEarly: self.onDueTooEarly
        case .foundNothing: self.onFoundNothing
        case .workedBesides: self.onWorkedBesides
        case .answeredInPart: self.onAnsweredInPart
        case .listingBegan: self.onListingBegan
        case .heard: self.onHeard
        case .listed: self.onListed
        case .stoodStill: self.onStoodStill
        case .answeredToPost: self.onAnswered(.posting, .post)
        case .answeredToGet: self.onAnswered(.getting, .get)
        case .answeredDone: self.onAnswered(.idle, .finish)
        case .askedToRest: self.onAskedToRest
        case .postponed: self.onPostponed
        case .failedAlone: self.onFailedAlone
        case .failedAgain: self.onFailedAgain
        case .failed: self.onFailed
        case .unauthorised: self.onStopped
        case .mistaken: self.onStopped
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

    private func onDue(_ target: ExchangePhase, _ action: ExchangeActions) -> ExchangeTransition {
        switch self {
        case .idle, .waiting: .move(target, action)
        case .getting, .posting: .stay
        // Nothing is sent in the name of the wrong account, or with credentials that are known to be bad.
        case .paused: .stay
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

    /// Whoever asked is told that it pauses, and why.
    private var onDueInVain: ExchangeTransition {
        switch self {
        case .paused: .move(.paused, .finish)
        case .idle, .getting, .posting, .waiting: .impossible
        }
    }

    /// Whoever asked is told how long. Nothing has failed, so no try is counted.
    private var onDueTooEarly: ExchangeTransition {
        switch self {
        case .idle, .waiting: .move(.waiting, [.rest, .finish])
        case .getting, .posting: .stay
        case .paused: .impossible
        }
    }

    private var onFoundNothing: ExchangeTransition {
        switch self {
        case .posting: .move(.getting, .get)
        case .idle, .getting, .waiting, .paused: .impossible
        }
    }

    private func onAnswered(_ target: ExchangePhase, _ action: ExchangeActions) -> ExchangeTransition {
        switch self {
        case .getting, .posting: .move(target, action)
        case .idle, .waiting, .paused: .impossible
        }
    }

    /// What was refused or contended for has its wait; what was sent was answered, so nothing is lost.
    private var onPostponed: ExchangeTransition {
        switch self {
        case .getting, .posting: .move(.waiting, [.backOff, .finish])
        case .idle, .waiting, .paused: .impossible
        }
    }

    /// Nothing has failed, and nothing is lost: what is left is done after the rest.
    private var onAskedToRest: ExchangeTransition {
        switch self {
        case .getting, .posting: .move(.waiting, [.rest, .finish])
        case .idle, .waiting, .paused: .impossible
        }
    }

    /// Who can't write can still read: after a POST that failed the next try begins with a GET (SPEC §3.1).
    private var onFailed: ExchangeTransition {
        switch self {
        case .getting: .move(.waiting, [.backOff, .finish])
        case .posting: .move(.waiting, [.lose, .readFirst, .backOff, .finish])
        case .idle, .waiting, .paused: .impossible
        }
    }

    /// Nothing is dropped and no try is counted (SPEC §3.5; by default the classes *auth* and
    /// *identity changed*).
    private var onStopped: ExchangeTransition {
        switch self {
        case .getting: .move(.paused, .finish)
        case .posting: .move(.paused, [.lose, .readFirst, .finish])
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

// MARK: - While an answer is taken in, or a failure looked at

extension ExchangePhase {
    /// The watermark, or what is kept of the records, moves; the exchange does not.
    private func onTaken(whileGetting: ExchangeActions, whilePosting: ExchangeActions) -> ExchangeTransition {
        switch self {
        case .getting: .move(.getting, whileGetting)
        case .posting: .move(.posting, whilePosting)
        case .idle, .waiting, .paused: .impossible
        }
    }

    private var onWorkedBesides: ExchangeTransition { self.onTaken(whileGetting: .charge, whilePosting: .charge) }

    /// Only a POST can be answered in part, and what is answered has worked.
    private var onAnsweredInPart: ExchangeTransition {
        switch self {
        case .posting: .move(.posting, .acquit)
        case .idle, .getting, .waiting, .paused: .impossible
        }
    }

    private var onListingBegan: ExchangeTransition {
        self.onTaken(whileGetting: .startOver, whilePosting: .startOver)
    }

    /// Only a POST that works takes back what failed POSTs have led to (SPEC §3.1).
    private var onHeard: ExchangeTransition { self.onTaken(whileGetting: .pass, whilePosting: [.acquit, .pass]) }

    private var onListed: ExchangeTransition {
        self.onTaken(whileGetting: [.pass, .endListing], whilePosting: [.acquit, .pass, .endListing])
    }

    private var onStoodStill: ExchangeTransition { self.onTaken(whileGetting: .pass, whilePosting: .pass) }

    /// SPEC §3.6.
    private var onFailedAlone: ExchangeTransition {
        switch self {
        case .posting: .move(.posting, .suspect)
        case .idle, .getting, .waiting, .paused: .impossible
        }
    }

    /// SPEC §3.6.
    private var onFailedAgain: ExchangeTransition {
        switch self {
        case .posting: .move(.posting, .bisect)
        case .idle, .getting, .waiting, .paused: .impossible
        }
    }
}
