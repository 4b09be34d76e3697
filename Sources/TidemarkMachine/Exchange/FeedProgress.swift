/// How far one sync has read the feed. It detects a feed without an end (I8).
///
/// A cursor that was returned before in the same sync means that the feed is a cycle. The last 64 cursors are kept, and one older cursor,
/// at distances that double (Brent's algorithm). A short cycle is detected at once, a long one within three rounds, and the memory
/// does not grow with the feed.
package struct FeedProgress<Cursor: Hashable & Sendable>: Hashable, Sendable {
    private var recent: [Cursor] = []
    private var mark: Cursor?
    private var passed = 0

    /// How many pages in a row had no row and announced more.
    var emptyPages = 0

    /// How many known rows the pages had since this sync began, or since the feed was read to its end.
    var knownRows = 0

    /// The number of records in the store at the last count; 0 before that.
    var records = 0

    /// Makes the state at the start of a sync.
    package init() {}

    /// How many of the last cursors are stored.
    private var memory: Int { 64 }

    /// Returns whether this sync has been at a cursor before, as far as it is stored.
    package func hasPassed(_ cursor: Cursor) -> Bool {
        self.mark == cursor || self.recent.contains(cursor)
    }

    /// Adds the cursor to which the feed was read.
    package mutating func pass(_ cursor: Cursor) {
        guard self.recent.last != cursor else { return }
        self.recent.append(cursor)
        if self.recent.count > self.memory { self.recent.removeFirst() }
        self.passed += 1
        // After 1, 3, 7, 15 … cursors.
        if self.passed & (self.passed + 1) == 0 { self.mark = cursor }
    }
}
