// The transition table of an exchange. The rules of `RecordPhase+Table.swift` hold here, too.

extension ExchangePhase {
    /// Returns the transition for an event in this phase.
    package func transition(on event: ExchangeEvent) -> ExchangeTransition {
        switch event {
        case .dueToPost: self.onDueToPost
        case .dueToGet: self.onDueToGet
        case .requestedWhilePaused: self.onRequestedWhilePaused
        case .retryAuth: self.onRetryAuth
        case .throttled: self.onThrottled
        case .postponed: self.onPostponed
        case .done: self.onDone
        case .joined: self.onJoined
        case .answerPartlyApplied: self.onAnswerPartlyApplied
        case .answerApplied: self.onAnswerApplied
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

    /// Nothing is sent to another account, or with rejected credentials.
    private var onDueToPost: ExchangeTransition {
        switch self {
        case .idle, .waiting, .getting, .posting: .move(.posting, .post)
        case .paused: .impossible
        }
    }

    private var onDueToGet: ExchangeTransition {
        switch self {
        case .idle, .waiting, .getting, .posting: .move(.getting, .get)
        case .paused: .impossible
        }
    }

    private var onRequestedWhilePaused: ExchangeTransition {
        switch self {
        case .paused: .move(.paused, .finish)
        case .idle, .getting, .posting, .waiting: .impossible
        }
    }

    /// A requested sync gets one try in any case, and a success ends the pause (Contract §3.5). It is a GET: no edit is sent before
    /// an answer has named the account.
    private var onRetryAuth: ExchangeTransition {
        switch self {
        case .paused: .move(.getting, .get)
        case .idle, .getting, .posting, .waiting: .impossible
        }
    }

    /// A request that is due too early is no failure, so no try is counted and nothing is unconfirmed. The sync
    /// continues after the wait.
    private var onThrottled: ExchangeTransition {
        switch self {
        case .idle, .waiting, .getting, .posting: .move(.waiting, [.throttle, .finish])
        case .paused: .impossible
        }
    }

    /// The edits were answered, so nothing is unconfirmed.
    private var onPostponed: ExchangeTransition {
        switch self {
        case .getting, .posting: .move(.waiting, [.backOff, .finish])
        case .idle, .waiting, .paused: .impossible
        }
    }

    private var onDone: ExchangeTransition {
        switch self {
        case .getting, .posting: .move(.idle, [.resetFailures, .finish])
        case .idle, .waiting, .paused: .impossible
        }
    }

    private var onJoined: ExchangeTransition {
        switch self {
        case .getting, .posting: .stay
        case .idle, .waiting, .paused: .impossible
        }
    }

    /// Only a POST can be answered in part. Its answered edits count as a success.
    private var onAnswerPartlyApplied: ExchangeTransition {
        switch self {
        case .posting: .move(.posting, [.countPoisonFailure, .clearFailures])
        case .idle, .getting, .waiting, .paused: .impossible
        }
    }

    /// Only a successful POST clears the failures of POSTs (Contract §3.1).
    private var onAnswerApplied: ExchangeTransition {
        switch self {
        case .getting: .move(.getting, [.countPoisonFailure, .advanceCursor])
        case .posting: .move(.posting, [.countPoisonFailure, .clearFailures, .advanceCursor])
        case .idle, .waiting, .paused: .impossible
        }
    }

    private var onResyncEnded: ExchangeTransition {
        switch self {
        case .getting: .move(.getting, [.countPoisonFailure, .advanceCursor, .endResync])
        case .posting: .move(.posting, [.countPoisonFailure, .clearFailures, .advanceCursor, .endResync])
        case .idle, .waiting, .paused: .impossible
        }
    }

    /// After a POST that failed, the next try begins with a GET, which may still work (Contract §3.1).
    private var onFailed: ExchangeTransition {
        switch self {
        case .getting: .move(.waiting, [.backOff, .finish])
        case .posting: .move(.waiting, [.markUnconfirmed, .weighFailure, .readFirst, .backOff, .finish])
        case .idle, .waiting, .paused: .impossible
        }
    }

    /// Nothing is dropped, and no try is counted (Contract §3.5; by default for the classes *auth*, *not found* and *identity
    /// changed*).
    private var onStopped: ExchangeTransition {
        switch self {
        case .getting: .move(.paused, .finish)
        case .posting: .move(.paused, [.markUnconfirmed, .weighFailure, .readFirst, .finish])
        case .idle, .waiting, .paused: .impossible
        }
    }

    private var onHistoryLost: ExchangeTransition {
        switch self {
        case .getting: .move(.getting, [.claimHistoryLoss, .get])
        // No edit of the POST was applied (W8). The edits are sent again after the full resync: only its end shows which rows the
        // server lacks (Contract §6), and only an answer names the account.
        case .posting: .move(.getting, [.markUnconfirmed, .readFirst, .claimHistoryLoss, .get])
        case .idle, .waiting, .paused: .impossible
        }
    }

    /// The feed is also read between the halves of a batch: a read-only account gets the changes of others, and the next POST is
    /// based on current rows (Contract §3.1).
    private var onRefusedWhole: ExchangeTransition {
        switch self {
        case .posting: .move(.getting, [.markUnconfirmed, .readFirst, .bisect, .get])
        case .idle, .getting, .waiting, .paused: .impossible
        }
    }

    /// The feed is read before the next edit that may be refused (Contract §3.1).
    private var onRefusedAlone: ExchangeTransition {
        switch self {
        case .posting: .move(.getting, [.refuse, .get])
        case .idle, .getting, .waiting, .paused: .impossible
        }
    }

    /// At once and without a wait: the network is not the cause, and the next answer is smaller.
    private var onAnsweredTooMuch: ExchangeTransition {
        switch self {
        case .getting: .move(.getting, [.shrinkPage, .get])
        case .posting: .move(.getting, [.markUnconfirmed, .readFirst, .bisect, .shrinkPage, .get])
        case .idle, .waiting, .paused: .impossible
        }
    }

    /// No back-off: nothing has failed, and the next request is served at once. The edits are sent again unchanged, first and
    /// without others (R17), without a GET before them.
    private var onCancelled: ExchangeTransition {
        switch self {
        case .getting: .move(.idle, .finish)
        case .posting: .move(.idle, [.markUnconfirmed, .finish])
        case .idle, .waiting, .paused: .impossible
        }
    }

    /// The uploads are sent again unchanged, and the server repeats its answer (W4).
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
