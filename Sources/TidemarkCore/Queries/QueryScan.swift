import TidemarkJSON
import TidemarkMachine
package import TidemarkRules

/// One page of a query, while its records are read.
package struct QueryScan: Sendable {
    package let query: CheckedQuery
    package let plan: QueryPlan

    /// The place of the cursor; only records after it count.
    let start: QueryPosition?

    /// The maximum number of records; nil to count all matches without keeping them.
    let limit: Int?

    /// The matches so far, at most one more than the limit: in the order of the query or, if the candidates come in another
    /// order, as a heap until the scan is over, whose first element is the last one in the order.
    private(set) var matches: [QueryMatch] = []

    /// The pks of the matches; nil in the first step, in which no record moves, and in the order of the pks.
    private var pks: Set<CodePointString>?

    /// The number of matches that were counted.
    private(set) var count = 0

    /// The number of records that were read.
    private(set) var examined = 0
    private(set) var isOver = false

    /// The position in ``QueryPlan/Source``.
    private var range = 0
    private var place: IndexPlace?
    private var pk: String?

    /// The keys of one record.
    private var keys = KeyList()

    /// The pks of records with many keys that were read. Their other entries are passed: each would cost all the keys.
    private var passed: Set<CodePointString> = []
    private static let manyKeys = 8

    /// Makes the keys of the plan's index.
    private let indexKeys: IndexKeys?

    /// The maximum number of records of a step: other calls of the client wait for one step.
    static let slice = 500

    package init(_ query: CheckedQuery, _ plan: QueryPlan, after start: QueryPosition?, limit: Int?) {
        self.query = query
        self.plan = plan
        self.start = start
        self.limit = limit
        self.indexKeys =
            if case .index(let index, _, _) = plan.source { try? IndexKeys([index], of: "") } else { nil }
        if let start { self.skip(to: start) }
    }
}

/// A record of a result, and its place.
package struct QueryMatch: Sendable {
    package let position: QueryPosition
    package let record: RecordSnapshot

    /// The parsed content of the record; nil if it can't be read.
    let content: JSON?

    var name: CodePointString { CodePointString(self.record.pk) }
}

// MARK: - Reading

extension QueryScan {
    /// Reads some records; does nothing if the page is complete.
    mutating func step(_ transaction: EngineTransaction) throws(TidemarkError) {
        guard !self.isOver else { return }
        if self.examined > 0, self.pks == nil, self.indexKeys != nil { self.pks = Set(self.matches.map(\.name)) }
        // A page that comes in order needs few records.
        let wanted = self.limit.map { max($0 + 1 - self.matches.count, 16) } ?? Self.slice
        let count = self.plan.isOrdered ? min(wanted, Self.slice) : Self.slice
        switch self.plan.source {
        case .all: try self.list(.visible, count, transaction)
        case .changed(let states): try self.list(states, count, transaction)
        case .index(let index, let ranges, let isBackward):
            guard self.range < ranges.count, let keys = self.indexKeys,
                let store = transaction.store as? any IndexedStore
            else { return self.end() }
            let entries = try store.entries(
                of: index, in: transaction.collection, range: ranges[self.range], beyond: self.place,
                isBackward: isBackward, limit: count)
            for entry in entries {
                try self.take(entry.record, transaction, from: (entry.key, keys, ranges, isBackward))
                if self.isOver { return }
            }
            self.place = entries.last.map { IndexPlace(key: $0.key, pk: $0.record.pk) } ?? self.place
            guard entries.count < count else { return }
            self.range += 1
            self.place = nil
            if self.range == ranges.count { self.end() }
        }
    }

    private mutating func list(
        _ states: Set<SyncState>, _ count: Int, _ transaction: EngineTransaction
    ) throws(TidemarkError) {
        let records = try transaction.store.records(
            in: transaction.collection, states: states, after: self.pk, limit: count)
        for record in records {
            try self.take(record, transaction, from: nil)
            if self.isOver { return }
        }
        self.pk = records.last?.pk ?? self.pk
        if records.count < count { self.end() }
    }

    private mutating func take(
        _ stored: StoredRecord, _ transaction: EngineTransaction,
        from entry: (key: [UInt8], keys: IndexKeys, ranges: [KeyRange], isBackward: Bool)?
    ) throws(TidemarkError) {
        if !self.passed.isEmpty, self.passed.contains(CodePointString(stored.pk)) { return }
        self.examined += 1
        let snapshot = try transaction.snapshot(of: stored)
        let record = QueryRecord(snapshot)
        if let entry {
            // A record with several keys in the ranges counts at the first one.
            entry.keys.write(keysOf: record.content, in: 0, to: &self.keys)
            let isOnly = self.keys.count == 1
            let own = self.keys.first(isBackward: entry.isBackward) { key in
                isOnly || entry.ranges.contains { $0.contains(Array(key)) }
            }
            guard own == entry.key[...] else { return }
            if self.keys.count > Self.manyKeys { self.passed.insert(CodePointString(stored.pk)) }
        }
        guard self.plan.isExact && entry != nil ? record.isVisible : self.query.matches(record) else { return }
        guard let limit else { return self.count += 1 }
        self.add(
            QueryMatch(position: self.query.position(of: record), record: snapshot, content: record.content), limit)
    }

    private mutating func add(_ match: QueryMatch, _ limit: Int) {
        if let start, !self.query.precedes(start, match.position) { return }
        // A record that moved since an earlier step counts where it was read first.
        if self.pks?.contains(match.name) == true { return }
        guard !self.plan.isOrdered else {
            self.matches.append(match)
            self.pks?.insert(match.name)
            if self.matches.count > limit { self.end() }
            return
        }
        if self.matches.count > limit, let last = self.matches.first {
            // Candidates come in groups of equal values: once enough records precede this group, the page is complete.
            if !self.plan.keyed.isEmpty,
                self.plan.keyed.contains(where: { last.position.keys[$0] != match.position.keys[$0] }),
                self.query.precedes(last.position, match.position)
            {
                return self.end()
            }
            guard self.query.precedes(match.position, last.position) else { return }
            self.pks?.remove(last.name)
            self.replaceFirst(by: match)
        } else {
            self.push(match)
        }
        self.pks?.insert(match.name)
    }

    private mutating func push(_ match: QueryMatch) {
        self.matches.append(match)
        var place = self.matches.count - 1
        while place > 0, self.isBefore((place - 1) / 2, place) {
            self.matches.swapAt((place - 1) / 2, place)
            place = (place - 1) / 2
        }
    }

    private mutating func replaceFirst(by match: QueryMatch) {
        self.matches[0] = match
        var (place, child) = (0, 1)
        while child < self.matches.count {
            if child + 1 < self.matches.count, self.isBefore(child, child + 1) { child += 1 }
            guard self.isBefore(place, child) else { return }
            self.matches.swapAt(place, child)
            (place, child) = (child, 2 * child + 1)
        }
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        self.query.precedes(self.matches[left].position, self.matches[right].position)
    }

    private mutating func end() {
        self.isOver = true
        guard !self.plan.isOrdered else { return }
        let query = self.query
        self.matches.sort { query.precedes($0.position, $1.position) }
    }

    /// Begins at the cursor, as near as the candidates' order allows.
    private mutating func skip(to start: QueryPosition) {
        switch self.plan.source {
        case .all, .changed:
            if self.plan.isOrdered { self.pk = start.pk }
        case .index(_, let ranges, let isBackward):
            let key = self.plan.fixed + self.plan.keyed.flatMap { start.keys[$0] }
            guard !self.plan.keyed.isEmpty || self.plan.isOrdered else { return }
            // Ranges that end before the key have no further records.
            self.range =
                ranges.firstIndex { range in
                    isBackward
                        ? !key.lexicographicallyPrecedes(range.lower)
                        : range.upper.map { key.lexicographicallyPrecedes($0) } ?? true
                } ?? ranges.count
            guard self.range < ranges.count, ranges[self.range].contains(key) else { return }
            // In groups the whole group of the cursor is read again. No pk is empty.
            self.place =
                if self.plan.isOrdered { IndexPlace(key: key, pk: start.pk) } else if isBackward {
                    KeyRange.after(key).map { IndexPlace(key: $0, pk: "") }
                } else { IndexPlace(key: key, pk: "") }
        }
    }
}

extension QueryScan {
    /// The page.
    package var page: ArraySlice<QueryMatch> { self.matches.prefix(self.limit ?? 0) }

    /// The place of the last record of the page if there are more; otherwise nil.
    package var next: QueryPosition? {
        self.matches.count > self.limit ?? 0 ? self.page.last?.position : nil
    }
}
