import TidemarkJSON

/// Reports that a collection has changed (Contract §10). It carries no rows: a client with another cursor requests them.
public struct ServerHint: Sendable, Hashable {
    /// The name of the collection.
    public let collection: String
    /// The cursor of a reader that has read all of the collection.
    public let cursor: String
    /// The highest version that was assigned; of two hints of a collection, the one with the larger version is newer.
    let version: Int64

    /// A hint with the current state of a feed.
    init(_ feed: ServerFeed, account: String, collection: String, epoch: String) {
        self.collection = collection
        self.version = feed.last
        self.cursor =
            Cursor(
                epoch: epoch, feed: Cursor.feedName(account: account, collection: collection), position: feed.last,
                purges: feed.purges, run: feed.run ?? "", newest: nil
            ).text
    }

    /// The event as it is sent, with the empty line after it.
    public var event: [UInt8] {
        var writer = JSONWriter()
        writer.object { hint in
            hint.member("collection", self.collection)
            hint.member("max_updated_at", self.cursor)
        }
        // The writer makes no line breaks, so one line of data is enough.
        return Array("event: changed\ndata: ".utf8) + writer.bytes + Array("\n\n".utf8)
    }

    /// A comment line that is sent periodically while there are no hints, so that the reader knows that the connection works.
    public static let heartbeat = Array(": still here\n\n".utf8)
}
