import TidemarkJSON

/// The feeds that a transaction has read: each is read once and written once, even if many POSTs change it.
struct OpenFeeds {
    /// The account and collection of a feed.
    struct Name: Hashable {
        let account: CodePointString
        let collection: CodePointString

        init(account: String, collection: String) {
            self.account = CodePointString(account)
            self.collection = CodePointString(collection)
        }
    }

    private var ids: [Name: Int64] = [:]
    private var feeds: [Int64: ServerFeed] = [:]
    private var changed: Set<Int64> = []

    /// The current state of a feed; nil if it was not read.
    subscript(name: Name) -> ServerFeed? { self.ids[name].flatMap { self.feeds[$0] } }

    /// Stores a feed as it was read or made.
    mutating func hold(_ feed: ServerFeed, as name: Name) {
        self.ids[name] = feed.id
        self.feeds[feed.id] = feed
    }

    /// Stores the new state of a feed, which is to be written.
    mutating func change(_ feed: ServerFeed) {
        self.feeds[feed.id] = feed
        self.changed.insert(feed.id)
    }

    /// Returns the feeds that are to be written, each once, and clears that list.
    mutating func takeChanged() -> [ServerFeed] {
        defer { self.changed = [] }
        return self.changed.sorted().compactMap { self.feeds[$0] }
    }
}
