/// The records of a live list at one moment, and what changed since the previous list; see
/// ``SyncCollection/observe(_:limit:tellingActivity:)``.
public struct RecordList<Value: Sendable>: Sendable {
    /// The records, in the order of the query.
    public let records: [RecordValue<Value>]

    /// The records of the query that can't be read as the type, in its order. They count for the limit of the list, and
    /// ``difference`` does not have them.
    public let unreadable: [UnreadableRecord]

    /// Whether the query has more records than the limit of the list.
    public let hasMore: Bool

    /// What changed since the previous list; in the first list every record is inserted.
    public let difference: Difference

    /// Makes a list for a preview or a test.
    public init(
        records: [RecordValue<Value>], unreadable: [UnreadableRecord] = [], hasMore: Bool = false,
        difference: Difference = Difference()
    ) {
        self.records = records
        self.unreadable = unreadable
        self.hasMore = hasMore
        self.difference = difference
    }

    /// The steps from one list to the next, as positions: as `UITableView` and `UICollectionView` take them in one batch.
    ///
    /// To follow them by hand, remove the records at ``removed`` and at the origins of ``moved`` from the previous list, then
    /// insert the records at ``inserted`` and at the destinations of ``moved`` of the new list, in ascending order. Every other
    /// record keeps its place between its neighbors.
    public struct Difference: Hashable, Sendable {
        /// Positions in the previous list, ascending.
        public var removed: [Int]

        /// Positions in the new list, ascending.
        public var inserted: [Int]

        /// The records that changed places, by their new position, ascending.
        public var moved: [Move]

        /// Positions in the new list, ascending, of records with another content or phase. A record may have moved as well.
        public var changed: [Int]

        /// Whether nothing changed.
        public var isEmpty: Bool {
            self.removed.isEmpty && self.inserted.isEmpty && self.moved.isEmpty && self.changed.isEmpty
        }

        /// Makes a difference.
        public init(removed: [Int] = [], inserted: [Int] = [], moved: [Move] = [], changed: [Int] = []) {
            self.removed = removed
            self.inserted = inserted
            self.moved = moved
            self.changed = changed
        }
    }

    /// A record that changed places.
    public struct Move: Hashable, Sendable {
        /// The position in the previous list.
        public var from: Int

        /// The position in the new list.
        public var to: Int

        /// Makes a move.
        public init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }
}
