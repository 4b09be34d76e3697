/// Something that happened to an exchange. "Due" events are the classification of *what is next*: when someone asks for a sync,
/// when a wait ended, and after an answer was taken in.
package enum ExchangeEvent: String, CaseIterable, Sendable {
    /// There is something to send.
    case dueToPost

    /// There is nothing to send now, and the feed is read. While a full resync is requested or running nothing is sent (SPEC §6);
    /// nor before a GET has worked after a POST that failed as a whole, or after credentials were renewed (SPEC §3.1).
    case dueToGet

    /// Someone asked for a sync while the credentials are known to be bad. They may be good by now, so one try is made,
    /// which sends nothing. No wake leads here.
    case dueToTryAccess

    /// There is something to do, and the server wants to be left alone, as it said in an answer.
    case dueTooEarly

    /// All that is left was refused, or contended for, and is to be sent again: that has its wait like a failure, so that no one
    /// hammers at a server (I8).
    case postponed

    /// Nothing is left to do.
    case done

    /// Someone asked for a sync while one goes on.
    case joined

    /// Results were applied, and the watermark stays, since the feed has to show something of the answer again (I6). Where the
    /// rest of it failed, that failure follows.
    case appliedInPart

    /// An answer was applied whole.
    case applied

    /// The last page of a full resync was applied whole.
    case resyncEnded

    /// A failure that passes with time: no network, a busy server, an answer that makes no sense.
    case failed

    /// A failure that only the app can end: unknown credentials, another account, or what its policy does not want waited out.
    case stopped

    /// The server knows the cursor or the newest token no more (SPEC §6).
    case historyLost

    /// The POST was refused as a whole before anything of it was taken: it is too large, or one of its edits is.
    case refusedWhole

    /// A POST of one edit was refused: that is the edit's refusal.
    case refusedAlone

    /// The answer is larger than what can be taken in: the same request would bring the same again.
    case answeredTooMuch

    /// The store could not take in what came. To the server it counts as taken; here it is as if nothing had come.
    case storeFailed

    /// The app cancelled the task that waited for the answer.
    case cancelled

    /// The app renewed its credentials, or wants what was paused to go on.
    case renewed
}
