public import TidemarkCore

extension FeedPage {
    /// One item of a page that a test makes, as pieces of JSON text.
    public struct Item: Hashable, Sendable {
        /// The JSON text of `pk`, with its quotes.
        public var pk: String

        /// The JSON text of `updated_at`.
        public var version: String

        /// The JSON text of `data`, an object; nil for a tombstone.
        public var data: String?

        /// The JSON text of the server's own name, with its quotes; nil if the pk is the name.
        public var name: String?

        /// Makes an item.
        public init(pk: String, version: String, data: String?, name: String? = nil) {
            self.pk = pk
            self.version = version
            self.data = data
            self.name = name
        }
    }

    /// Makes a page for a test of a store, as if decoded from an answer with these items.
    public init(_ items: [Item]) {
        var bytes: [UInt8] = []
        func append(_ text: String) -> Range<Int> {
            bytes.append(UInt8(ascii: " "))
            let start = bytes.count
            bytes.append(contentsOf: text.utf8)
            return start..<bytes.count
        }
        var rows: [Row] = []
        for item in items {
            rows.append(
                Row(
                    pk: append(item.pk), version: append(item.version), data: append(item.data ?? ""),
                    name: append(item.name ?? "")))
        }
        self.init(bytes: bytes, rows: rows)
    }
}
