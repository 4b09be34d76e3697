import TidemarkJSON

/// One page of a feed, written into its answer as it is read: it holds no rows.
struct FeedPage {
    /// How much one page may bring.
    struct Limit {
        var items: Int
        var bytes: Int

        /// About how many bytes a page will have: as many as rows of the middle size have, up to 256 KiB.
        func room(after position: Int64, in feed: ServerFeed) -> Int {
            guard position < feed.last, feed.rows > 0 else { return 0 }
            let most = min(self.bytes, 256 << 10)
            let each = min(Int(clamping: max(feed.bytes, 0) / feed.rows), most) + Self.around
            return min(self.items, Int(clamping: feed.rows), most / each) * each
        }

        /// What an item has besides its data, with a `pk` of some length.
        private static let around = 96
    }

    /// The version up to which the reader has seen everything after this page.
    private(set) var position: Int64
    /// True when newer rows were left for the next page.
    private(set) var hasMore = false

    private let limit: Limit
    /// Where the items begin in the answer.
    private let start: Int
    private var count = 0

    /// Reads the rows newer than `position`.
    ///
    /// - Parameters:
    ///   - answered: The version at which a result of the same answer brings a record; there it is not listed
    ///     again, and the position passes it (SPEC W6).
    ///   - items: Is written the rows.
    init(
        _ feed: ServerFeed, in storage: any ServerReader, after position: Int64, limit: Limit,
        answered: AnsweredVersions, to items: inout JSONWriter
    ) throws(ServerStorageError) {
        self.limit = limit
        self.position = position
        self.start = items.bytes.count
        if position < feed.last {
            try self.read(feed, in: storage, answered: answered, to: &items)
        }
    }

    private mutating func read(
        _ feed: ServerFeed, in storage: any ServerReader, answered: AnsweredVersions, to items: inout JSONWriter
    ) throws(ServerStorageError) {
        try storage.rows(in: feed, after: self.position) { pk, version, data in
            self.take(pk, version, data, isAnswered: answered[pk] == version, to: &items)
        }
        if !self.hasMore {
            // Versions above the last row were tombstones once, or were overtaken: there is nothing more to see.
            self.position = feed.last
        }
    }

    /// Takes one row into the page; false when there is no room.
    private mutating func take(
        _ pk: Span<UInt8>, _ version: Int64, _ data: Span<UInt8>?, isAnswered: Bool, to items: inout JSONWriter
    ) -> Bool {
        // An earlier version took records without a name, and no device can hold one.
        if !isAnswered, !pk.isEmpty {
            guard self.count < self.limit.items, items.bytes.count - self.start < self.limit.bytes else {
                self.hasMore = true
                return false
            }
            items.item(pk, version, data)
            self.count += 1
        }
        self.position = version
        return true
    }
}

/// The version at which each record stands in the results of an answer; records are told apart by code point.
struct AnsweredVersions {
    private var versions: [[UInt8]: Int64] = [:]

    /// Notes a result; a later one of the same record replaces an earlier one.
    mutating func note(_ pk: String, at version: Int64) {
        self.versions[Array(pk.utf8)] = version
    }

    /// The version of a record, by the UTF-8 of its name.
    subscript(pk: Span<UInt8>) -> Int64? {
        self.versions.isEmpty ? nil : self.versions[pk.indices.map { pk[$0] }]
    }
}
