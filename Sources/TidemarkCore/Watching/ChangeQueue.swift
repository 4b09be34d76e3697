/// A change in a collection, for a reader of ``SyncCollection/changes``.
public enum CollectionChange: Hashable, Sendable {
    /// A record changed, or the user has to decide about it.
    case record(RecordChange)

    /// Any record may have changed: there were more changes than are kept for this reader (``limit``), or the collection was
    /// forgotten. Read all records again.
    case all

    /// The change of one record; nil if it may be any.
    public var change: RecordChange? {
        switch self {
        case .record(let change): change
        case .all: nil
        }
    }

    /// The maximum number of unread changes that are kept for one reader. A sequence of values
    /// (``SyncCollection/observe()``) keeps at most this number of names of changed records.
    public static let limit = 1_000
}

/// The changes that a reader has not read yet, in their order and bounded in size.
package struct ChangeQueue: Sendable {
    private var changes: [CollectionChange] = []

    /// The index of the first unread change: removing it from the front of the array would move the others.
    private var first = 0

    /// Makes an empty queue.
    package init() {}

    /// The number of unread changes.
    package var count: Int { self.changes.count - self.first }

    /// Adds a change. If there are too many, a single `all` replaces them, because an incomplete list is of no use.
    package mutating func append(_ change: RecordChange) {
        guard self.count < CollectionChange.limit else { return self.appendAll() }
        self.changes.append(.record(change))
    }

    /// Replaces all unread changes with `all`.
    package mutating func appendAll() {
        self.changes = [.all]
        self.first = 0
    }

    /// Removes and returns the oldest change, or nil.
    package mutating func next() -> CollectionChange? {
        guard self.first < self.changes.count else {
            self.changes.removeAll(keepingCapacity: false)
            self.first = 0
            return nil
        }
        defer { self.first += 1 }
        return self.changes[self.first]
    }
}
