/// Where a reader of a feed stands (SPEC §1); opaque on the wire, where it reads `epoch.feed.position.purges.run`, and between
/// two pages `epoch.feed.position.purges.run.last.lastRun`.
///
/// The position alone would not do. A listing from the start stands, after its first page, far below the horizon, and
/// still has missed nothing: it began after the tombstones there were purged. So the watermark also names the last purge
/// that the reader need not know of, and W8 is: *the position is not below the horizon, or nothing was purged since*.
/// Each answer counts anew, as whoever could be answered has missed nothing up to now.
///
/// Nor would the epoch do to name the history: a restored backup has the same one, and soon gives out versions again
/// that are as high as those that were lost with it. So the watermark also names the run of the server that gave out the
/// version at its position, and the server knows of each version which run that was.
///
/// Between two pages that is not enough: a row that was newer then, and so is still to come, may be an older one in a backup, below
/// the position. So the watermark of a page with more behind it names the highest version that there was as well.
struct Watermark {
    /// The database it is of.
    var epoch: String
    /// Whose collection it is of: a watermark of another one would silently skip rows.
    var feed: String
    /// All that is not newer than this version was seen.
    var position: Int64
    /// The last purge when it was given out.
    var purges: Int64
    /// The run that gave out the version at the position; empty where none did, or before runs were noted.
    var run: String
    /// The highest version that there was when it was given out between two pages, and its run; nil at the end of the feed, where
    /// that is the position.
    var newest: Newest?

    /// A version, and the run that gave it out.
    struct Newest {
        var version: Int64
        var run: String
    }

    var text: String {
        let text = "\(self.epoch).\(self.feed).\(self.position).\(self.purges)"
        if let newest { return "\(text).\(self.run).\(newest.version).\(newest.run)" }
        return self.run.isEmpty ? text : "\(text).\(self.run)"
    }

    /// The parts of a text; nil when it is none of ours.
    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard [4, 5, 7].contains(parts.count), let position = Int64(parts[2]), let purges = Int64(parts[3]) else {
            return nil
        }
        var newest: Newest?
        if parts.count == 7 {
            guard let version = Int64(parts[5]) else { return nil }
            newest = Newest(version: version, run: String(parts[6]))
        }
        self.init(
            epoch: String(parts[0]), feed: String(parts[1]), position: position, purges: purges,
            run: parts.count > 4 ? String(parts[4]) : "", newest: newest)
    }

    init(epoch: String, feed: String, position: Int64, purges: Int64, run: String, newest: Newest?) {
        self.epoch = epoch
        self.feed = feed
        self.position = position
        self.purges = purges
        self.run = run
        self.newest = newest
    }

    /// Why a reader can't continue from here (SPEC W8); nil when it can.
    ///
    /// - Parameter run: The run that gave out a version, as the server knows it.
    func refusal(
        in state: ServerFeed, epoch: String, feed: String, run: (Int64) throws(ServerStorageError) -> String?
    ) throws(ServerStorageError) -> ServerRefusal? {
        if let loss = try self.loss(in: state, epoch: epoch, feed: feed, run: run) { return loss }
        guard self.position >= state.horizon || self.purges == state.purges else {
            return Self.lost(.historyLost, "this watermark is older than the deletions that the server remembers")
        }
        return nil
    }

    /// Why the history that the server has did not give this out (SPEC W8); nil when it did, however long ago.
    ///
    /// This judges a token that a client was shown and does not read from: deletions that the server has forgotten matter to a
    /// reader only.
    ///
    /// - Parameter run: The run that gave out a version, as the server knows it.
    func loss(
        in state: ServerFeed, epoch: String, feed: String, run: (Int64) throws(ServerStorageError) -> String?
    ) throws(ServerStorageError) -> ServerRefusal? {
        guard self.epoch == epoch else {
            return Self.lost(.serverWentBack, "this watermark belongs to another history")
        }
        guard self.feed == feed else { return Self.lost(.historyLost, "this watermark belongs to another collection") }
        let wasGivenOut = (0...state.last).contains(self.position) && (0...state.purges).contains(self.purges)
        let newest = self.newest?.version ?? self.position
        guard wasGivenOut, (self.position...max(self.position, state.last)).contains(newest), try self.isOfHistory(run)
        else {
            return Self.lost(
                .serverWentBack,
                "this watermark was not given out by this history; the server was put back to an earlier state")
        }
        return nil
    }

    /// Whether the versions that it names were given out by the runs that it names.
    private func isOfHistory(_ run: (Int64) throws(ServerStorageError) -> String?) throws(ServerStorageError) -> Bool {
        guard self.run == (try run(self.position)) ?? "" else { return false }
        guard let newest else { return true }
        return newest.run == (try run(newest.version)) ?? ""
    }

    /// The answer to what is no watermark.
    static let unknown = Self.lost(.historyLost, "this is no watermark of this server")

    /// A short name of an account's collection, which says nothing about how many there are (SPEC W10).
    static func feedName(account: String, collection: String) -> String {
        String(SHA256.hex(Array("\(account.utf8.count) \(account) \(collection)".utf8)).prefix(12))
    }

    private static func lost(_ code: Problem.Code, _ why: String) -> ServerRefusal {
        ServerRefusal(410, code, why)
    }
}
