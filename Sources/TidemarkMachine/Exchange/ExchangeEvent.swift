/// Something that happened to an exchange. A "due" event says what to do next: when a sync is requested,
/// when a wait ended, and after an answer was applied.
package enum ExchangeEvent: String, CaseIterable, Sendable {
    /// There is something to send.
    case dueToPost

    /// There is nothing to send now, and the feed is read. While a full resync is requested or running nothing is sent (Contract
    /// §6); nor before a GET has worked after a POST that failed as a whole, or after credentials were renewed (Contract §3.1).
    case dueToGet

    /// A sync was requested while the exchange is paused. Nothing is sent, and the caller gets the reason.
    case requestedWhilePaused

    /// A sync was requested while the credentials are known to be rejected. They may be valid by now, so one GET is tried. Only a
    /// requested sync leads to this event, never a timer.
    case retryAuth

    /// There is something to do, and the server has throttled the client in an answer.
    case throttled

    /// All edits that are left were refused or contended, and are sent again after a back-off (I8).
    case postponed

    /// Nothing is left to do.
    case done

    /// A sync was requested while one is in progress.
    case joined

    /// Results were applied, and the cursor stays, since the feed has to return some row of the answer again (I6). If the rest of
    /// the answer failed, the failure is the next event.
    case answerPartlyApplied

    /// A whole answer was applied.
    case answerApplied

    /// The last page of a full resync was applied.
    case resyncEnded

    /// A transient failure: no network, a busy server, a malformed answer.
    case failed

    /// A failure that only the app can resolve: rejected credentials, another account, or one that a policy of the app pauses for.
    case stopped

    /// The server refused the cursor or the newest cursor (Contract §6).
    case historyLost

    /// The POST was refused as a whole, and no edit of it was applied: the POST or one of its edits is too large.
    case refusedWhole

    /// A POST of one edit was refused, so the edit is refused.
    case refusedAlone

    /// The answer exceeds a size limit, and the same request would return the same answer.
    case answeredTooMuch

    /// The store could not save the answer. The server may have applied the edits; here the answer counts as lost.
    case storeFailed

    /// The app cancelled the request.
    case cancelled

    /// The app renewed its credentials, or resumed the paused exchange.
    case renewed
}
