import TidemarkServer

/// A change of a feed, as one process reports it to the others: with all data of a hint, so that no process has to read it.
struct PostgresMove: Equatable {
    /// The channel of the notifications.
    static let channel = "tidemark_moved"
    /// The database's limit for a notification, in bytes, with some reserve.
    private static let largestPayload = 7_500

    var feed: ServerFeed
    var collection: [UInt8]

    init(feed: ServerFeed, collection: [UInt8]) {
        self.feed = feed
        self.collection = collection
    }

    /// Parses a line of a payload; nil for a line of another version.
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

    /// The name of its feed, in bytes.
    var name: [[UInt8]] { [Array(self.feed.account.utf8), self.collection] }

    private var line: String {
        let names = self.name.map(Self.digits).joined(separator: " ")
        return "\(names) \(self.feed.last) \(self.feed.purges) \(self.feed.run ?? "")"
    }

    /// Packs changes into as few notifications as possible.
    static func payloads(of moves: [PostgresMove]) -> [String] {
        moves.map(\.line).reduce(into: []) { payloads, line in
            if let last = payloads.last, last.utf8.count + line.utf8.count < self.largestPayload {
                payloads[payloads.count - 1] = "\(last)\n\(line)"
            } else {
                payloads.append(line)
            }
        }
    }

    /// Names may contain any bytes, but a payload can't contain U+0000, nor the separators of this format.
    private static func digits(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func bytes(_ digits: some StringProtocol) -> [UInt8]? {
        let values = digits.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard values.count == digits.utf8.count, values.count % 2 == 0 else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
