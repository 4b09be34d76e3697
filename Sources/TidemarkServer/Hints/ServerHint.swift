import TidemarkJSON

/// Says that a collection has moved (SPEC §10). It carries no rows: whoever has another watermark asks for them.
public struct ServerHint: Sendable, Hashable {
    /// The collection.
    public let collection: String
    /// The watermark that a reader has who has read all of it.
    public let watermark: String
    /// The highest version that was given out; of two hints about a collection the one with the larger one is newer.
    let version: Int64

    /// A hint about a feed as it stands.
    init(_ feed: ServerFeed, account: String, collection: String, epoch: String) {
        self.collection = collection
        self.version = feed.last
        self.watermark =
            Watermark(
                epoch: epoch, feed: Watermark.feedName(account: account, collection: collection), position: feed.last,
                purges: feed.purges, run: feed.run ?? "", newest: nil
            ).text
    }

    /// The event as it is sent, with the empty line behind it.
    public var event: [UInt8] {
        var writer = JSONWriter()
        writer.object { hint in
            hint.member("collection", self.collection)
            hint.member("max_updated_at", self.watermark)
        }
        // JSON has no line ends of its own, so one line of data holds it.
        return Array("event: changed\ndata: ".utf8) + writer.bytes + Array("\n\n".utf8)
    }

    /// What is sent now and then where there is nothing to say: the reader hears that the connection lives.
    public static let heartbeat = Array(": still here\n\n".utf8)
}
