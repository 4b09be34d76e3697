public import TidemarkMachine

extension SyncStatus {
    /// The status of a collection.
    public struct Collection: Hashable, Sendable {
        /// The name of the collection.
        public let collection: String

        /// The number of records in each state.
        public let counts: [SyncState: Int]

        /// The pks of the records whose conflict waits for the user.
        public let conflicts: [String]

        /// The records that are held (``QuarantinedItem/hold``), and the feed items that are quarantined, with the reason.
        public let held: [QuarantinedItem]

        /// The number of values that the server lost when it rolled back to an earlier state, and that were not sent again
        /// (Contract §6).
        public let lostByServer: Int

        /// The cursor up to which the server's feed was read; nil before the first sync.
        public let cursor: String?

        /// When the collection was last in sync with the server, since 1970-01-01T00:00:00Z, by the device's clock; nil if never.
        public let lastInSync: Duration?

        /// Makes a value for a preview or a test.
        public init(
            collection: String, counts: [SyncState: Int] = [:], conflicts: [String] = [], held: [QuarantinedItem] = [],
            lostByServer: Int = 0, cursor: String? = nil, lastInSync: Duration? = nil
        ) {
            self.collection = collection
            self.counts = counts
            self.conflicts = conflicts
            self.held = held
            self.lostByServer = lostByServer
            self.cursor = cursor
            self.lastInSync = lastInSync
        }

        /// Whether no record is pending, in conflict or held.
        public var isInSync: Bool {
            self.conflicts.isEmpty && self.held.isEmpty
                && SyncState.allCases.allSatisfy { $0 == .synced || self.counts[$0, default: 0] == 0 }
        }
    }
}

extension SyncStatus.Collection {
    /// The number of unsent records, without those in conflict and held ones.
    package var toSend: Int {
        let changed = self.counts.filter { $0.key != .synced }.values.reduce(0, +)
        return max(changed - self.conflicts.count - self.held.count, 0)
    }
}
