public import TidemarkRules

extension RecordQuery {
    /// How a query finds its records: for a log or a test; see ``SyncCollection/plan(_:)``.
    public struct Plan: Hashable, Sendable, CustomStringConvertible {
        /// The index that it reads; nil if it reads all records, or all changed ones.
        public let index: RecordIndex?

        /// Whether it reads only changed records, because the condition is true for no other ones.
        public let readsChangedRecords: Bool

        /// Whether the records come in the order of the query: then a page reads little more than its own records. Otherwise all
        /// records that may match are read for each page, and sorted.
        public let isOrdered: Bool

        /// Whether ``SyncCollection/count(_:)`` reads no record.
        public let countsWithoutReading: Bool

        /// An index that would make the query fast; nil if no index is missing.
        public let suggestedIndex: RecordIndex?

        /// In one line.
        public var description: String {
            var parts = [
                self.index.map { "index \($0)" } ?? (self.readsChangedRecords ? "changed records" : "all records")
            ]
            parts.append(self.isOrdered ? "in order" : "sorted")
            if self.countsWithoutReading { parts.append("counted without reading") }
            if let suggestedIndex { parts.append("an index \(suggestedIndex) is missing") }
            return parts.joined(separator: "; ")
        }
    }
}

extension RecordQuery.Plan {
    init(_ query: CheckedQuery, _ plan: QueryPlan, _ limits: RecordQuery.Limits) {
        switch plan.source {
        case .all: (self.index, self.readsChangedRecords) = (nil, false)
        case .changed: (self.index, self.readsChangedRecords) = (nil, true)
        case .index(let index, _, _): (self.index, self.readsChangedRecords) = (index, false)
        }
        self.isOrdered = plan.isOrdered
        self.countsWithoutReading = plan.isExact || query.tests.isEmpty
        let isFast = plan.isOrdered && (self.index != nil || query.tests.isEmpty)
        self.suggestedIndex = isFast || self.readsChangedRecords ? nil : query.suggestedIndex(limits)
    }
}
