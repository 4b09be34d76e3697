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

    /// The matches in the order of the query, at most one more than the limit: so far or, if the candidates come in another
    /// order, at the end of the scan.
    private var matches: [QueryMatch] = []

    /// The matches of candidates in another order, until the scan is over: a heap, whose first element is the last one in the
    /// order of the query.
    private var heap: [PlacedMatch] = []

    /// The pks of the matches; nil in the first step, in which no record moves, and in the order of the pks.
    private var pks: Set<CodePointString>?

    /// The number of matches that were counted.
    private(set) var count = 0

    /// The number of records that were read.
    private(set) var examined = 0
    package private(set) var isOver = false

    /// The position in ``QueryPlan/Source``.
    private var range = 0
    private var place: IndexPlace?
    private var pk: String?

    /// The keys of one record.
    private var keys = KeyList()

    /// The pks of records with many keys that were read. Their other entries are passed: each would cost all the keys.
    private var passed: Set<CodePointString> = []
    private static let manyKeys = 8

    /// The maximum number of records of a step: other calls of the client wait for one step.
    static let slice = 500

    package init(_ query: CheckedQuery, _ plan: QueryPlan, after start: QueryPosition?, limit: Int?) {
        self.query = query
        self.plan = plan
        self.start = start
        self.limit = limit
        if let start { self.skip(to: start) }
    }
}

/// A record of a result.
package struct QueryMatch: Sendable {
    package let record: RecordSnapshot

    /// The parsed content of the record; nil if it can't be read.
    let content: JSON?

    var name: CodePointString { CodePointString(self.record.pk) }

    init(_ record: RecordSnapshot) {
        self.record = record
        self.content = (try? record.content) ?? nil
    }

    /// What a query can ask about it.
    var queried: QueryRecord { QueryRecord(pk: self.record.pk, phase: self.record.phase, content: self.content) }
}

/// A record of a result, and its place.
private struct PlacedMatch {
    let position: QueryPosition
    let match: QueryMatch
}

// MARK: - Reading

extension QueryScan {
    /// Reads some records; does nothing if the page is complete.
    mutating func step(_ transaction: EngineTransaction) throws(TidemarkError) {
        guard !self.isOver else { return }
        if self.examined > 0, self.pks == nil, self.plan.keys != nil {
            self.pks = Set(self.matches.map(\.name) + self.heap.map(\.match.name))
        }
        // A page that comes in order needs few records.
        let wanted = self.limit.map { max($0 + 1 - self.matches.count, 16) } ?? Self.slice
        let count = self.plan.isOrdered ? min(wanted, Self.slice) : Self.slice
        switch self.plan.source {
        case .all: try self.list(.visible, count, transaction)
        case .changed(let states): try self.list(states, count, transaction)
        case .index(let index, let ranges, let isBackward):
            guard self.range < ranges.count, let keys = self.plan.keys,
                let store = transaction.store as? any IndexedStore
            else { return self.end() }
            let entries = try store.entries(
                of: index, in: transaction.collection, range: ranges[self.range], beyond: self.place,
                isBackward: isBackward, limit: count)
            if self.plan.isOrdered { self.matches.reserveCapacity(self.matches.count + entries.records.count) }
            for number in entries.records.indices where !self.isPassed(entries.records[number].pk) {
                self.examined += 1
                let match = QueryMatch(try transaction.snapshot(of: entries.records[number]))
                guard !keys.mayHaveSeveral || self.isFirst(match, entries.keys, number, keys, ranges, isBackward) else {
                    continue
                }
                self.take(match, isExact: self.plan.isExact)
                if self.isOver { return }
            }
            self.place = entries.last ?? self.place
            guard entries.records.count < count else { return }
            self.range += 1
            self.place = nil
            if self.range == ranges.count { self.end() }
        }
    }

    /// Whether an entry is the one at which its record counts: the first of its keys in the ranges.
    private mutating func isFirst(
        _ match: QueryMatch, _ entries: KeyList, _ number: Int, _ keys: IndexKeys, _ ranges: [KeyRange],
        _ isBackward: Bool
    ) -> Bool {
        keys.write(keysOf: match.content, in: 0, to: &self.keys)
        let own = self.keys.first(in: ranges, isBackward: isBackward)
        guard let own, self.keys.isEqual(own, to: entries, number) else { return false }
        if self.keys.count > Self.manyKeys { self.passed.insert(match.name) }
        return true
    }

    private mutating func list(
        _ states: Set<SyncState>, _ count: Int, _ transaction: EngineTransaction
    ) throws(TidemarkError) {
        let records = try transaction.store.records(
            in: transaction.collection, states: states, after: self.pk, limit: count)
        for record in records {
            self.examined += 1
            self.take(QueryMatch(try transaction.snapshot(of: record)), isExact: false)
            if self.isOver { return }
        }
        self.pk = records.last?.pk ?? self.pk
        if records.count < count { self.end() }
    }

    private func isPassed(_ pk: String) -> Bool {
        !self.passed.isEmpty && self.passed.contains(CodePointString(pk))
    }

    /// Adds a record to the matches if it is one.
    ///
    /// - Parameter isExact: Whether the condition is known to be true for it.
    private mutating func take(_ match: consuming QueryMatch, isExact: Bool) {
        guard isExact ? match.queried.isVisible : self.query.matches(match.queried) else { return }
        guard let limit else { return self.count += 1 }
        // A record that moved since an earlier step counts where it was read first.
        if self.pks?.contains(match.name) == true { return }
        if self.plan.isOrdered {
            // Candidates in the order of the query begin after the cursor.
            self.pks?.insert(match.name)
            self.matches.append(match)
            if self.matches.count > limit { self.end() }
        } else {
            self.add(PlacedMatch(position: self.query.position(of: match.queried), match: match), limit)
        }
    }

    private mutating func add(_ match: PlacedMatch, _ limit: Int) {
        if let start, !self.query.precedes(start, match.position) { return }
        if self.heap.count > limit, let last = self.heap.first {
            // Candidates come in groups of equal values: once enough records precede this group, the page is complete.
            if !self.plan.keyed.isEmpty,
                self.plan.keyed.contains(where: { last.position.keys[$0] != match.position.keys[$0] }),
                self.query.precedes(last.position, match.position)
            {
                return self.end()
            }
            guard self.query.precedes(match.position, last.position) else { return }
            self.pks?.remove(last.match.name)
            self.replaceFirst(by: match)
        } else {
            self.push(match)
        }
        self.pks?.insert(match.match.name)
    }

    private mutating func push(_ match: PlacedMatch) {
        self.heap.append(match)
        var place = self.heap.count - 1
        while place > 0, self.isBefore((place - 1) / 2, place) {
            self.heap.swapAt((place - 1) / 2, place)
            place = (place - 1) / 2
        }
    }

    private mutating func replaceFirst(by match: PlacedMatch) {
        self.heap[0] = match
        var (place, child) = (0, 1)
        while child < self.heap.count {
            if child + 1 < self.heap.count, self.isBefore(child, child + 1) { child += 1 }
            guard self.isBefore(place, child) else { return }
            self.heap.swapAt(place, child)
            (place, child) = (child, 2 * child + 1)
        }
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        self.query.precedes(self.heap[left].position, self.heap[right].position)
    }

    private mutating func end() {
        self.isOver = true
        guard !self.plan.isOrdered else { return }
        self.matches = self.heap.sorted { self.query.precedes($0.position, $1.position) }.map(\.match)
        self.heap = []
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
    /// The page; its records are in order when the scan is over.
    package var page: ArraySlice<QueryMatch> { self.matches.prefix(self.limit ?? 0) }

    /// The place of the last record of the page if there are more; otherwise nil.
    package var next: QueryPosition? {
        guard self.matches.count > self.limit ?? 0, let last = self.page.last else { return nil }
        return self.query.position(of: last.queried)
    }
}
