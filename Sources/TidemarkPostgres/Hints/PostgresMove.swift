import TidemarkServer

/// A feed that has moved, as one process tells the others: all that a hint is made of, so that nobody has to read for it.
struct PostgresMove: Equatable {
    /// Where notifications are sent.
    static let channel = "tidemark_moved"
    /// How large the database lets a notification be, with some room.
    private static let largestPayload = 7_500

    var feed: ServerFeed
    var collection: [UInt8]

    init(feed: ServerFeed, collection: [UInt8]) {
        self.feed = feed
        self.collection = collection
    }

    /// Reads a line of a payload; nil for what another version may have sent.
    init?(_ line: Substring) {
        let parts = line.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard parts.count == 5, let account = Self.bytes(parts[0]).flatMap({ String(validating: $0, as: UTF8.self) }),
            let collection = Self.bytes(parts[1]), let last = Int64(parts[2]), let purges = Int64(parts[3])
        else { return nil }
        self.init(
            feed: ServerFeed(
                id: 0, account: account, last: last, horizon: 0, purges: purges,
                run: parts[4].isEmpty ? nil : String(parts[4])),
            collection: collection)
    }

    /// The name of its feed, by bytes.
    var name: [[UInt8]] { [Array(self.feed.account.utf8), self.collection] }

    private var line: String {
        let names = self.name.map(Self.digits).joined(separator: " ")
        return "\(names) \(self.feed.last) \(self.feed.purges) \(self.feed.run ?? "")"
    }

    /// As few notifications as they fit into.
    static func payloads(of moves: [PostgresMove]) -> [String] {
        moves.map(\.line).reduce(into: []) { payloads, line in
            if let last = payloads.last, last.utf8.count + line.utf8.count < self.largestPayload {
                payloads[payloads.count - 1] = "\(last)\n\(line)"
            } else {
                payloads.append(line)
            }
        }
    }

    /// Names may hold anything, and a payload neither U+0000 nor what our own form has between them.
    private static func digits(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func bytes(_ digits: some StringProtocol) -> [UInt8]? {
        let values = digits.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard values.count == digits.utf8.count, values.count % 2 == 0 else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
