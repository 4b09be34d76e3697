/// How far the syncs of a client are that go on: all of them in one value, so that whoever sees only the newest one has
/// missed nothing.
///
/// ```swift
/// for await progress in client.progress {
///     label.text = "\(progress.received) received, \(progress.sent) sent"
///     spinner.isHidden = !progress.isSyncing
/// }
/// ```
public struct SyncProgress: Hashable, Sendable {
    /// Each collection that takes part, in the order in which they began; those that are done stay until one begins anew.
    public let collections: [CollectionProgress]

    /// Makes a value, as a preview or a test needs one.
    public init(collections: [CollectionProgress]) {
        self.collections = collections
    }

    /// How many rows came from the server.
    public var received: Int { self.collections.reduce(0) { $0 + $1.received } }

    /// How many rows are still to come; nil when a server does not say so of a collection that goes on.
    public var left: Int? {
        self.collections.filter { !$0.isOver }.reduce(0 as Int?) { sum, part in
            sum.flatMap { sum in part.left.map { sum + $0 } }
        }
    }

    /// How many changes the server has taken.
    public var sent: Int { self.collections.reduce(0) { $0 + $1.sent } }

    /// Whether a sync goes on.
    public var isSyncing: Bool { self.collections.contains { !$0.isOver } }
}

/// How far the sync of one collection is.
public struct CollectionProgress: Hashable, Sendable {
    /// The collection.
    public let collection: String

    /// How many rows came from the server, whether or not they changed anything here.
    public let received: Int

    /// How many rows are still to come; nil when the server did not say.
    public let left: Int?

    /// How many changes the server has taken.
    public let sent: Int

    /// Whether this sync is over; how it ended is in its report.
    public let isOver: Bool

    /// Makes a value.
    public init(collection: String, received: Int, left: Int? = nil, sent: Int, isOver: Bool) {
        self.collection = collection
        self.received = received
        self.left = left
        self.sent = sent
        self.isOver = isOver
    }
}
