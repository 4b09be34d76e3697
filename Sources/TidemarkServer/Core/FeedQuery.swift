import TidemarkJSON

/// What a GET or POST of a collection asks of the feed, and the ANSWER it gets (SPEC §5).
struct FeedQuery {
    private let limit: FeedPage.Limit

    /// Whether the answer says how many rows follow its page (SPEC §5).
    private let counts: Bool
    private let account: String
    private let feedName: String
    private let watermark: String?

    /// The newest token that the client was shown; nil or empty if it names none.
    private let seen: String?

    init(
        _ request: ServerRequest, account: String, collection: String, limits: ServerLimits
    ) throws(ServerRefusal) {
        self.account = account
        self.feedName = Watermark.feedName(account: account, collection: collection)
        self.watermark = request.parameter("max_updated_at")
        self.seen = request.parameter("seen")
        self.counts = try Self.flag("count", request)
        self.limit = FeedPage.Limit(
            items: min(limits.page, try Self.items(request.parameter("limit")) ?? limits.page), bytes: limits.pageBytes)
    }

    /// The position of the reader, or why the request can't be answered (SPEC W8).
    ///
    /// The newest token is judged first: a server that was rolled back says so, although the cursor is good or too old.
    func position(
        in feed: ServerFeed, of storage: any ServerReader
    ) throws(ServerStorageError) -> Result<Int64, ServerRefusal> {
        if let loss = try self.lossOfSeen(in: feed, of: storage) { return .failure(loss) }
        guard let watermark = self.watermark, !watermark.isEmpty else { return .success(0) }
        guard let mark = Watermark(watermark) else { return .failure(self.named(Watermark.unknown)) }
        let refusal = try mark.refusal(in: feed, epoch: try storage.epoch(), feed: self.feedName) {
            (version) throws(ServerStorageError) in try storage.run(of: version, in: feed)
        }
        return refusal.map { .failure(self.named($0)) } ?? .success(mark.position)
    }

    /// Why the newest token that the client was shown is not of the history that the server has; nil if it is. Its age does not
    /// matter: the client reads from its cursor.
    private func lossOfSeen(
        in feed: ServerFeed, of storage: any ServerReader
    ) throws(ServerStorageError) -> ServerRefusal? {
        guard let seen = self.seen, !seen.isEmpty else { return nil }
        guard let mark = Watermark(seen) else { return self.named(Watermark.unknown, isOfSeen: true) }
        let loss = try mark.loss(in: feed, epoch: try storage.epoch(), feed: self.feedName) {
            (version) throws(ServerStorageError) in try storage.run(of: version, in: feed)
        }
        return loss.map { self.named($0, isOfSeen: true) }
    }

    /// A watermark of another account is refused like one of a lost history, and only the name tells them apart: two
    /// accounts are never mixed in one store (SPEC §3.5).
    private func named(_ refusal: ServerRefusal, isOfSeen: Bool = false) -> ServerRefusal {
        let (place, members) = isOfSeen ? ("“seen”: ", "max_updated_at and seen") : ("", "max_updated_at")
        let why = refusal.problem.detail
        var refusal = refusal
        refusal.problem.account = self.account
        refusal.problem.detail = "\(place)\(why); nothing was applied; list from the start, without \(members)"
        return refusal
    }

    /// The ANSWER to who stands at a position of the feed.
    ///
    /// - Parameters:
    ///   - results: Of the edits of a POST; nil for a GET.
    ///   - answered: What the results bring.
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
        // An answer may have to wait for its client, and is not to hold much more than it has.
        return writer.bytes.count < room / 2 ? Array(writer.bytes[...]) : writer.bytes
    }

    /// What an ANSWER says behind its items.
    private func write(
        _ page: FeedPage, of feed: ServerFeed, in storage: any ServerReader, to answer: inout JSONWriter
    ) throws(ServerStorageError) {
        let epoch = try storage.epoch()
        let run = page.position == feed.last ? feed.run : try storage.run(of: page.position, in: feed)
        let mark = Watermark(
            epoch: epoch, feed: self.feedName, position: page.position, purges: feed.purges, run: run ?? "",
            newest: page.hasMore ? Watermark.Newest(version: feed.last, run: feed.run ?? "") : nil)
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
        guard let count = Int(text), count > 0 else {
            throw ServerRefusal(400, .malformedTarget, "“limit” must be a whole number above 0; it is “\(text)”")
        }
        return count
    }
}
