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

    /// Where the reader stands, or that this cannot be answered from (SPEC W8).
    func position(
        in feed: ServerFeed, of storage: any ServerStorage
    ) throws(ServerStorageError) -> Result<Int64, ServerRefusal> {
        guard let watermark = self.watermark, !watermark.isEmpty else { return .success(0) }
        guard let mark = Watermark(watermark) else { return .failure(Watermark.unknown) }
        let run = try storage.run(of: mark.position, in: feed)
        let refusal = mark.refusal(in: feed, epoch: try storage.epoch(), feed: self.feedName, run: run)
        return refusal.map { .failure($0) } ?? .success(mark.position)
    }

    /// The ANSWER; `results` only to a POST.
    func answer(
        results: [[UInt8]]?, page: FeedPage, feed: ServerFeed, of storage: any ServerStorage
    ) throws(ServerStorageError) -> [UInt8] {
        let epoch = try storage.epoch()
        let run = page.position == feed.last ? feed.run : try storage.run(of: page.position, in: feed)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(page.bytes.count + (results ?? []).reduce(512) { $0 + $1.count + 1 })
        bytes.append(text: "{")
        if let results {
            bytes.append(text: #""results":["#)
            bytes.append(contentsOf: results.joined(separator: [UInt8(ascii: ",")]))
            bytes.append(text: "],")
        }
        let mark = Watermark(
            epoch: epoch, feed: self.feedName, position: page.position, purges: feed.purges, run: run ?? "")
        bytes.append(text: #""items":["#)
        bytes.append(contentsOf: page.bytes)
        bytes.append(text: #"],"max_updated_at":"#)
        bytes.append(quoted: mark.text)
        bytes.append(text: page.hasMore ? #","more":true,"epoch":"# : #","more":false,"epoch":"#)
        bytes.append(quoted: epoch)
        bytes.append(text: #","account":"#)
        bytes.append(quoted: self.account)
        if self.counts {
            let left = page.hasMore ? try storage.countRows(in: feed, after: page.position) : 0
            bytes.append(text: #","left":\#(left)"#)
        }
        bytes.append(text: "}")
        return bytes
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
