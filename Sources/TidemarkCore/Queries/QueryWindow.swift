import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// The first records of a query, or all, in its order while records change.
///
/// It is one value that is handed on and never copied: so a change of a record costs a search, and moves references, but neither
/// reads nor compares other records.
struct QueryWindow<Value: Decodable & Sendable>: Sendable {
    /// A record of the window. Its value and its bytes are shared with the lists that were delivered.
    final class Row: Sendable {
        let position: QueryPosition
        let value: RecordValue<Value>
        private let content: [UInt8]?
        private let damage: String?

        init(_ record: RecordSnapshot, _ value: RecordValue<Value>, at position: QueryPosition) {
            (self.position, self.value) = (position, value)
            (self.content, self.damage) = (record.raw.content, record.damage)
        }

        func differs(from other: Row, isActivityTold: Bool) -> Bool {
            let (mine, theirs) = (self.value.phase, other.value.phase)
            let isOtherPhase = isActivityTold ? mine != theirs : mine.state != theirs.state
            return isOtherPhase || self.content != other.content || self.damage != other.damage
        }
    }

    /// The records after the last row.
    private enum Following {
        /// There may be records that must be read.
        case unread
        case nothing

        /// There are records beyond the limit. This is the place of the first one.
        case record(QueryPosition)
    }

    private(set) var query: CheckedQuery
    private let dates: JSONDates

    /// The maximum number of rows; nil for all records.
    private(set) var limit: Int?

    /// In the order of the query.
    private var rows: [Row] = []
    private var rowsByName: [CodePointString: Row] = [:]
    private var following = Following.unread

    /// The delivered list. A list that its reader has let go is changed in place.
    private var records: [RecordValue<Value>] = []

    /// What changed since then.
    private var changes = ListChanges()

    /// The rows of that list that were removed since, and their positions in it.
    private var removed: [CodePointString: (index: Int, row: Row)] = [:]

    init(_ query: CheckedQuery, limit: Int?, dates: JSONDates) {
        (self.query, self.limit, self.dates) = (query, limit, dates)
    }

    /// Whether there are more records than the limit.
    var hasMore: Bool {
        if case .record = self.following { true } else { false }
    }

    /// Whether records after the last row have to be read.
    var isIncomplete: Bool {
        if case .unread = self.following { true } else { false }
    }

    /// The place of the last row.
    var end: QueryPosition? { self.rows.last?.position }

    /// The number of records to read after the last row: one more than are shown tells whether there are more.
    var readCount: Int { self.limit.map { $0 + 1 - self.rows.count } ?? QueryScan.slice }

    private var isFull: Bool { self.limit.map { self.rows.count >= $0 } ?? false }
}

// MARK: - Changes

extension QueryWindow {
    /// Begins again, without rows. The next difference still leads from the delivered list to the next one.
    ///
    /// It runs off the caller's actor, so that a view does not wait for it; so do the other changes.
    @concurrent
    consuming func restarted(_ query: CheckedQuery) async -> QueryWindow {
        self.restart(query)
        return self
    }

    /// Changes the limit. A list that becomes shorter is read again.
    @concurrent
    consuming func resized(to limit: Int?) async -> QueryWindow {
        self.limit = limit
        if let limit, limit < self.rows.count { self.restart(self.query) }
        self.reopen()
        return self
    }

    /// The record beyond the limit belongs to a window that is not full, and has to be read.
    private mutating func reopen() {
        if self.hasMore, !self.isFull { self.following = .unread }
    }

    private mutating func restart(_ query: CheckedQuery) {
        for (row, index) in zip(self.rows, self.changes.removeAll(self.rows.count)) {
            if let index { self.removed[row.value.id] = (index, row) }
        }
        (self.query, self.rows, self.rowsByName, self.following) = (query, [], [:], .unread)
    }

    /// Applies the present form of some records; nil for an absent one.
    @concurrent
    consuming func taking(_ changed: [CodePointString: RecordSnapshot?]) async -> QueryWindow {
        var arriving: [(match: QueryMatch, position: QueryPosition)] = []
        for (name, snapshot) in changed {
            let match = snapshot.map(QueryMatch.init).flatMap { self.query.matches($0.queried) ? $0 : nil }
            guard let match else {
                self.remove(name)
                continue
            }
            let position = self.query.position(of: match.queried)
            if let row = self.rowsByName[name], row.position.keys == position.keys {
                self.put(match, at: self.index(of: position), replacing: true)
            } else if !self.isFollowing(name, at: position) {
                self.remove(name)
                arriving.append((match, position))
            }
        }
        for (match, position) in arriving { self.insert(match, at: position) }
        self.reopen()
        return self
    }

    /// Adds records that follow the last row.
    @concurrent
    consuming func adding(_ matches: ArraySlice<QueryMatch>, hasMore: Bool) async -> QueryWindow {
        self.following = hasMore ? .unread : .nothing
        // A record that is in the window already has moved since: the next look takes it from its former place.
        for match in matches where self.rowsByName[match.name] == nil {
            guard !self.isFull else {
                self.following = .record(self.query.position(of: match.queried))
                break
            }
            self.put(match, at: self.rows.count, replacing: false)
        }
        return self
    }

    private mutating func insert(_ match: QueryMatch, at position: QueryPosition) {
        let index = self.index(of: position)
        if index == self.rows.count {
            switch self.following {
            case .unread: return  // Other records may be before it.
            case .nothing:
                if self.isFull { return self.following = .record(position) }
            case .record(let next):
                guard self.query.precedes(position, next) else { return }
                if self.isFull { return self.following = .record(position) }
            }
        }
        self.put(match, at: index, replacing: false)
        self.shorten()
    }

    private mutating func remove(_ name: CodePointString) {
        if self.isFollowing(name) { self.following = .unread }
        guard let row = self.rowsByName[name] else { return }
        self.remove(at: self.index(of: row.position))
    }

    private mutating func shorten() {
        guard let limit else { return }
        while let last = self.rows.last, self.rows.count > limit {
            self.remove(at: self.rows.count - 1)
            self.following = .record(last.position)
        }
    }

    private mutating func put(_ match: QueryMatch, at index: Int, replacing: Bool) {
        // Only a visible record matches a query.
        guard let value = RecordValue<Value>(match, dates: self.dates) else { return }
        let row = Row(match.record, value, at: self.query.position(of: match.queried))
        if replacing {
            self.leave(self.rows[index], at: index)
            self.rows[index] = row
        } else {
            self.rows.insert(row, at: index)
        }
        self.changes.insert(at: index)
        self.rowsByName[value.id] = row
    }

    private mutating func remove(at index: Int) {
        let row = self.rows.remove(at: index)
        self.leave(row, at: index)
        self.rowsByName[row.value.id] = nil
    }

    private mutating func leave(_ row: Row, at index: Int) {
        if let former = self.changes.remove(at: index) { self.removed[row.value.id] = (former, row) }
    }

    /// The index of the first row that is not before a place.
    private func index(of position: QueryPosition) -> Int {
        self.rows.indices.beginning { !self.query.precedes(self.rows[$0].position, position) }
    }

    /// Whether a record is the first one beyond the limit.
    private func isFollowing(_ name: CodePointString) -> Bool {
        if case .record(let next) = self.following { CodePointString(next.pk) == name } else { false }
    }

    private func isFollowing(_ name: CodePointString, at position: QueryPosition) -> Bool {
        if case .record(let next) = self.following {
            CodePointString(next.pk) == name && next.keys == position.keys
        } else {
            false
        }
    }
}

// MARK: - The list

extension QueryWindow {
    /// The list of the rows, with what changed since the last call.
    ///
    /// - Parameter isActivityTold: Whether a record with another activity only has changed.
    @concurrent
    consuming func list(isActivityTold: Bool) async -> (list: RecordList<Value>, window: QueryWindow) {
        let formers = self.changes.inserted.map { self.removed[self.rows[$0].value.id] }
        let steps = self.changes.steps(formers.map { $0?.index })
        var difference = RecordList<Value>.Difference(
            removed: steps.removed, inserted: steps.inserted, moved: steps.moved.map { .init(from: $0.from, to: $0.to) }
        )
        difference.changed = zip(self.changes.inserted, formers).compactMap { index, former in
            guard let former else { return nil }
            return self.rows[index].differs(from: former.row, isActivityTold: isActivityTold) ? index : nil
        }
        self.follow(steps)
        (self.changes, self.removed) = (ListChanges(), [:])
        return (RecordList(records: self.records, hasMore: self.hasMore, difference: difference), self)
    }

    /// Each step moves the rest of a list: if there are more than this, a new list costs less.
    private static var stepsInPlace: Int { 8 }

    /// Makes the delivered list the present one.
    private mutating func follow(_ steps: ListChanges.Steps) {
        guard steps.count <= Self.stepsInPlace else { return self.records = self.rows.map(\.value) }
        for index in (steps.removed + steps.moved.map(\.from)).sorted().reversed() { self.records.remove(at: index) }
        for index in (steps.inserted + steps.moved.map(\.to)).sorted() {
            self.records.insert(self.rows[index].value, at: index)
        }
        for index in self.changes.inserted { self.records[index] = self.rows[index].value }
    }
}
