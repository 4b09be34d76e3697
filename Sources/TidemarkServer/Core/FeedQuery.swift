import TidemarkJSON

/// What a GET or POST of a collection asks of the feed, and the ANSWER it gets (SPEC §5).
struct FeedQuery {
    let limit: FeedPage.Limit

    /// Whether the answer says how many rows follow its page (SPEC §5).
    private let counts: Bool
    private let account: String
    private let feedName: String
    private let watermark: String?

    init(
        _ request: ServerRequest, account: String, collection: String, limits: ServerLimits
    ) throws(ServerRefusal) {
        self.account = account
        self.feedName = Watermark.feedName(account: account, collection: collection)
        self.watermark = request.parameter("max_updated_at")
        self.counts = try Self.flag("count", request)
        self.limit = FeedPage.Limit(
            items: min(limits.page, try Self.items(request.parameter("limit")) ?? limits.page), bytes: limits.pageBytes)
    }

    /// Where the reader stands, or that this can't be answered from (SPEC W8).
    func position(
        in feed: ServerFeed, of storage: any ServerReader
    ) throws(ServerStorageError) -> Result<Int64, ServerRefusal> {
        guard let watermark = self.watermark, !watermark.isEmpty else { return .success(0) }
        guard let mark = Watermark(watermark) else { return .failure(self.named(Watermark.unknown)) }
        let refusal = try mark.refusal(in: feed, epoch: try storage.epoch(), feed: self.feedName) {
            (version) throws(ServerStorageError) in try storage.run(of: version, in: feed)
        }
        return refusal.map { .failure(self.named($0)) } ?? .success(mark.position)
    }

    /// A watermark of another account is refused like one of a lost history, and only the name tells them apart: two
    /// accounts are never mixed in one store (SPEC §3.5).
    private func named(_ refusal: ServerRefusal) -> ServerRefusal {
        var refusal = refusal
        refusal.problem.account = self.account
        return refusal
    }

    /// The ANSWER; `results` only to a POST.
    func answer(
        results: [[UInt8]]?, page: FeedPage, feed: ServerFeed, of storage: any ServerReader
    ) throws(ServerStorageError) -> [UInt8] {
        let epoch = try storage.epoch()
        let run = page.position == feed.last ? feed.run : try storage.run(of: page.position, in: feed)
        let mark = Watermark(
            epoch: epoch, feed: self.feedName, position: page.position, purges: feed.purges, run: run ?? "",
            newest: page.hasMore ? Watermark.Newest(version: feed.last, run: feed.run ?? "") : nil)
        let left = self.counts ? page.hasMore ? try storage.countRows(in: feed, after: page.position) : 0 : nil
        var writer = JSONWriter(capacity: page.bytes.count + (results ?? []).reduce(512) { $0 + $1.count + 1 })
        writer.object { answer in
            if let results {
                answer.key("results")
                answer.array { for result in results { $0.json(result) } }
            }
            answer.key("items")
            answer.array { $0.json(page.bytes) }
            answer.member("max_updated_at", mark.text)
            answer.member("more", page.hasMore)
            answer.member("epoch", epoch)
            answer.member("account", self.account)
            if let left { answer.member("left", left) }
        }
        return writer.bytes
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
