extension SyncStatus {
    /// The progress of all running syncs of a client in one value, so that a reader of only the newest value misses nothing.
    ///
    /// ```swift
    /// for await progress in client.progress {
    ///     label.text = "\(progress.received) received, \(progress.sent) sent"
    ///     spinner.isHidden = !progress.isSyncing
    /// }
    /// ```
    public struct Progress: Hashable, Sendable {
        /// The collections that take part, in the order in which they began; finished ones stay until one of them syncs again.
        public let collections: [SyncStatus.CollectionProgress]

        /// Makes a value for a preview or a test.
        public init(collections: [SyncStatus.CollectionProgress]) {
            self.collections = collections
        }

        /// The number of rows that came from the server.
        public var received: Int { self.collections.reduce(0) { $0 + $1.received } }

        /// The number of rows that are still to come; nil if the server does not report it for a collection that is syncing.
        public var left: Int? {
            self.collections.filter { !$0.isOver }.reduce(0 as Int?) { sum, part in
                sum.flatMap { sum in part.left.map { sum + $0 } }
            }
        }

        /// The number of changes that the server has accepted.
        public var sent: Int { self.collections.reduce(0) { $0 + $1.sent } }

        /// Whether a sync is running.
        public var isSyncing: Bool { self.collections.contains { !$0.isOver } }
    }
}

extension SyncStatus {
    /// The progress of the sync of one collection.
    public struct CollectionProgress: Hashable, Sendable {
        /// The name of the collection.
        public let collection: String

        /// The number of rows that came from the server, whether or not they changed anything here.
        public let received: Int

        /// The number of rows that are still to come; nil if the server did not report it.
        public let left: Int?

        /// The number of changes that the server has accepted.
        public let sent: Int

        /// Whether this sync has ended; its report has the result.
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
}
