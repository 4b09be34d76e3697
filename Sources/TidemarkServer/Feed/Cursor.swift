/// The sync cursor of a reader of a feed (Contract §1); opaque on the wire. Its text is `epoch.feed.position.purges.run`, and
/// between two pages `epoch.feed.position.purges.run.last.lastRun`.
///
/// The position alone is not enough. After its first page, a full resync has a position far below the horizon, and yet has
/// missed nothing: it began after those tombstones were purged. So the cursor also names the last purge that the reader need
/// not know of, and W8 is: *the position is not below the horizon, or nothing was purged since*. Each answer gives the current
/// number of purges, since a reader that could be answered has missed nothing so far.
///
/// Nor does the epoch identify the history: a restored backup has the same epoch, and soon assigns versions as high as the lost
/// ones. So the cursor also names the incarnation of the server that assigned the version at its position, and the server
/// stores for each version which incarnation that was.
///
/// Between two pages that is not enough: a row that was newer and not yet read may be older in a backup, below the position. So
/// the cursor of a page with more after it also names the highest version at that time.
struct Cursor {
    /// The epoch of the database.
    var epoch: String
    /// The collection: a cursor of another collection would silently skip rows.
    var feed: String
    /// The reader has seen all rows up to this version.
    var position: Int64
    /// The last purge when the cursor was made.
    var purges: Int64
    /// The incarnation that assigned the version at the position; empty if none did, or before incarnations were recorded.
    var run: String
    /// The highest version, and its incarnation, when the cursor was made between two pages; nil at the end of the feed, where
    /// the position is the highest version.
    var newest: Newest?

    /// A version, and the incarnation that assigned it.
    struct Newest {
        var version: Int64
        var run: String
    }

    var text: String {
        let text = "\(self.epoch).\(self.feed).\(self.position).\(self.purges)"
        if let newest { return "\(text).\(self.run).\(newest.version).\(newest.run)" }
        return self.run.isEmpty ? text : "\(text).\(self.run)"
    }
}

extension Cursor {
    /// Parses a cursor; nil if it is malformed.
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
        // Only the text that this server writes: a number has one spelling, without a plus sign or zeros before it.
        guard self.text == text else { return nil }
    }

    /// Why the server can't continue from this cursor (W8); nil if it can.
    ///
    /// - Parameter run: The incarnation that assigned a version, as the server stores it.
    func refusal(
        in state: ServerFeed, epoch: String, feed: String, run: (Int64) throws(ServerStorageError) -> String?
    ) throws(ServerStorageError) -> ServerRefusal? {
        if let loss = try self.loss(in: state, epoch: epoch, feed: feed, run: run) { return loss }
        guard self.position >= state.horizon || self.purges == state.purges else {
            return Self.lost(.historyLost, "this cursor is older than the deletions that the server remembers")
        }
        return nil
    }

    /// Why the cursor does not belong to the server's history (W8); nil if it does, at any age.
    ///
    /// This checks a cursor that a client has received and does not read from (`seen`): purged deletions matter to a
    /// reader only.
    ///
    /// - Parameter run: The incarnation that assigned a version, as the server stores it.
    func loss(
        in state: ServerFeed, epoch: String, feed: String, run: (Int64) throws(ServerStorageError) -> String?
    ) throws(ServerStorageError) -> ServerRefusal? {
        guard self.epoch == epoch else { return Self.lost(.serverRolledBack, "this cursor belongs to another history") }
        guard self.feed == feed else { return Self.lost(.historyLost, "this cursor belongs to another collection") }
        let wasGivenOut = (0...state.last).contains(self.position) && (0...state.purges).contains(self.purges)
        let newest = self.newest?.version ?? self.position
        guard wasGivenOut, (self.position...max(self.position, state.last)).contains(newest), try self.isOfHistory(run)
        else {
            return Self.lost(
                .serverRolledBack,
                "this cursor does not belong to this history; the server was rolled back to an earlier state")
        }
        return nil
    }

    /// Whether the incarnations that the cursor names assigned its versions.
    private func isOfHistory(_ run: (Int64) throws(ServerStorageError) -> String?) throws(ServerStorageError) -> Bool {
        guard self.run == (try run(self.position)) ?? "" else { return false }
        guard let newest else { return true }
        return newest.run == (try run(newest.version)) ?? ""
    }

    /// The answer to a malformed cursor.
    static let unknown = Self.lost(.historyLost, "this is not a cursor of this server")

    /// A short name of an account's collection, which does not reveal how many there are (W10).
    static func feedName(account: String, collection: String) -> String {
        String(SHA256.hex(Array("\(account.utf8.count) \(account) \(collection)".utf8)).prefix(12))
    }

    private static func lost(_ code: Problem.Code, _ why: String) -> ServerRefusal {
        ServerRefusal(410, code, why)
    }
}
