public import TidemarkMachine

/// How the run loop of a client stands: what is in its way, and what it has spent.
public struct RunStatus: Hashable, Sendable {
    /// Whether there is a network, as far as the app says.
    public let isConnected: Bool

    /// How many requests were made within the last hour; ``RunPlan/requestsPerHour`` is the most.
    public let requests: Int

    /// How many bytes of records were sent and received within the last hour; ``RunPlan/bytesPerHour`` is the most.
    public let bytes: Int

    /// When some of the budget is free again, from 1970-01-01T00:00:00Z; nil while it is not spent.
    public let budgetRenewal: Duration?

    /// How it stands with each collection, in the order of the UTF-8 bytes of the names.
    public let collections: [CollectionRun]

    /// Makes a value, as a preview or a test needs one.
    public init(
        isConnected: Bool = true, requests: Int = 0, bytes: Int = 0, budgetRenewal: Duration? = nil,
        collections: [CollectionRun] = []
    ) {
        self.isConnected = isConnected
        self.requests = requests
        self.bytes = bytes
        self.budgetRenewal = budgetRenewal
        self.collections = collections
    }
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
