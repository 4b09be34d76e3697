import TidemarkJSON

/// The feeds that a transaction has met: each is read once and written once, however many POSTs of it move it.
struct OpenFeeds {
    /// Whose feed it is, and of which collection.
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

    /// The feed as it is by now; nil where it was not met.
    subscript(name: Name) -> ServerFeed? { self.ids[name].flatMap { self.feeds[$0] } }

    /// Notes a feed as it was read or made.
    mutating func hold(_ feed: ServerFeed, as name: Name) {
        self.ids[name] = feed.id
        self.feeds[feed.id] = feed
    }

    /// Notes how a feed is from here on, to be written.
    mutating func change(_ feed: ServerFeed) {
        self.feeds[feed.id] = feed
        self.changed.insert(feed.id)
    }

    /// Those that are to be written, each once.
    mutating func takeChanged() -> [ServerFeed] {
        defer { self.changed = [] }
        return self.changed.sorted().compactMap { self.feeds[$0] }
    }
}
