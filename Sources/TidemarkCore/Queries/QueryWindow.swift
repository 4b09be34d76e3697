import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// The first records of a query, kept in their order while records change.
struct QueryWindow<Value: Decodable & Sendable>: Sendable {
    /// A record of the window.
    struct Row: Sendable {
        let position: QueryPosition
        let record: RecordSnapshot
        let value: RecordValue<Value>

        var name: CodePointString { self.value.id }
    }

    let query: CheckedQuery
    let limit: Int
    let dates: JSONDates

    /// In the order of the query; at most one more than the limit, which shows whether there are more records.
    private(set) var rows: [Row] = []

    /// Whether there may be matching records after the last row.
    private var isOpen = true

    /// The places of the rows.
    private var positions: [CodePointString: QueryPosition] = [:]

    init(_ query: CheckedQuery, limit: Int, dates: JSONDates) {
        self.query = query
        self.limit = limit
        self.dates = dates
    }

    /// Whether there are more records than the limit.
    var hasMore: Bool { self.rows.count > self.limit }

    /// The number of rows that are missing although there may be more records.
    var missingCount: Int { self.isOpen ? self.limit + 1 - self.rows.count : 0 }

    private var shown: ArraySlice<Row> { self.rows.prefix(self.limit) }

    /// This window with a larger limit.
    func widened(to limit: Int) -> QueryWindow {
        var window = QueryWindow(self.query, limit: limit, dates: self.dates)
        (window.rows, window.isOpen, window.positions) = (self.rows, self.isOpen, self.positions)
        window.shorten()
        return window
    }

    /// Applies the present form of some records; nil for an absent one.
    @concurrent
    func taking(_ changed: [CodePointString: RecordSnapshot?]) async -> QueryWindow {
        var window = self
        for name in changed.keys { window.remove(name) }
        for case let snapshot? in changed.values {
            let match = QueryMatch(snapshot)
            if window.query.matches(match.queried) { window.insert(match) }
        }
        return window
    }

    /// Adds records that follow the last row.
    @concurrent
    func adding(_ matches: [QueryMatch], hasMore: Bool) async -> QueryWindow {
        var window = self
        for match in matches {
            // The record may be in the window at another place: it moved after the changes were read.
            window.remove(match.name)
            window.place(match, at: window.query.position(of: match.queried))
        }
        window.isOpen = hasMore
        window.shorten()
        return window
    }

    private mutating func remove(_ name: CodePointString) {
        guard let position = self.positions.removeValue(forKey: name) else { return }
        self.rows.remove(at: self.index(of: position))
    }

    private mutating func insert(_ match: QueryMatch) {
        let position = self.query.position(of: match.queried)
        // Beyond the last row there may be other records before it.
        if self.isOpen, self.rows.last.map({ self.query.precedes($0.position, position) }) ?? true { return }
        self.place(match, at: position)
        self.shorten()
    }

    private mutating func place(_ match: QueryMatch, at position: QueryPosition) {
        guard let value = RecordValue<Value>(match, dates: self.dates) else { return }
        self.rows.insert(Row(position: position, record: match.record, value: value), at: self.index(of: position))
        self.positions[value.id] = position
    }

    private mutating func shorten() {
        while self.rows.count > self.limit + 1 {
            self.positions[self.rows.removeLast().name] = nil
            self.isOpen = true
        }
    }

    /// The index of the first row that is not before a place.
    private func index(of position: QueryPosition) -> Int {
        var (low, high) = (0, self.rows.count)
        while low < high {
            let middle = (low + high) / 2
            if self.query.precedes(self.rows[middle].position, position) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}

extension QueryWindow {
    /// The list of the rows, and what changed since another window.
    ///
    /// - Parameter isActivityTold: Whether a record with another activity only has changed.
    func list(since former: QueryWindow, isActivityTold: Bool) -> RecordList<Value> {
        let steps = ListSteps(from: former.shown.map(\.name), to: self.shown.map(\.name))
        var difference = RecordList<Value>.Difference(
            removed: steps.removed, inserted: steps.inserted, moved: steps.moved.map { .init(from: $0.from, to: $0.to) }
        )
        difference.changed = self.shown.indices.filter { index in
            let row = self.rows[index]
            guard let place = former.positions[row.name].map(former.index), place < former.limit else { return false }
            return row.record.differs(from: former.rows[place].record, isActivityTold: isActivityTold)
        }
        return RecordList(records: self.shown.map(\.value), hasMore: self.hasMore, difference: difference)
    }
}

extension RecordSnapshot {
    fileprivate func differs(from other: RecordSnapshot, isActivityTold: Bool) -> Bool {
        let isOtherPhase = isActivityTold ? self.phase != other.phase : self.phase.state != other.phase.state
        return isOtherPhase || self.raw.content != other.raw.content || self.damage != other.damage
    }
}
