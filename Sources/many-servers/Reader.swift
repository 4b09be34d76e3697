import Tidemark
import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON

/// Follows a feed by its cursor, each page from any server.
struct Reader {
    let feed: Feed
    /// The records that it has read: the text of each item.
    private(set) var items: [String: String] = [:]

    private let line: Line
    private let servers: [Int]
    private let ledger: Ledger
    private var random: SeededGenerator
    private var cursor = ""
    private var last = 0

    /// - Parameter servers: The servers that it reads from.
    init(_ feed: Feed, line: Line, servers: [Int], ledger: Ledger, seed: UInt64) {
        self.feed = feed
        self.line = line
        self.servers = servers
        self.ledger = ledger
        self.random = SeededGenerator(seed: seed)
    }

    /// Reads until the time is over.
    mutating func follow(until end: ContinuousClock.Instant) async {
        while ContinuousClock.now < end {
            guard await self.page() != nil else { return }
        }
    }

    /// Reads to the end of the feed.
    mutating func drain() async {
        while await self.page() == true {}
    }

    /// Reads a page; returns whether there is more, or nil after a refusal.
    private mutating func page() async -> Bool? {
        let limit = Int.random(in: 1...40, using: &self.random)
        let target = "/\(self.feed.collection)?max_updated_at=\(self.cursor)&limit=\(limit)"
        let server = self.servers.randomElement(using: &self.random) ?? 0
        switch await self.line.send(HTTPRequest("GET", target), to: server) {
        case .page(let answer):
            await self.ledger.notePage()
            return await self.take(answer)
        case .refused(let why):
            await self.ledger.complain("a GET of \(self.feed) was refused: \(why)")
            return nil
        case .nothing:
            await self.ledger.noteUnanswered()
            try? await Task.sleep(for: .milliseconds(20))
            return true
        }
    }

    private mutating func take(_ answer: JSON) async -> Bool? {
        for item in answer["items"]?.array ?? [] {
            guard let pk = item["pk"]?.string, let version = item["updated_at"]?.int, version > self.last else {
                await self.ledger.complain("\(self.feed): after \(self.last) came \(item.text)")
                return nil
            }
            self.last = version
            self.items[pk] = item.text
        }
        self.cursor = answer["max_updated_at"]?.string ?? ""
        return answer["more"] == true
    }
}
