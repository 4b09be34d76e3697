extension ExchangeEvent {
    /// What happened, in one sentence, for a page that explains it. The case's own documentation begins with the same.
    package var meaning: String {
        switch self {
        case .dueToPost: "A sync began, or a wait ended, and there is something to send."
        case .dueToGet: "A sync began, or a wait ended, and there is nothing to send."
        case .dueToReadFirst:
            """
            A sync began, or a wait ended, and there is something to send; but the last POST failed as a whole, and who \
            can't write can still read.
            """
        case .dueToTryAccess: "Someone asked for a sync while the credentials are known to be bad."
        case .answeredToPost: "An answer was applied, and there is something more to send."
        case .answeredToGet:
            """
            An answer was applied, there is nothing to send, and the feed has more pages: also those of a listing from \
            the start, during which nothing is sent.
            """
        case .answeredDone: "An answer was applied, and nothing is left to do."
        case .failed: "A failure that passes with time: no network, a busy server, an answer that makes no sense."
        case .unauthorised: "The server, or a proxy on the way, does not know us."
        case .mistaken: "Another account than the one that the store belongs to."
        case .stopped: "A failure that the app's policy does not want waited out."
        case .historyLost: "The server knows the watermark no more (SPEC §6)."
        case .refusedWhole:
            "The POST was refused as a whole before anything of it was taken: it is too large, or one of its edits is."
        case .answeredTooMuch:
            "The answer is larger than what can be taken in: the same request would bring the same again."
        case .cancelled: "The app cancelled the task that waited for the answer."
        case .renewed: "The app renewed its credentials, or wants what was paused to go on."
        }
    }
}
