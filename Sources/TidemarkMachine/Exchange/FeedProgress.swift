/// How far the GETs of one sync have read the feed since its last end, or since the last POST. It detects a feed without an end (I8).
///
/// A cursor that was returned before in the same sync means that the feed is a cycle. One cursor is kept, at distances that double
/// (Brent's algorithm): a cycle is detected within three rounds, or three times the pages before it, and the memory does not grow
/// with the feed.
package struct FeedProgress<Cursor: Hashable & Sendable>: Hashable, Sendable {
    private var mark: Cursor?
    private var passed = 0

    /// How many pages in a row had no row and announced more.
    var emptyPages = 0

    /// How many known rows the pages had.
    var knownRows = 0

    /// The number of records in the store at the last count; 0 before that.
    var records = 0

    /// Makes the state at the start of a sync.
    package init() {}

    /// Returns whether a cursor is the kept one, so that this sync has been there before.
    package func hasPassed(_ cursor: Cursor) -> Bool { self.mark == cursor }

    /// Adds the cursor to which the feed was read.
    package mutating func pass(_ cursor: Cursor) {
        self.passed += 1
        // After 1, 3, 7, 15 … cursors.
        if self.passed & (self.passed + 1) == 0 { self.mark = cursor }
    }
}
