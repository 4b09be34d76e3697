/// Where the exchange of one collection stands (SPEC §3). There is at most one at a time.
///
/// What a phase needs to know besides (until when it waits, why it pauses, what it posted) is data of the engine.
public enum ExchangePhase: String, CaseIterable, Hashable, Sendable {
    /// Nothing is under way.
    case idle

    /// A GET is out.
    case getting

    /// A POST is out.
    case posting

    /// A failure that passes: the next try is set.
    case waiting

    /// A failure that only the app can end: renewed credentials, the right account, or what its policy stopped.
    case paused
}

/// Something that happened to an exchange. "Due" events are the classification of *what is next*: something to send
/// goes first, since its answer brings the newer rows as well (SPEC §3.1), unless there is a reason to read before.
public enum ExchangeEvent: String, CaseIterable, Sendable {
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

    /// An answer was applied, and there is something more to send.
    case answeredToPost

    /// An answer was applied, there is nothing to send, and the feed has more pages: also those of a listing from the
    /// start, during which nothing is sent.
    case answeredToGet

    /// An answer was applied, and nothing is left to do.
    case answeredDone

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

    /// The answer is larger than what can be taken in: the same request would bring the same again.
    case answeredTooMuch

    /// The app cancelled the task that waited for the answer.
    case cancelled

    /// The app renewed its credentials, or wants what was paused to go on.
    case renewed
}

/// What the client has to do after a transition of an exchange, in one fixed order.
public struct ExchangeActions: OptionSet, Hashable, Sendable {
    /// One bit for each action.
    public let rawValue: UInt16

    /// Makes a set from its bits.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The fate of what was posted is unknown: each record of it learns that (R17).
    public static let lose = ExchangeActions(rawValue: 1 << 0)

    /// Keep in mind that the feed is read before the next POST, also in a later process (SPEC §3.1).
    public static let readFirst = ExchangeActions(rawValue: 1 << 7)

    /// Begin to read the feed from the start, marking what is listed.
    public static let startOver = ExchangeActions(rawValue: 1 << 1)

    /// Take fewer edits at a time; an edit that is alone is refused.
    public static let bisect = ExchangeActions(rawValue: 1 << 2)

    /// Ask for fewer rows at a time.
    public static let shorten = ExchangeActions(rawValue: 1 << 8)

    /// Choose what to send, save it, and send it.
    public static let post = ExchangeActions(rawValue: 1 << 3)

    /// Ask for the rows after the watermark.
    public static let get = ExchangeActions(rawValue: 1 << 4)

    /// Set the time of the next try.
    public static let backOff = ExchangeActions(rawValue: 1 << 5)

    /// Tell whoever waits for the sync that it is over.
    public static let finish = ExchangeActions(rawValue: 1 << 6)

    /// Every action with its name, in the order in which they are carried out.
    public static let named: [(name: String, action: ExchangeActions)] = [
        ("lose", .lose), ("readFirst", .readFirst), ("startOver", .startOver), ("bisect", .bisect),
        ("shorten", .shorten), ("post", .post), ("get", .get), ("backOff", .backOff), ("finish", .finish),
    ]
}

extension ExchangeActions: CustomStringConvertible {
    /// The names, in the order in which they are carried out.
    public var description: String {
        Self.named.filter { self.contains($0.action) }.map(\.name).joined(separator: ", ")
    }
}

/// What one event does to one phase of an exchange.
public enum ExchangeTransition: Hashable, Sendable {
    /// The exchange moves to a phase, and the client then acts.
    case move(ExchangePhase, ExchangeActions)

    /// The event is legal here and changes nothing.
    case stay

    /// The event cannot occur here. Receiving it is a programmer's mistake.
    case impossible
}
