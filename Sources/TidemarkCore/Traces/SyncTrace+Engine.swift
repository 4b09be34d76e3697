import TidemarkMachine

extension SyncTrace.Step {
    /// A transition of an exchange.
    init(
        _ step: Exchange.Machine.Step, of collection: String, _ failure: FailureClass? = nil, at time: Duration = .zero
    ) {
        self = .exchange(
            ExchangeTrace(
                collection: collection, event: step.event, source: step.source, target: step.target,
                actions: step.actions, failure: failure,
                time: time == .zero ? nil : .milliseconds(time.wholeMilliseconds)))
    }
}

extension ExchangeEvent {
    /// Whether the exchange failed with what the machine has in mind from then on.
    var isFailure: Bool {
        switch self {
        case .failed, .unauthorised, .mistaken, .stopped, .historyLost, .refusedWhole, .answeredTooMuch, .cancelled:
            true
        case .dueToPost, .dueToGet, .dueToReadFirst, .dueToTryAccess, .dueInVain, .dueTooEarly, .foundNothing,
            .workedBesides, .answeredInPart, .listingBegan, .heard, .listed, .stoodStill, .answeredToPost,
            .answeredToGet, .answeredDone, .askedToRest, .postponed, .failedAlone, .failedAgain, .refusedAlone,
            .storeFailed, .renewed:
            false
        }
    }
}
