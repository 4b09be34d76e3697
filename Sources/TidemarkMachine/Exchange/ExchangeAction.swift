/// One thing that the client has to do after a transition of an exchange.
package enum ExchangeAction: UInt32, CaseIterable, Hashable, Sendable {
    /// Apply the refusal to the one record in the POST.
    case refuse

    /// Mark each upload of the POST that has no result as unconfirmed: its outcome is unknown (R17).
    case lose

    /// Count the failure as evidence about the POST: halve a batch that failed as a whole twice, and make a record that failed alone a poison
    /// suspect (SPEC §3.6).
    case blame

    /// Read the feed before the next POST, also in a later process (SPEC §3.1).
    case readFirst

    /// Count the former failure against the poison suspect, if there is one, since this exchange succeeded. Hold the record after too many
    /// (SPEC §3.6).
    case charge

    /// Clear the former failures: the server accepts edits.
    case acquit

    /// Halve the batch.
    case bisect

    /// Halve the page.
    case shorten

    /// Move the cursor to the token of the answer.
    case pass

    /// End the full resync: remove the records that it did not list.
    case endListing

    /// Store that the server refused the cursor or the newest token. A full resync follows, unless the next answer is of another account.
    case startOver

    /// Clear the former failures: nothing is left to send.
    case clear

    /// Send a POST with the chosen edits.
    case post

    /// Send a GET for the rows after the cursor.
    case get

    /// Schedule the next try after a back-off.
    case backOff

    /// Schedule the next try for the time that the server asked for (throttling).
    case rest

    /// End the sync and report it to its callers.
    case finish

    /// Every action, in the order in which they are carried out.
    package static let inOrder = Self.allCases
}

/// What the client has to do after a transition of an exchange.
package typealias ExchangeActions = ActionSet<ExchangeAction>

extension ExchangeActions {
    package static var refuse: Self { Self(.refuse) }
    package static var lose: Self { Self(.lose) }
    package static var blame: Self { Self(.blame) }
    package static var readFirst: Self { Self(.readFirst) }
    package static var charge: Self { Self(.charge) }
    package static var acquit: Self { Self(.acquit) }
    package static var bisect: Self { Self(.bisect) }
    package static var shorten: Self { Self(.shorten) }
    package static var pass: Self { Self(.pass) }
    package static var endListing: Self { Self(.endListing) }
    package static var startOver: Self { Self(.startOver) }
    package static var clear: Self { Self(.clear) }
    package static var post: Self { Self(.post) }
    package static var get: Self { Self(.get) }
    package static var backOff: Self { Self(.backOff) }
    package static var rest: Self { Self(.rest) }
    package static var finish: Self { Self(.finish) }
}
