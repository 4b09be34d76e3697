/// A page of the server's feed: the bytes of an answer, and where its rows lie in them.
///
/// No tree is built and nothing is copied (SPEC §9): a store takes the bytes of `data` from the page as they came.
public struct FeedPage: Sendable {
    /// Where one row lies. A tombstone has an empty `data`.
    public struct Row: Hashable, Sendable {
        /// The JSON text of `pk`, with its quotes.
        public var pk: Range<Int>

        /// The JSON text of `updated_at`.
        public var stamp: Range<Int>

        /// The JSON text of `data`: an object; empty for a tombstone.
        public var data: Range<Int>

        /// The JSON text of the server's own name of the record, with its quotes; empty where pk is the name.
        ///
        /// A store finds the record by it, and else by pk. So where a row does not say which pk it is, as a deletion that
        /// comes with a name alone, or a record that no client made, the name is its pk as well.
        public var name: Range<Int>

        /// Makes a row.
        public init(pk: Range<Int>, stamp: Range<Int>, data: Range<Int>, name: Range<Int> = 0..<0) {
            self.pk = pk
            self.stamp = stamp
            self.data = data
            self.name = name
        }
    }

    /// The bytes of the whole answer.
    public let bytes: [UInt8]

    /// The rows that make sense, in the order of the answer.
    public let rows: [Row]

    /// The items that do not.
    public let malformed: [ItemSetAside]

    /// Makes a page. Whoever makes one has checked that the ranges hold what they say.
    public init(bytes: [UInt8], rows: [Row], malformed: [ItemSetAside] = []) {
        self.bytes = bytes
        self.rows = rows
        self.malformed = malformed
    }

    /// A page without rows.
    public static let empty = FeedPage(bytes: [], rows: [])
}
