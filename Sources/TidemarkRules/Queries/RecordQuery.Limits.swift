extension RecordQuery {
    /// The limits of queries and indexes (Contract §3.7).
    public struct Limits: Hashable, Sendable {
        /// The maximum number of indexes of a collection.
        public var indexes = 8

        /// The maximum number of paths of an index.
        public var paths = 4

        /// The maximum number of comparisons in a condition, and of parts in an order.
        public var parts = 64

        /// The maximum number of values in ``JSONField/isIn(_:)``.
        public var values = 500

        /// The maximum number of records of a page.
        public var page = 1_000

        /// The maximum number of records of a live list.
        public var window = 10_000

        /// Makes the default limits.
        public init() {}
    }
}
