import TidemarkMachine

extension ExchangeEvent {
    /// What happened, in one sentence, for a page that explains it. The case's own documentation begins with the same.
    var meaning: String {
        switch self {
        case .dueToPost: "There is something to send."
        case .dueToGet: "There is nothing to send now, and the feed is read."
        case .dueToTryAccess: "Someone asked for a sync while the credentials are known to be bad."
        case .dueTooEarly: "There is something to do, and the server wants to be left alone, as it said in an answer."
        case .postponed:
            """
            All that is left was refused, or contended for, and is to be sent again: that has its wait like a \
            failure, so that no one hammers at a server (I8).
            """
        case .done: "Nothing is left to do."
        case .joined: "Someone asked for a sync while one goes on."
        case .appliedInPart:
            """
            Results were applied, and the watermark stays, since the feed has to show something of the answer again \
            (I6).
            """
        case .applied: "An answer was applied whole."
        case .resyncEnded: "The last page of a full resync was applied whole."
        case .failed: "A failure that passes with time: no network, a busy server, an answer that makes no sense."
        case .stopped:
            """
            A failure that only the app can end: unknown credentials, another account, or what its policy does not \
            want waited out.
            """
        case .historyLost: "The server knows the cursor or the newest token no more (SPEC §6)."
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
