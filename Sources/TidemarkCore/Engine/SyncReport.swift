import TidemarkJSON

/// What a sync did.
public struct SyncReport: Sendable {
    /// How it ended; the first that applies, from bad to good.
    public enum Outcome: String, Sendable, Comparable {
        /// The server does not know us, or someone else answered in its place.
        case unauthorised

        /// There is no server at this URL: it answered with 404. Another URL helps (``SyncClient/renew(remote:)``); the run loop
        /// tries this one seldom.
        case notFound = "not_found"

        /// The server could not be reached or understood.
        case unreachable

        /// A conflict waits for a person.
        case conflicts

        /// A record is held.
        case held

        /// Client and server agree.
        case inStep = "in_step"

        /// Nothing was synced, since no collection is known: read one, or name them all when the client is made.
        case noCollections = "no_collections"

        private var rank: Int {
            switch self {
            case .unauthorised: 0
            case .notFound: 1
            case .unreachable: 2
            case .conflicts: 3
            case .held: 4
            case .inStep: 5
            case .noCollections: 6
            }
        }

        /// Whether the first is worse.
        public static func < (left: Outcome, right: Outcome) -> Bool { left.rank < right.rank }
    }

    /// What was done in each collection.
    public var collections: [CollectionReport]

    /// Makes a report.
    public init(collections: [CollectionReport] = []) {
        self.collections = collections
    }

    /// How the sync ended: the worst outcome of any collection; ``Outcome/noCollections`` when there was none.
    public var outcome: Outcome {
        self.collections.map(\.outcome).min() ?? .noCollections
    }
}

/// What a sync did in one collection.
public struct CollectionReport: Sendable {
    /// The collection.
    public var collection: String

    /// How it ended.
    public var outcome: SyncReport.Outcome = .inStep

    /// The pks whose upload was taken by the server.
    public var pushed: [String] = []

    /// How many rows of the feed changed something here.
    public var pulled = 0

    /// The pks of records that both sides changed and that were merged without a person.
    public var merged: [String] = []

    /// The pks of records that wait for a person.
    public var conflicts: [String] = []

    /// The pks of records that are held, and of feed items that were set aside.
    public var held: [String] = []

    /// How many values the server had confirmed and has lost, since it went back to an earlier state (SPEC §6): they are
    /// in the journal (``JournalEntry/Reason/serverWentBack``). Nil when it did not go back.
    public var lostByServer: Int?

    /// How many records have something that the server acknowledged and may overwrite within the next while, since it checks a
    /// version and then writes (`RemoteCapabilities.Condition.checkedFirst(watch:)`). A sync that begins after
    /// that finds out, and puts back what was overwritten.
    public var watched = 0

    /// How many requests to the server it took, as its remote counts them; one for each exchange where that does not.
    public var requests = 0

    /// What the server had to tell a person, each sentence once. At most ten, and each has at most 1,024 characters.
    public var notices: [String] = []

    /// Where the feed was read to.
    public var watermark: String?

    /// What went wrong; nil when nothing did.
    public var failure: RemoteFailure?

    /// When another try is worthwhile, counted from 1970-01-01T00:00:00Z; nil when there is nothing to wait for.
    public var nextTry: Duration?

    /// Makes an empty report.
    public init(collection: String) {
        self.collection = collection
    }
}

extension CollectionReport {
    /// Names each record once, where it came first: a record can be sent, or merged, in several rounds of one sync.
    static func once(_ pks: [String]) -> [String] {
        var seen: Set<CodePointString> = []
        return pks.filter { seen.insert(CodePointString($0)).inserted }
    }
}
