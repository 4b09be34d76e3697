public import TidemarkMachine

/// How a collection stands.
public struct CollectionStatus: Hashable, Sendable {
    /// The collection.
    public let collection: String

    /// How many records there are of each state.
    public let counts: [SyncState: Int]

    /// The pks that wait for a person.
    public let conflicts: [String]

    /// The records that are held, and the feed items that were set aside, with the reason.
    public let held: [ItemSetAside]

    /// How many values the server lost when it went back to an earlier state, and nobody has sent again (SPEC §6).
    public let lostByServer: Int

    /// Where the server's feed was read to; nil before the first sync.
    public let watermark: String?

    /// When it was in step with the server last, from 1970-01-01T00:00:00Z, by the device's clock; nil where it never was.
    public let lastInStep: Duration?

    /// Makes a value, as a preview or a test needs one.
    public init(
        collection: String, counts: [SyncState: Int] = [:], conflicts: [String] = [], held: [ItemSetAside] = [],
        lostByServer: Int = 0, watermark: String? = nil, lastInStep: Duration? = nil
    ) {
        self.collection = collection
        self.counts = counts
        self.conflicts = conflicts
        self.held = held
        self.lostByServer = lostByServer
        self.watermark = watermark
        self.lastInStep = lastInStep
    }

    /// Whether nothing is pending, asked or held.
    public var isInStep: Bool {
        self.conflicts.isEmpty && self.held.isEmpty
            && SyncState.allCases.allSatisfy { $0 == .synced || self.counts[$0, default: 0] == 0 }
    }
}
