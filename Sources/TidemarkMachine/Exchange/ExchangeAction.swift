/// One thing that the client has to do after a transition of an exchange.
package enum ExchangeAction: UInt32, CaseIterable, Hashable, Sendable {
    /// Apply the refusal to the one record in the POST.
    case refuse

    /// Mark each upload of the POST that has no result as unconfirmed: its outcome is unknown (R17).
    case markUnconfirmed

    /// Count the failure as evidence about the POST: halve a batch that failed as a whole twice, and make a record that failed
    /// alone a poison suspect (Contract §3.6).
    case weighFailure

    /// Read the feed before the next POST, also in a later process (Contract §3.1).
    case readFirst

    /// Count the former failure against the poison suspect, if there is one, since this exchange succeeded. Hold the record after
    /// too many (Contract §3.6).
    case countPoisonFailure

    /// Clear the former failures: the server accepts edits.
    case clearFailures

    /// Halve the batch.
    case bisect

    /// Reduce the page to an eighth.
    case shrinkPage

    /// Move the cursor to that of the answer.
    case advanceCursor

    /// End the full resync: remove the records that it did not list.
    case endResync

    /// Store that the server refused the cursor or the newest cursor. A full resync follows, unless the next answer is of another
    /// account.
    case claimHistoryLoss

    /// Clear the former failures: nothing is left to send.
    case resetFailures

    /// Send a POST with the chosen edits.
    case post

    /// Send a GET for the rows after the cursor.
    case get

    /// Schedule the next try after a back-off.
    case backOff

    /// Schedule the next try for the time that the server asked for (throttling).
    case throttle

    /// End the sync and report it to its callers.
    case finish

    /// Every action, in the order in which they are carried out.
    package static let inOrder = Self.allCases
}

/// What the client has to do after a transition of an exchange.
package typealias ExchangeActions = ActionSet<ExchangeAction>

extension ExchangeActions {
    package static var refuse: Self { Self(.refuse) }
    package static var markUnconfirmed: Self { Self(.markUnconfirmed) }
    package static var weighFailure: Self { Self(.weighFailure) }
    package static var readFirst: Self { Self(.readFirst) }
    package static var countPoisonFailure: Self { Self(.countPoisonFailure) }
    package static var clearFailures: Self { Self(.clearFailures) }
    package static var bisect: Self { Self(.bisect) }
    package static var shrinkPage: Self { Self(.shrinkPage) }
    package static var advanceCursor: Self { Self(.advanceCursor) }
    package static var endResync: Self { Self(.endResync) }
    package static var claimHistoryLoss: Self { Self(.claimHistoryLoss) }
    package static var resetFailures: Self { Self(.resetFailures) }
    package static var post: Self { Self(.post) }
    package static var get: Self { Self(.get) }
    package static var backOff: Self { Self(.backOff) }
    package static var throttle: Self { Self(.throttle) }
    package static var finish: Self { Self(.finish) }
}
