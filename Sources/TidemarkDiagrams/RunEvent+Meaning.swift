import TidemarkMachine

extension RunEvent {
    /// What happened, in one sentence, for a page that explains it. The case's own documentation begins with the same.
    var meaning: String {
        switch self {
        case .began: "The loop began, or came to know the collection."
        case .edited: "The app changed something that is to be sent."
        case .hinted: "A hint says that the server has something that is not here."
        case .hintedInVain: "A hint says what is here already: hints may be repeated, late and out of order."
        case .watched: "Someone hints from now on, beginning with how the server stands now."
        case .deserted: "No one hints any more."
        case .woken: "The time that was asked for has come, and a sync may start."
        case .wokenInVain: "A time came that no one waits for any more, or at which no sync may start."
        case .blocked: "The network went, or the budget is spent but for its reserve: no sync may start that only asks."
        case .connected: "The network is there again, and a sync may start."
        case .funded: "The budget is renewed, and a sync may start."
        case .asBefore: "Network or budget changed, or were told again, and whether a sync may start did not."
        case .joined: "The app began a sync."
        case .endedWatched: "A sync ended with nothing left to send or to ask, and someone hints."
        case .endedUnwatched: "A sync ended with nothing left to send or to ask, and no one hints."
        case .endedWithMore:
            """
            A sync ended, and meanwhile something was edited or hinted, or credentials were renewed, that it knew \
            nothing of.
            """
        case .endedToWait: "A sync ended, and another one is worthwhile at a time."
        case .endedByAccess:
            """
            A sync ended since the server, or a proxy on the way, does not know us, or since there is no server at the \
            URL.
            """
        case .endedForGood: "A sync ended, and only the app can let it go on."
        case .endedAtLast: "A sync ended while the loop ends."
        case .renewed: "The app renewed its credentials, or wants what was paused to go on."
        case .stopped: "The loop ends."
        }
    }
}
