/// A page of the server's feed: the bytes of an answer, and the ranges of its rows.
///
/// No tree is built and no bytes are copied (Contract §9): a store takes the bytes of `data` from the page unchanged.
public struct FeedPage: Sendable {
    /// The ranges of one row. A tombstone has an empty `data`.
    public struct Row: Hashable, Sendable {
        /// The JSON text of `pk`, a string of 1 to 512 bytes, with its quotes.
        public var pk: Range<Int>

        /// The JSON text of `updated_at`.
        public var version: Range<Int>

        /// The JSON text of `data`: an object; empty for a tombstone.
        public var data: Range<Int>

        /// The JSON text of the name that the server gave to the record, with its quotes; empty if pk is the name.
        ///
        /// A store finds the record by this name, or else by pk. If the server's row does not contain the pk (a deletion that has
        /// only a name, or a record that no client created), the remote gives the name as the pk as well: a row without a pk is
        /// malformed. If the pk is in a member (``RemoteCapabilities/Names/member(_:)``), ``pk`` is its text.
        public var name: Range<Int>

        /// Makes a row.
        public init(pk: Range<Int>, version: Range<Int>, data: Range<Int>, name: Range<Int> = 0..<0) {
            self.pk = pk
            self.version = version
            self.data = data
            self.name = name
        }
    }

    /// The bytes of the whole answer.
    public let bytes: [UInt8]

    /// The valid rows, in the order of the answer.
    public let rows: [Row]

    /// The malformed items.
    public let malformed: [QuarantinedItem]

    /// Makes a page. The caller has checked the ranges.
    public init(bytes: [UInt8], rows: [Row], malformed: [QuarantinedItem] = []) {
        self.bytes = bytes
        self.rows = rows
        self.malformed = malformed
    }

    /// A page without rows.
    public static let empty = FeedPage(bytes: [], rows: [])
}
