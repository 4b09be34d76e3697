import TidemarkMachine

extension ExchangeEvent {
    /// What happened, in one sentence, for a page that explains it. The case's own documentation begins with the same.
    var meaning: String {
        switch self {
        case .dueToPost: "A sync began, or a wait ended, and there is something to send."
        case .dueToGet: "A sync began, or a wait ended, and there is nothing to send."
        case .dueToReadFirst:
            """
            A sync began, or a wait ended, and there is something to send; but the last POST failed as a whole, and who \
            can't write can still read.
            """
        case .dueToTryAccess: "Someone asked for a sync while the credentials are known to be bad."
        case .dueInVain: "Someone asked for a sync while it is paused, and a try would be of no use."
        case .dueTooEarly:
            "Someone asked for a sync while the server wants to be left alone, as it said in an answer."
        case .foundNothing: "Nothing could be sent after all: what was due is damaged, or has used up its tries."
        case .workedBesides:
            """
            An answer came after a record had failed alone: the server works, so that counts against the record \
            (SPEC §3.6).
            """
        case .answeredInPart:
            """
            Results were applied, and the watermark stays, since the feed has to show something of the answer again (I6).
            """
        case .listingBegan:
            """
            A page begins a listing of everything, though no history was lost: what it does not name by its end is gone \
            (SPEC §6).
            """
        case .heard: "An answer was applied whole."
        case .listed: "The last page of a listing from the start was applied whole."
        case .stoodStill:
            """
            A page was applied whole, and the feed is not followed: its watermark is the former one or came before in this \
            sync, or pages have no rows, or too many rows are known already (I8).
            """
        case .answeredToPost: "An answer was applied, and there is something more to send."
        case .answeredToGet:
            """
            An answer was applied, there is nothing to send, and the feed has more pages: also those of a listing from \
            the start, during which nothing is sent.
            """
        case .answeredDone: "An answer was applied, and nothing is left to do."
        case .askedToRest:
            "An answer was applied, and something is left to do; but the server wants to be left alone for a while."
        case .postponed:
            """
            An answer was applied, and all that is left was refused, or contended for, and is to be sent again: that has \
            its wait like a failure, so that no one hammers at a server (I8).
            """
        case .failedAlone: "A POST failed for what may be its one record's doing."
        case .failedAgain: "A POST failed again for what may be one of its records' doing."
        case .failed: "A failure that passes with time: no network, a busy server, an answer that makes no sense."
        case .unauthorised: "The server, or a proxy on the way, does not know us."
        case .mistaken: "Another account than the one that the store belongs to."
        case .stopped: "A failure that the app's policy does not want waited out."
        case .historyLost: "The server knows the watermark no more (SPEC §6)."
        case .refusedWhole:
            "The POST was refused as a whole before anything of it was taken: it is too large, or one of its edits is."
        case .refusedAlone: "A POST of one edit was refused: that is the edit's refusal."
        case .answeredTooMuch:
            "The answer is larger than what can be taken in: the same request would bring the same again."
        case .storeFailed: "The store could not take in what came."
        case .cancelled: "The app cancelled the task that waited for the answer."
        case .renewed: "The app renewed its credentials, or wants what was paused to go on."
        }
    }
}
