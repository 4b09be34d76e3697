/// The way of one sync through a feed, so that one without an end is noticed (I8).
///
/// A watermark that comes again means that the feed goes round in a circle. The last few are remembered word for word,
/// and of all the others one, at distances that double (Brent's way to find a cycle): a short circle is noticed at
/// once, a long one before it was gone round three times, and memory does not grow with the feed.
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

    /// A way that begins.
    package init() {}

    /// How many of the last watermarks are remembered.
    private var memory: Int { 64 }

    /// Whether this sync has been at a watermark before, as far as it remembers.
    package func hasPassed(_ watermark: Watermark) -> Bool {
        self.mark == watermark || self.recent.contains(watermark)
    }

    /// The feed was read to here.
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
