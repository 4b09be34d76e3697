public import TidemarkMachine

/// How the run loop of a client stands: what is in its way, and what it has spent.
public struct RunStatus: Hashable, Sendable {
    /// Whether there is a network, as far as the app says.
    public let isConnected: Bool

    /// How many requests were made within the last hour; ``RunPlan/requestsPerHour`` is the most.
    public let requests: Int

    /// How many bytes of records were sent and received within the last hour; ``RunPlan/bytesPerHour`` is the most.
    public let bytes: Int

    /// When more of the budget is free again, from 1970-01-01T00:00:00Z; nil while any sync may start. The reserve for own edits
    /// (``RunPlan/requestsPerHour``) may be left until then.
    public let budgetRenewal: Duration?

    /// Whether someone hints, so that the server is asked when there is something, and not from time to time.
    public let hints: Hints

    /// How it stands with each collection, in the order of the UTF-8 bytes of the names.
    public let collections: [CollectionRun]

    /// Makes a value, as a preview or a test needs one.
    public init(
        isConnected: Bool = true, requests: Int = 0, bytes: Int = 0, budgetRenewal: Duration? = nil,
        hints: Hints = .none(why: nil, next: nil), collections: [CollectionRun] = []
    ) {
        self.isConnected = isConnected
        self.requests = requests
        self.bytes = bytes
        self.budgetRenewal = budgetRenewal
        self.hints = hints
        self.collections = collections
    }
}

extension RunStatus {
    /// Whether someone hints that a collection has moved (SPEC §10).
    public enum Hints: Hashable, Sendable {
        /// Someone does.
        case heard

        /// Nobody does, and the server is asked from time to time.
        ///
        /// - Parameters:
        ///   - why: What happened, for a person; nil where nothing is known yet, and where the remote has no hints.
        ///   - next: When that is tried again, from 1970-01-01T00:00:00Z; nil while it is being tried, and where it is not.
        case none(why: String?, next: Duration?)
    }

    /// How the run loop stands with one collection.
    public struct CollectionRun: Hashable, Sendable {
        /// The collection.
        public let collection: String

        /// Where it stands.
        public let phase: RunPhase

        /// When the next sync starts by itself, from 1970-01-01T00:00:00Z; nil where only something that happens can start one.
        public let next: Duration?

        /// Makes a value.
        public init(collection: String, phase: RunPhase, next: Duration? = nil) {
            self.collection = collection
            self.phase = phase
            self.next = next
        }
    }
}
