import TidemarkJSON

/// One page of a feed, written into the answer while it is read: it keeps no rows.
struct FeedPage {
    /// The limits of one page.
    struct Limit {
        var items: Int
        var bytes: Int

        /// The estimated size of a page, in bytes, from the average size of a row; at most 256 KiB.
        func room(after position: Int64, in feed: ServerFeed) -> Int {
            guard position < feed.last, feed.rows > 0 else { return 0 }
            let most = min(self.bytes, 256 << 10)
            let each = min(Int(clamping: max(feed.bytes, 0) / feed.rows), most) + Self.around
            return min(self.items, Int(clamping: feed.rows), most / each) * each
        }

        /// The bytes of an item besides its data, with a `pk` of typical length.
        private static let around = 96
    }

    /// The version up to which the reader has seen everything after this page.
    private(set) var position: Int64
    /// True if newer rows were left for the next page.
    private(set) var hasMore = false

    private let limit: Limit
    /// The position of the items in the answer.
    private let start: Int
    private var count = 0

    /// Reads the rows newer than `position`.
    ///
    /// - Parameters:
    ///   - answered: The versions of the records in the results of the same answer; the page does not repeat these rows, and
    ///     the position advances past them (W6).
    ///   - items: The rows are written to it.
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
            // The versions above the last row belong to purged tombstones or replaced rows: there is nothing more to read.
            self.position = feed.last
        }
    }

    /// Adds one row to the page; false if there is no room.
    private mutating func take(
        _ pk: Span<UInt8>, _ version: Int64, _ data: Span<UInt8>?, isAnswered: Bool, to items: inout JSONWriter
    ) -> Bool {
        if !isAnswered {
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

/// The versions of the records in the results of an answer; records are distinguished by code point.
struct AnsweredVersions {
    private var versions: [[UInt8]: Int64] = [:]

    /// Records a result; a later one of the same record replaces an earlier one.
    mutating func note(_ pk: String, at version: Int64) {
        self.versions[Array(pk.utf8)] = version
    }

    /// The version of a record, by the UTF-8 of its pk.
    subscript(pk: Span<UInt8>) -> Int64? {
        self.versions.isEmpty ? nil : self.versions[pk.indices.map { pk[$0] }]
    }
}
