/// Something that happened to a collection of the run loop. What the network, the budget or a hint amounts to is
/// classified before the table, so that it shows as an arrow.
package enum RunEvent: String, CaseIterable, Sendable {
    /// The loop began, or came to know the collection.
    case began

    /// The app changed something that is to be sent.
    case edited

    /// A hint says that the server has something that is not here.
    case hinted

    /// A hint says what is here already: hints may be repeated, late and out of order.
    case hintedInVain

    /// Someone hints from now on, beginning with how the server stands now.
    case watched

    /// No one hints any more.
    case deserted

    /// The time that was asked for has come, and a sync may start.
    case woken

    /// A time came that no one waits for any more, or at which no sync may start.
    case wokenInVain

    /// The network went, or the budget is spent but for its reserve: no sync may start that only asks. Own edits are sent while
    /// there is a network and a reserve (``RunAllowance/ownEdits``).
    case blocked

    /// The network is there again, and a sync may start. What happened meanwhile no one has seen.
    case connected

    /// The budget is renewed, and a sync may start.
    case funded

    /// Network or budget changed, or were told again, and whether a sync may start did not.
    case asBefore

    /// The app began a sync.
    case joined

    /// A sync ended with nothing left to send or to ask, and someone hints.
    case endedWatched

    /// A sync ended with nothing left to send or to ask, and no one hints.
    case endedUnwatched

    /// A sync ended, and meanwhile something was edited or hinted, or credentials were renewed, that it knew nothing of.
    case endedWithMore

    /// A sync ended, and another one is worthwhile at a time.
    case endedToWait

    /// A sync ended since the server, or a proxy on the way, does not know us, or since there is no server at the URL.
    case endedByAccess

    /// A sync ended, and only the app can let it go on.
    case endedForGood

    /// A sync ended while the loop ends.
    case endedAtLast

    /// The app renewed its credentials, or wants what was paused to go on.
    case renewed

    /// The loop ends.
    case stopped
}
