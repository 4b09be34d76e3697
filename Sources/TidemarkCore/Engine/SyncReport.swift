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

        /// A change waits for another record, whose own change is not sent yet (``CollectionReport/waiting``).
        case waiting

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
            case .waiting: 5
            case .inSync: 6
            case .noCollections: 7
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

    /// The first changes that wait for another record (Contract §11), in the order in which they were made: at most
    /// ``waitingLimit``.
    public var waiting: [Waiting] = []

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

    /// The maximum number of ``waiting`` changes in a report.
    public static let waitingLimit = 100

    /// A change that waits for another record: the server may not have a record that it names, or has a record that names it.
    public struct Waiting: Hashable, Sendable {
        /// The pk of the changed record.
        public let pk: String

        /// The collection of the record that it waits for.
        public let collection: String

        /// The pk of that record.
        public let awaited: String
    }
}

extension CollectionReport {
    /// Whether another sync at once may send the changes that are left.
    var mayContinue: Bool { self.failure == nil && self.nextTry == nil }

    /// Adds up the counts and lists of two syncs; the state is that of the later one.
    package mutating func add(_ later: CollectionReport) {
        var sum = later
        sum.pushed = Self.once(self.pushed + later.pushed)
        sum.merged = Self.once(self.merged + later.merged)
        sum.pulled += self.pulled
        sum.requests += self.requests
        sum.notices = Self.once(self.notices + later.notices)
        if let lost = self.lostByServer { sum.lostByServer = lost + (later.lostByServer ?? 0) }
        self = sum
    }
}

extension CollectionReport {
    /// Returns each pk once, at its first place: a record can be sent, or merged, several times in one sync.
    static func once(_ pks: [String]) -> [String] {
        var seen = Set<CodePointString>(minimumCapacity: pks.count)
        return pks.filter { seen.insert(CodePointString($0)).inserted }
    }
}
