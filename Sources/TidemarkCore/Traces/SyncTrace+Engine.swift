import TidemarkMachine

extension SyncTrace.Step {
    /// A transition of an exchange.
    init(
        _ step: Exchange.Machine.Step, of collection: String, at time: Duration = .zero
    ) {
        self = .exchange(
            ExchangeTrace(
                collection: collection, event: step.event, source: step.source, target: step.target,
                actions: step.actions,
                failure: step.event.isFailure ? step.failure?.failureClass : nil,
                time: time == .zero ? nil : .milliseconds(time.wholeMilliseconds)))
    }
}

extension ExchangeEvent {
    /// Whether the exchange failed.
    var isFailure: Bool {
        switch self {
        case .failed, .stopped, .historyLost, .refusedWhole, .answeredTooMuch, .cancelled: true
        case .dueToPost, .dueToGet, .requestedWhilePaused, .retryAuth, .throttled, .postponed, .done, .joined,
            .answerPartlyApplied,
            .answerApplied, .resyncEnded, .refusedAlone, .storeFailed, .renewed:
            false
        }
    }
}
