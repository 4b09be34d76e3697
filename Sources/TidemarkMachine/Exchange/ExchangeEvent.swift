/// Something that happened to an exchange. "Due" events are the classification of *what is next*: something to send
/// goes first, since its answer brings the newer rows as well (SPEC §3.1), unless there is a reason to read before.
package enum ExchangeEvent: String, CaseIterable, Sendable {
    /// A sync began, or a wait ended, and there is something to send. While a listing from the start is under way there
    /// is not (SPEC §6).
    case dueToPost

    /// A sync began, or a wait ended, and there is nothing to send.
    case dueToGet

    /// A sync began, or a wait ended, and there is something to send; but the last POST failed as a whole, and who
    /// can't write can still read. Or credentials were renewed, and only an answer shows whose account this is.
    case dueToReadFirst

    /// Someone asked for a sync while the credentials are known to be bad. They may be good by now, so one try is made,
    /// which sends nothing. No wake leads here.
    case dueToTryAccess

    /// Someone asked for a sync while it is paused, and a try would be of no use.
    case dueInVain

    /// Someone asked for a sync while the server wants to be left alone, as it said in an answer.
    case dueTooEarly

    /// Nothing could be sent after all: what was due is damaged, or has used up its tries.
    case foundNothing

    /// An answer came after a record had failed alone: the server works, so that counts against the record (SPEC §3.6).
    case workedBesides

    /// Results were applied, and the watermark stays, since the feed has to show something of the answer again (I6). Where the
    /// rest of it failed, that failure follows.
    case answeredInPart

    /// A page begins a listing of everything, though no history was lost: what it does not name by its end is gone (SPEC §6).
    case listingBegan

    /// An answer was applied whole.
    case heard

    /// The last page of a listing from the start was applied whole.
    case listed

    /// A page was applied whole, and the feed is not followed: its watermark is the former one or came before in this sync, or
    /// pages have no rows, or too many rows are known already (I8).
    case stoodStill

    /// An answer was applied, and there is something more to send.
    case answeredToPost

    /// An answer was applied, there is nothing to send, and the feed has more pages: also those of a listing from the
    /// start, during which nothing is sent.
    case answeredToGet

    /// An answer was applied, and nothing is left to do.
    case answeredDone

    /// An answer was applied, and something is left to do; but the server wants to be left alone for a while.
    case askedToRest

    /// An answer was applied, and all that is left was refused, or contended for, and is to be sent again: that has its
    /// wait like a failure, so that no one hammers at a server (I8).
    case postponed

    /// A POST failed for what may be its one record's doing.
    case failedAlone

    /// A POST failed again for what may be one of its records' doing.
    case failedAgain

    /// A failure that passes with time: no network, a busy server, an answer that makes no sense.
    case failed

    /// The server, or a proxy on the way, does not know us.
    case unauthorised

    /// Another account than the one that the store belongs to.
    case mistaken

    /// A failure that the app's policy does not want waited out.
    case stopped

    /// The server knows the watermark no more (SPEC §6).
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
