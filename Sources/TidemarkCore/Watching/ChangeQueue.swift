/// What changed in a collection, as whoever listens to ``SyncCollection/changes`` is told.
public enum CollectionChange: Hashable, Sendable {
    /// A record changed, or needs someone.
    case record(RecordChange)

    /// Any record may have changed: more did than were kept for this listener (``limit``), or the collection was forgotten.
    /// Read anew what is shown or kept of it.
    case all

    /// The change of one record; nil when it may be any.
    public var change: RecordChange? {
        switch self {
        case .record(let change): change
        case .all: nil
        }
    }

    /// How many changes are kept for a listener that has not looked at them yet, and how many names of changed records for
    /// one who follows values.
    public static let limit = 1_000
}

/// Changes that a listener has not looked at yet, in their order and in bounded room.
package struct ChangeQueue: Sendable {
    private var changes: [CollectionChange] = []

    /// Where the first one is that was not taken: taking from the front of an array would move the others.
    private var first = 0

    /// Makes an empty queue.
    package init() {}

    /// How many wait.
    package var count: Int { self.changes.count - self.first }

    /// Adds a change. One too many takes the place of all that wait, since then a list of some is worth nothing.
    package mutating func append(_ change: RecordChange) {
        guard self.count < CollectionChange.limit else { return self.appendAll() }
        self.changes.append(.record(change))
    }

    /// All may have changed, whatever waits.
    package mutating func appendAll() {
        self.changes = [.all]
        self.first = 0
    }

    /// Takes the oldest; nil when none waits.
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
