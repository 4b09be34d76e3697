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
        let read: ReadRecord<Value>
        let name: CodePointString
        private let content: [UInt8]?
        private let damage: String?

        init(_ record: RecordSnapshot, _ read: ReadRecord<Value>, at position: QueryPosition) {
            (self.position, self.read, self.name) = (position, read, CodePointString(record.pk))
            (self.content, self.damage) = (record.raw.content, record.damage)
        }

        var isReadable: Bool { self.read.value != nil }

        func differs(from other: Row, isActivityTold: Bool) -> Bool {
            let (mine, theirs) = (self.read.phase, other.read.phase)
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

    /// The unreadable rows of the delivered list.
    private var gaps = ListGaps([])

    /// The number of unreadable rows.
    private var unreadableCount = 0

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
            if let index { self.removed[row.name] = (index, row) }
        }
        (self.query, self.rows, self.rowsByName, self.following) = (query, [], [:], .unread)
        self.unreadableCount = 0
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
        guard let read = ReadRecord<Value>(match, dates: self.dates) else { return }
        let row = Row(match.record, read, at: self.query.position(of: match.queried))
        if replacing {
            self.leave(self.rows[index], at: index)
            self.rows[index] = row
        } else {
            self.rows.insert(row, at: index)
        }
        self.changes.insert(at: index)
        self.rowsByName[row.name] = row
        if !row.isReadable { self.unreadableCount += 1 }
    }

    private mutating func remove(at index: Int) {
        let row = self.rows.remove(at: index)
        self.leave(row, at: index)
        self.rowsByName[row.name] = nil
    }

    private mutating func leave(_ row: Row, at index: Int) {
        if let former = self.changes.remove(at: index) { self.removed[row.name] = (former, row) }
        if !row.isReadable { self.unreadableCount -= 1 }
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
    /// - Returns: The list; whether it is another one than before, also by its unreadable records; and the window.
    @concurrent
    consuming func list(
        isActivityTold: Bool
    ) async -> (list: RecordList<Value>, isOther: Bool, window: QueryWindow) {
        let formers = self.changes.inserted.map { self.removed[self.rows[$0].name] }
        let steps = self.changes.steps(formers.map { $0?.index })
        let changed = zip(self.changes.inserted, formers).filter { index, former in
            guard let former else { return false }
            return self.rows[index].differs(from: former.row, isActivityTold: isActivityTold)
        }
        let isOther = steps.count > 0 || !changed.isEmpty
        let former = self.gaps
        if !former.isEmpty || self.unreadableCount > 0 {
            self.gaps = ListGaps(self.rows.indices.filter { !self.rows[$0].isReadable })
        }
        let difference = RecordList<Value>.Difference(
            steps, changed: changed.compactMap { index, origin in origin.map { ($0.index, index) } },
            without: former, and: self.gaps)
        self.follow(steps, isWhole: former.isEmpty && self.gaps.isEmpty)
        (self.changes, self.removed) = (ListChanges(), [:])
        let unreadable = self.gaps.positions.compactMap { self.rows[$0].read.unreadable }
        let list = RecordList(
            records: self.records, unreadable: unreadable, hasMore: self.hasMore, difference: difference)
        return (list, isOther, self)
    }

    /// Each step moves the rest of a list: if there are more than this, a new list costs less.
    private static var stepsInPlace: Int { 8 }

    /// Makes the delivered list the present one.
    ///
    /// - Parameter isWhole: Whether all rows of both lists are readable.
    private mutating func follow(_ steps: ListChanges.Steps, isWhole: Bool) {
        guard isWhole, steps.count <= Self.stepsInPlace else {
            return self.records = self.rows.compactMap(\.read.value)
        }
        for index in (steps.removed + steps.moved.map(\.from)).sorted().reversed() { self.records.remove(at: index) }
        for index in (steps.inserted + steps.moved.map(\.to)).sorted() {
            if let value = self.rows[index].read.value { self.records.insert(value, at: index) }
        }
        for index in self.changes.inserted {
            if let value = self.rows[index].read.value { self.records[index] = value }
        }
    }
}

extension RecordList.Difference {
    /// Makes the difference of the readable records of two lists.
    ///
    /// - Parameters:
    ///   - steps: The steps between the lists of all records.
    ///   - changed: The positions in both lists of the records that changed, by their new position.
    ///   - former: The unreadable records of the former list.
    ///   - present: The unreadable records of the present list.
    init(
        _ steps: ListChanges.Steps, changed: [(from: Int, to: Int)], without former: ListGaps, and present: ListGaps
    ) {
        self.init(
            removed: steps.removed.compactMap(former.rank), inserted: steps.inserted.compactMap(present.rank))
        for move in steps.moved {
            guard let (from, to) = self.add(from: former.rank(move.from), to: present.rank(move.to)) else { continue }
            self.moved.append(RecordList.Move(from: from, to: to))
        }
        let moved = Set(steps.moved.map(\.to))
        for change in changed {
            let (from, to) = (former.rank(change.from), present.rank(change.to))
            if moved.contains(change.to) {
                if from != nil, let to { self.changed.append(to) }
            } else if let (_, to) = self.add(from: from, to: to) {
                self.changed.append(to)
            }
        }
        self.removed.sort()
        self.inserted.sort()
    }

    /// Adds a record that is readable in one of the lists only. Returns its positions if it is in both.
    private mutating func add(from: Int?, to: Int?) -> (from: Int, to: Int)? {
        switch (from, to) {
        case (let from?, let to?): return (from, to)
        case (let from?, nil): self.removed.append(from)
        case (nil, let to?): self.inserted.append(to)
        case (nil, nil): break
        }
        return nil
    }
}

/// The positions of some elements of a list, ascending.
struct ListGaps: Sendable {
    let positions: [Int]

    init(_ positions: [Int]) {
        self.positions = positions
    }

    var isEmpty: Bool { self.positions.isEmpty }

    /// Returns the position of an element in the list without these elements; nil if it is one of them.
    func rank(_ index: Int) -> Int? {
        let before = self.positions.indices.beginning { self.positions[$0] >= index }
        return before < self.positions.count && self.positions[before] == index ? nil : index - before
    }
}
