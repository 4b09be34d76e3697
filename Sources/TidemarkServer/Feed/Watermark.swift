/// Where a reader of a feed stands (SPEC §1); opaque on the wire, where it reads `epoch.feed.position.purges`.
///
/// The position alone would not do. A listing from the start stands, after its first page, far below the horizon, and
/// still has missed nothing: it began after the tombstones there were purged. So the watermark also counts the purges
/// that the reader need not know of, and W8 is: *the position is not below the horizon, or nothing was purged since*.
/// Each answer counts anew, as whoever could be answered has missed nothing up to now.
struct Watermark {
    /// The history it is of.
    var epoch: String
    /// Whose collection it is of: a watermark of another one would silently skip rows.
    var feed: String
    /// All that is not newer than this version was seen.
    var position: Int64
    /// How many purges were done when it was given out.
    var purges: Int64

    var text: String {
        "\(self.epoch).\(self.feed).\(self.position).\(self.purges)"
    }

    /// The four parts of a text; nil when it is none of ours.
    private init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, let position = Int64(parts[2]), let purges = Int64(parts[3]) else { return nil }
        self.init(epoch: String(parts[0]), feed: String(parts[1]), position: position, purges: purges)
    }

    init(epoch: String, feed: String, position: Int64, purges: Int64) {
        self.epoch = epoch
        self.feed = feed
        self.position = position
        self.purges = purges
    }

    /// The version to go on from, or why that is not possible (SPEC W8).
    static func position(
        of text: String?, in state: ServerFeed, epoch: String, feed: String
    ) throws(ServerRefusal) -> Int64 {
        guard let text, !text.isEmpty else { return 0 }
        guard let mark = Watermark(text) else {
            throw Self.lost("this is no watermark of this server")
        }
        guard mark.epoch == epoch else {
            throw Self.lost("this watermark belongs to another history", .serverWentBack)
        }
        guard mark.feed == feed else {
            throw Self.lost("this watermark belongs to another collection")
        }
        let wasGivenOut = (0...state.last).contains(mark.position) && (0...state.purges).contains(mark.purges)
        guard wasGivenOut else {
            throw Self.lost(
                "this watermark was not given out yet; the server was put back to an earlier state", .serverWentBack)
        }
        guard mark.position >= state.horizon || mark.purges == state.purges else {
            throw Self.lost("this watermark is older than the deletions that the server remembers")
        }
        return mark.position
    }

    /// A short name of an account's collection, which says nothing about how many there are (SPEC W10).
    static func feedName(account: String, collection: String) -> String {
        String(SHA256.hex(Array("\(account.utf8.count) \(account) \(collection)".utf8)).prefix(12))
    }

    private static func lost(_ why: String, _ code: Problem.Code = .historyLost) -> ServerRefusal {
        ServerRefusal(410, code, "\(why); nothing was applied; list from the start, without max_updated_at")
    }
}
