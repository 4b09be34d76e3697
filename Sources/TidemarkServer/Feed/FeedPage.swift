import TidemarkJSON

/// One page of a feed, written as it is read: it holds bytes, not rows.
struct FeedPage {
    /// How much one page may bring.
    struct Limit {
        var items: Int
        var bytes: Int
    }

    /// The items, with commas between them.
    var bytes: [UInt8] { self.items.bytes }
    /// The version up to which the reader has seen everything after this page.
    private(set) var position: Int64
    /// True when newer rows were left for the next page.
    private(set) var hasMore = false

    private let limit: Limit
    private var items = JSONWriter()
    private var count = 0

    /// Reads the rows newer than `position`.
    ///
    /// - Parameter answered: The version at which a result of the same answer brings a record; there it is not listed
    ///   again, and the position passes it (SPEC W6).
    init(
        _ feed: ServerFeed, in storage: any ServerReader, after position: Int64, limit: Limit,
        answered: AnsweredVersions
    ) throws(ServerStorageError) {
        self.limit = limit
        self.position = position
        if position < feed.last {
            try self.read(feed, in: storage, answered: answered)
        }
    }

    private mutating func read(
        _ feed: ServerFeed, in storage: any ServerReader, answered: AnsweredVersions
    ) throws(ServerStorageError) {
        try storage.rows(in: feed, after: self.position) { pk, version, data in
            self.take(pk, version, data, isAnswered: answered[pk] == version)
        }
        if !self.hasMore {
            // Versions above the last row were tombstones once, or were overtaken: there is nothing more to see.
            self.position = feed.last
        }
    }

    /// Takes one row into the page; false when there is no room.
    private mutating func take(
        _ pk: Span<UInt8>, _ version: Int64, _ data: Span<UInt8>?, isAnswered: Bool
    ) -> Bool {
        // An earlier version took records without a name, and no device can hold one.
        if !isAnswered, !pk.isEmpty {
            guard self.count < self.limit.items, self.bytes.count < self.limit.bytes else {
                self.hasMore = true
                return false
            }
            self.items.item(pk, version, data)
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
