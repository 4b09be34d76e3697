import TidemarkMachine
import TidemarkRules

/// The state of a collection, without its records.
public struct CollectionState: Hashable, Sendable {
    /// A full resync: the feed is read from its start, and a record that it does not contain is deleted here at its end (Contract
    /// §6).
    public struct Resync: Hashable, Sendable {
        /// Why the feed is read from its start. A later case is more serious: it makes more data uncertain.
        public enum Reason: String, CaseIterable, Hashable, Sendable {
            /// Requested by this client: a damaged record was resigned, or the last full resync is too old for a server that
            /// forgets deletions without reporting it. It makes no sent edit unconfirmed.
            case wanted

            /// The server no longer knows the cursor, or begins a full resync by itself.
            case historyLost = "history-lost"

            /// The server was rolled back: confirmed values may be lost, and are journalled (I1).
            case rollback
        }

        /// The reason.
        public var reason: Reason

        /// Whether its first page was applied. Before that the only request is a GET without a cursor.
        public var isRunning: Bool

        /// Makes a full resync that is requested, or one that is running.
        public init(_ reason: Reason, isRunning: Bool = false) {
            self.reason = reason
            self.isRunning = isRunning
        }
    }

    /// `max_updated_at`: the cursor up to which the server's feed was read; nil before the first page (Contract §1).
    public var cursor: String?

    /// The newest cursor of an answer, if the cursor was not moved to it: each request contains it too, so that the server
    /// refuses the request if it has lost the state of that answer (W8). Nil if ``cursor`` is the newest, and for a server
    /// that does not check it (``RemoteCapabilities/judgesSeen``).
    public var seen: String?

    /// The history (epoch) of the server that the cursor belongs to; nil before the first answer (W8).
    public var epoch: String?

    /// The full resync that is requested or running, or nil.
    public var resync: Resync?

    /// The reason of a full resync that the server's refusal of the cursor or the newest cursor requires, until an answer shows
    /// that it came from our account; nil if there was no refusal. A server with another account refuses our cursor in the same
    /// way, and then the rest of this state is unchanged.
    public var claim: Resync.Reason?

    /// The number of the last full resync whose first page was applied (Contract §6).
    public var resyncGeneration: Int64

    /// The number of answers in which the present page contained malformed items.
    public var malformedTries: Int

    /// When the client last began to read the feed from its start, since 1970-01-01T00:00:00Z, to the microsecond; nil if that
    /// is unknown. Needed only for a server that forgets deletions without reporting it (Contract §12).
    public var resyncBegan: Duration?

    /// When a sync last ended with everything in sync, since 1970-01-01T00:00:00Z, to the microsecond; nil if none has.
    public var lastInSync: Duration?

    /// What the exchange remembers of its failures, as JSON text; nil if there is no failure. A store does not read it.
    public var exchangeMemory: String?

    /// Makes the state of a collection that was never synced.
    public init(
        cursor: String? = nil, seen: String? = nil, epoch: String? = nil, resync: Resync? = nil,
        claim: Resync.Reason? = nil, resyncGeneration: Int64 = 0, malformedTries: Int = 0, resyncBegan: Duration? = nil,
        lastInSync: Duration? = nil, exchangeMemory: String? = nil
    ) {
        self.cursor = cursor
        self.seen = seen
        self.epoch = epoch
        self.resync = resync
        self.claim = claim
        self.resyncGeneration = resyncGeneration
        self.malformedTries = malformedTries
        self.resyncBegan = resyncBegan
        self.lastInSync = lastInSync
        self.exchangeMemory = exchangeMemory
    }

    /// Whether a full resync is claimed, requested or running, so that no edit is sent.
    package var isResyncing: Bool { self.claim != nil || self.resync != nil }

    /// Whether the next request reads the feed from its start.
    public var startsOver: Bool { self.claim != nil || self.resync?.isRunning == false }

    /// Requests a full resync instead of one that is requested or running; the more serious of both reasons is kept.
    mutating func request(_ reason: Resync.Reason) {
        self.resync = Resync(Resync.Reason.graver(reason, self.resync?.reason))
        self.malformedTries = 0
    }

    /// Records that the server refused the cursor or token of a request.
    mutating func claim(_ reason: Resync.Reason) {
        self.claim = Resync.Reason.graver(reason, self.claim)
    }

    /// Records that the refusal came from our account: the full resync is requested.
    mutating func confirmClaim() {
        guard let claim = self.claim else { return }
        self.claim = nil
        self.request(claim)
    }
}

extension CollectionState.Resync.Reason {
    fileprivate static func graver(_ one: Self, _ other: Self?) -> Self {
        Self.allCases.last { $0 == one || $0 == other } ?? one
    }
}
