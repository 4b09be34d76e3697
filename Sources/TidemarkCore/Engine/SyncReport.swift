import TidemarkJSON

/// The result of a sync.
public struct SyncReport: Sendable {
    /// The outcome; the first that applies, from bad to good.
    public enum Outcome: String, Sendable, Comparable {
        /// The server rejected the credentials, or another account answered.
        case unauthorized

        /// There is no server at this URL: it answered with 404. Set another URL (``SyncClient/renew(remote:)``); the run loop
        /// retries this one seldom.
        case notFound

        /// The server could not be reached, or its answer was malformed.
        case unreachable

        /// A conflict waits for the user.
        case conflicts

        /// A record is held.
        case held

        /// Client and server are in sync.
        case inSync

        /// No collection was synced, because none is known: read one, or name all of them when the client is made.
        case noCollections

        private var rank: Int {
            switch self {
            case .unauthorized: 0
            case .notFound: 1
            case .unreachable: 2
            case .conflicts: 3
            case .held: 4
            case .inSync: 5
            case .noCollections: 6
            }
        }

        /// Whether the first is worse.
        public static func < (left: Outcome, right: Outcome) -> Bool { left.rank < right.rank }
    }

    /// The report of each collection.
    public var collections: [CollectionReport]

    /// Makes a report.
    public init(collections: [CollectionReport] = []) {
        self.collections = collections
    }

    /// The worst outcome of any collection; ``Outcome/noCollections`` if there was no collection.
    public var outcome: Outcome {
        self.collections.map(\.outcome).min() ?? .noCollections
    }
}

/// The result of a sync in one collection.
public struct CollectionReport: Sendable {
    /// The name of the collection.
    public var collection: String

    /// The outcome.
    public var outcome: SyncReport.Outcome = .inSync

    /// The pks of the records whose upload the server accepted.
    public var pushed: [String] = []

    /// The number of feed rows that changed a record here.
    public var pulled = 0

    /// The pks of the records that both sides changed and that were merged without the user.
    public var merged: [String] = []

    /// The pks of the records whose conflict waits for the user.
    public var conflicts: [String] = []

    /// The pks of the held records, and of the quarantined feed items.
    public var held: [String] = []

    /// The number of confirmed values that the server has lost because it was rolled back to an earlier state (Contract §6): they
    /// are in the journal (``JournalEntry/Reason/serverRolledBack``). Nil if it was not rolled back.
    public var lostByServer: Int?

    /// The number of records with acknowledged values that the server may still overwrite, because it checks a version and then
    /// writes (`RemoteCapabilities.Condition.checkedFirst(watch:)`). A sync that begins after the watch time finds overwritten
    /// values, and sends them again.
    public var watched = 0

    /// The number of requests to the server, as its remote counts them; by default one for each exchange.
    public var requests = 0

    /// The server's messages for the user, each once. At most ten, each with at most 1,024 characters.
    public var notices: [String] = []

    /// The cursor up to which the feed was read.
    public var cursor: String?

    /// The failure; nil if there was none.
    public var failure: RemoteFailure?

    /// When another try is useful, since 1970-01-01T00:00:00Z; nil if there is nothing to wait for.
    public var nextTry: Duration?

    /// Makes an empty report.
    public init(collection: String) {
        self.collection = collection
    }
}

extension CollectionReport {
    /// Returns each pk once, at its first place: a record can be sent, or merged, several times in one sync.
    static func once(_ pks: [String]) -> [String] {
        var seen: Set<CodePointString> = []
        return pks.filter { seen.insert(CodePointString($0)).inserted }
    }
}
