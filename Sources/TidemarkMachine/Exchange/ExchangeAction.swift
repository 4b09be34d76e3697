/// One thing that the client has to do after a transition of an exchange.
package enum ExchangeAction: UInt32, CaseIterable, Hashable, Sendable {
    /// Tell the record that was posted alone that it was refused.
    case refuse

    /// The fate of what was posted is unknown: each record of it learns that (R17).
    case lose

    /// Keep in mind what the failure says of what was posted: a batch that fails as a whole a second time is halved, a record that fails
    /// alone is a suspect (SPEC §3.6).
    case blame

    /// Keep in mind that the feed is read before the next POST, also in a later process (SPEC §3.1).
    case readFirst

    /// The server works: count the failure of before against the record that failed alone, if one did, and hold it when there are too
    /// many (SPEC §3.6).
    case charge

    /// Forget what failed before: the server takes what is sent.
    case acquit

    /// Take fewer edits at a time.
    case bisect

    /// Ask for fewer rows at a time.
    case shorten

    /// Move the watermark on.
    case pass

    /// End the full resync: remove the records that it did not list.
    case endListing

    /// Keep that the server refused the cursor or the newest token. Unless another account's answer withdraws that, the feed is read from
    /// its start.
    case startOver

    /// Forget what failed: nothing is left to send.
    case clear

    /// Send the edits that were chosen.
    case post

    /// Ask for the rows after the watermark.
    case get

    /// Set the time of the next try.
    case backOff

    /// Set the time until which the server wants to be left alone.
    case rest

    /// Tell whoever waits for the sync that it is over.
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
