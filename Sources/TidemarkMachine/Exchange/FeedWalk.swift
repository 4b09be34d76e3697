/// How far one sync has read the feed. It detects a feed without an end (I8).
///
/// A cursor that was returned before in the same sync means that the feed is a cycle. The last 64 cursors are kept, and one older cursor,
/// at distances that double (Brent's algorithm). A short cycle is detected at once, a long one within three rounds, and the memory
/// does not grow with the feed.
package struct FeedWalk<Watermark: Hashable & Sendable>: Hashable, Sendable {
    private var recent: [Watermark] = []
    private var mark: Watermark?
    private var distance = 0
    private var span = 1

    /// How many pages in a row had no row and said that there is more.
    var emptyPages = 0

    /// How many known rows the pages had since this sync began, or since the feed was read to its end.
    var knownRows = 0

    /// How many records were here when they were counted last; 0 before that.
    var records = 0

    /// A sync that begins.
    package init() {}

    /// How many of the last watermarks are remembered.
    private var memory: Int { 64 }

    /// Whether this sync has been at a watermark before, as far as it remembers.
    package func hasPassed(_ watermark: Watermark) -> Bool {
        self.mark == watermark || self.recent.contains(watermark)
    }

    /// The feed was read to this cursor.
    package mutating func pass(_ watermark: Watermark) {
        guard self.recent.last != watermark else { return }
        self.recent.append(watermark)
        if self.recent.count > self.memory { self.recent.removeFirst() }
        self.distance += 1
        guard self.distance >= self.span else { return }
        self.mark = watermark
        self.distance = 0
        self.span *= 2
    }
}
