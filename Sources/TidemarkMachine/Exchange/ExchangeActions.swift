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

    /// Drop what the listing from the start did not name.
    case endListing

    /// Request a full resync.
    case startOver

    /// Forget what failed: nothing is left to send.
    case clear

    /// Choose what to send, save it, and send it.
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

/// What the client has to do after a transition of an exchange, in one fixed order.
package struct ExchangeActions: OptionSet, Hashable, Sendable {
    /// One bit for each action.
    package let rawValue: UInt32

    /// Makes a set from its bits.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    private init(_ action: ExchangeAction) {
        self.init(rawValue: 1 << action.rawValue)
    }

    /// Whether an action is among them.
    package func has(_ action: ExchangeAction) -> Bool {
        self.contains(ExchangeActions(action))
    }

    /// ``ExchangeAction/refuse``
    package static let refuse = ExchangeActions(.refuse)

    /// ``ExchangeAction/lose``
    package static let lose = ExchangeActions(.lose)

    /// ``ExchangeAction/blame``
    package static let blame = ExchangeActions(.blame)

    /// ``ExchangeAction/readFirst``
    package static let readFirst = ExchangeActions(.readFirst)

    /// ``ExchangeAction/charge``
    package static let charge = ExchangeActions(.charge)

    /// ``ExchangeAction/acquit``
    package static let acquit = ExchangeActions(.acquit)

    /// ``ExchangeAction/bisect``
    package static let bisect = ExchangeActions(.bisect)

    /// ``ExchangeAction/shorten``
    package static let shorten = ExchangeActions(.shorten)

    /// ``ExchangeAction/pass``
    package static let pass = ExchangeActions(.pass)

    /// ``ExchangeAction/endListing``
    package static let endListing = ExchangeActions(.endListing)

    /// ``ExchangeAction/startOver``
    package static let startOver = ExchangeActions(.startOver)

    /// ``ExchangeAction/clear``
    package static let clear = ExchangeActions(.clear)

    /// ``ExchangeAction/post``
    package static let post = ExchangeActions(.post)

    /// ``ExchangeAction/get``
    package static let get = ExchangeActions(.get)

    /// ``ExchangeAction/backOff``
    package static let backOff = ExchangeActions(.backOff)

    /// ``ExchangeAction/rest``
    package static let rest = ExchangeActions(.rest)

    /// ``ExchangeAction/finish``
    package static let finish = ExchangeActions(.finish)
}

extension ExchangeActions: CustomStringConvertible {
    /// The names, in the order in which they are carried out.
    package var description: String {
        ExchangeAction.inOrder.filter { self.has($0) }.map { "\($0)" }.joined(separator: ", ")
    }
}
