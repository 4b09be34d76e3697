import TidemarkJSON

/// The feed query of a GET or POST of a collection, and its ANSWER (Contract §5).
struct FeedQuery {
    private let limit: FeedPage.Limit

    /// Whether the answer contains the number of rows after its page (Contract §5).
    private let counts: Bool
    private let account: String
    private let feedName: String
    private let cursor: String?

    /// The newest cursor that the client has received; nil or empty if it names none.
    private let seen: String?

    init(
        _ request: ServerRequest, account: String, collection: String, limits: ServerLimits
    ) throws(ServerRefusal) {
        self.account = account
        self.feedName = Cursor.feedName(account: account, collection: collection)
        self.cursor = request.parameter("max_updated_at")
        self.seen = request.parameter("seen")
        self.counts = try Self.flag("count", request)
        self.limit = FeedPage.Limit(
            items: min(limits.page, try Self.items(request.parameter("limit")) ?? limits.page), bytes: limits.pageBytes)
    }

    /// What the storage will be asked for; nil if the cursor is refused anyway.
    var expected: ExpectedPage? {
        let rows = self.limit.items == .max ? .max : self.limit.items + 1
        guard let cursor = self.cursor, !cursor.isEmpty else { return ExpectedPage(position: 0, rows: rows) }
        return Cursor(cursor).map { ExpectedPage(position: $0.position, rows: rows) }
    }

    /// The incarnation that assigned a version; that of the highest one is in the feed.
    private static func run(
        of version: Int64, in feed: ServerFeed, _ storage: any ServerReader
    ) throws(ServerStorageError) -> String? {
        version == feed.last ? feed.run : try storage.run(of: version, in: feed)
    }

    /// The position of the reader, or why the request can't be answered (W8).
    ///
    /// The newest cursor is checked first: the client learns that the server was rolled back, even if its cursor is valid or too
    /// old.
    func position(
        in feed: ServerFeed, of storage: any ServerReader
    ) throws(ServerStorageError) -> Result<Int64, ServerRefusal> {
        if let loss = try self.lossOfSeen(in: feed, of: storage) { return .failure(loss) }
        guard let cursor = self.cursor, !cursor.isEmpty else { return .success(0) }
        guard let mark = Cursor(cursor) else { return .failure(self.named(Cursor.unknown)) }
        let refusal = try mark.refusal(in: feed, epoch: try storage.epoch(), feed: self.feedName) {
            (version) throws(ServerStorageError) in try Self.run(of: version, in: feed, storage)
        }
        return refusal.map { .failure(self.named($0)) } ?? .success(mark.position)
    }

    /// Why the newest cursor that the client has received does not belong to the server's history; nil if it does. Its age does
    /// not matter: the client reads from its cursor.
    private func lossOfSeen(
        in feed: ServerFeed, of storage: any ServerReader
    ) throws(ServerStorageError) -> ServerRefusal? {
        guard let seen = self.seen, !seen.isEmpty else { return nil }
        guard let mark = Cursor(seen) else { return self.named(Cursor.unknown, isOfSeen: true) }
        let loss = try mark.loss(in: feed, epoch: try storage.epoch(), feed: self.feedName) {
            (version) throws(ServerStorageError) in try Self.run(of: version, in: feed, storage)
        }
        return loss.map { self.named($0, isOfSeen: true) }
    }

    /// A cursor of another account is refused like a cursor of a lost history, and the client distinguishes them by the name
    /// alone: two accounts are never mixed in one store (Contract §3.5).
    private func named(_ refusal: ServerRefusal, isOfSeen: Bool = false) -> ServerRefusal {
        let (place, members) = isOfSeen ? ("“seen”: ", "max_updated_at and seen") : ("", "max_updated_at")
        let why = refusal.problem.detail
        var refusal = refusal
        refusal.problem.account = self.account
        refusal.problem.detail = "\(place)\(why); nothing was applied; start a full resync, without \(members)"
        return refusal
    }

    /// The ANSWER to a reader at a position of the feed.
    ///
    /// - Parameters:
    ///   - results: The results of the edits of a POST; nil for a GET.
    ///   - answered: The versions of the records in the results.
    func answer(
        results: [[UInt8]]? = nil, answered: AnsweredVersions = AnsweredVersions(), after position: Int64,
        in feed: ServerFeed, of storage: any ServerReader
    ) throws(ServerStorageError) -> [UInt8] {
        let room = results.map { $0.reduce(0) { $0 + $1.count + 1 } } ?? self.limit.room(after: position, in: feed)
        var writer = JSONWriter(capacity: 512 + room)
        try writer.object { (answer) throws(ServerStorageError) in
            if let results {
                answer.key("results")
                answer.array { for result in results { $0.json(result) } }
            }
            answer.key("items")
            var page: FeedPage?
            try answer.array { (items) throws(ServerStorageError) in
                page = try FeedPage(
                    feed, in: storage, after: position, limit: self.limit, answered: answered, to: &items)
            }
            if let page { try self.write(page, of: feed, in: storage, to: &answer) }
        }
        // An answer may have to wait for a slow client, so it must not hold much unused memory.
        return writer.bytes.count < room / 2 ? Array(writer.bytes[...]) : writer.bytes
    }

    /// Writes the members of an ANSWER after its items.
    private func write(
        _ page: FeedPage, of feed: ServerFeed, in storage: any ServerReader, to answer: inout JSONWriter
    ) throws(ServerStorageError) {
        let epoch = try storage.epoch()
        let run = try Self.run(of: page.position, in: feed, storage)
        let mark = Cursor(
            epoch: epoch, feed: self.feedName, position: page.position, purges: feed.purges, run: run ?? "",
            newest: page.hasMore ? Cursor.Newest(version: feed.last, run: feed.run ?? "") : nil)
        answer.member("max_updated_at", mark.text)
        answer.member("more", page.hasMore)
        answer.member("epoch", epoch)
        answer.member("account", self.account)
        guard self.counts else { return }
        answer.member("left", page.hasMore ? try storage.countRows(in: feed, after: page.position) : 0)
    }

    private static func flag(_ name: String, _ request: ServerRequest) throws(ServerRefusal) -> Bool {
        switch request.parameter(name) {
        case nil, "0": return false
        case "1": return true
        case let text?:
            throw ServerRefusal(400, .malformedTarget, "“\(name)” must be 0 or 1; it is “\(text)”")
        }
    }

    private static func items(_ text: String?) throws(ServerRefusal) -> Int? {
        guard let text else { return nil }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let count = Int(text),
            count > 0
        else {
            throw ServerRefusal(400, .malformedTarget, "“limit” must be a whole number above 0; it is “\(text)”")
        }
        return count
    }
}
