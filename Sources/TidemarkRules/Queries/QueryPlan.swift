import TidemarkJSON
package import TidemarkMachine

/// How a query finds its records.
package struct QueryPlan: Sendable {
    /// Where the candidates come from.
    package enum Source: Hashable, Sendable {
        /// All records, in the order of their pks.
        case all

        /// The records in some states that are not SYNCD, in the order of their pks.
        case changed(Set<SyncState>)

        /// The entries of an index in some ranges.
        case index(RecordIndex, [KeyRange], isBackward: Bool)
    }

    package var source: Source

    /// Makes the keys of the index; nil without one.
    package var keys: IndexKeys?

    /// Whether the candidates come in the order of the query, pks included.
    package var isOrdered = false

    /// How many bytes of each index key precede the values of the ordered parts: those of the values that are equal in all
    /// candidates.
    package var fixed: [UInt8] = []

    /// The parts of the order that are in the key after ``fixed``, as positions in the query's order.
    package var keyed: [Int] = []

    /// Whether every entry of the ranges is a result, so that they can be counted without reading a record.
    package var isExact = false
}

extension CheckedQuery {
    /// Chooses how to find the records.
    ///
    /// - Parameter indexes: The indexes that are complete.
    package func plan(_ indexes: [RecordIndex]) -> QueryPlan {
        if let states = self.restrictedStates {
            var plan = QueryPlan(source: .changed(states))
            plan.isOrdered = self.order.isEmpty
            return plan
        }
        let candidates = indexes.compactMap { IndexChoice(self, $0) }
        guard let best = candidates.max(by: { $0.worth < $1.worth }), best.worth > 0 else {
            var plan = QueryPlan(source: .all)
            plan.isOrdered = self.order.isEmpty
            return plan
        }
        return best.plan
    }

    /// The states that a record can have according to the condition, if SYNCD is not one of them.
    private var restrictedStates: Set<SyncState>? {
        let changed: Set<SyncState> = [.edited, .created]
        var states: Set<SyncState>?
        for test in self.tests {
            switch test {
            case .states(let some) where !some.contains(.synced): states = (states ?? changed).intersection(some)
            case .held: states = states ?? changed
            default: break
            }
        }
        return states
    }
}

/// The use of an index for a query.
private struct IndexChoice {
    let plan: QueryPlan

    /// How useful it is; 0 if it is of no use.
    let worth: Int

    init?(_ query: CheckedQuery, _ index: RecordIndex) {
        guard let keys = try? IndexKeys(parsing: index) else { return nil }
        let paths = keys.paths[0]
        var uses = IndexUse(query.tests)
        // Equal values first.
        var fixed: [UInt8] = []
        var position = 0
        while position < paths.count, let key = uses.equal(paths[position]) {
            fixed += key
            position += 1
        }
        let equalCount = position
        // Then one range.
        var ranges = [KeyRange(beginningWith: fixed)]
        var hasRange = false
        if position < paths.count, let some = uses.ranges(paths[position]) {
            ranges = some.map { $0.after(fixed) }
            hasRange = true
        }
        // Then the order, as far as it runs in one direction. Members that are equal in all candidates can't change it.
        let fixedPaths = paths[..<equalCount]
        var keyed: [Int] = []
        var ordered = 0
        var direction: Bool?
        var next = equalCount
        for (place, part) in query.order.enumerated() {
            if !fixedPaths.contains(part.path) {
                guard next < paths.count, paths[next] == part.path, direction ?? part.isDescending == part.isDescending
                else { break }
                direction = part.isDescending
                keyed.append(place)
                next += 1
            }
            ordered += 1
        }
        let isBackward = direction ?? query.isTieDescending
        let isOrdered =
            ordered == query.order.count && next == paths.count && isBackward == query.isTieDescending
            && !paths[equalCount...].contains(where: \.hasStar) && (ranges.count <= 1 || !keyed.isEmpty)
        var plan = QueryPlan(source: .index(index, isBackward ? ranges.reversed() : ranges, isBackward: isBackward))
        plan.keys = keys
        plan.fixed = fixed
        plan.keyed = keyed
        plan.isOrdered = isOrdered
        plan.isExact = uses.isExact && uses.usedCount == query.tests.count && !paths.contains(where: \.hasStar)
        self.plan = plan
        let usesCondition = 8 * equalCount + (hasRange ? 4 : 0)
        self.worth = usesCondition + (keyed.isEmpty ? 0 : 2 + keyed.count) + (isOrdered && usesCondition > 0 ? 2 : 0)
    }
}

/// The parts of a condition that an index can answer.
private struct IndexUse {
    private let tests: [CheckedQuery.Test]

    /// How many parts were used.
    private(set) var usedCount = 0

    /// Whether the keys decide each used part.
    private(set) var isExact = true

    init(_ tests: [CheckedQuery.Test]) {
        self.tests = tests
    }

    /// The key of the value that a path equals in every result; nil if there is none.
    mutating func equal(_ path: QueryPath) -> [UInt8]? {
        for test in self.tests {
            guard case .compare(path, .equal, let value) = test else { continue }
            self.use(QueryKey.isWhole(value))
            return QueryKey.of(value)
        }
        return nil
    }

    /// The ranges of the keys of a path in every result, in their order; nil if the condition does not restrict it.
    mutating func ranges(_ path: QueryPath) -> [KeyRange]? {
        var range: KeyRange?
        for test in self.tests {
            switch test {
            case .isIn(path, let values):
                self.use(values.allSatisfy(QueryKey.isWhole))
                return Set(values.map { QueryKey.of($0) }).sorted { $0.lexicographicallyPrecedes($1) }
                    .map { KeyRange(beginningWith: $0) }
            default: continue
            }
        }
        for test in self.tests {
            // Of an array each bound may hold for another element, so one is used.
            if path.hasStar, range != nil { break }
            let next: KeyRange
            switch test {
            case .startsWith(path, let text):
                next = KeyRange(beginningWith: QueryKey.beginning(of: text))
                self.use(text.utf8.count <= QueryKey.longest)
            case .compare(path, let comparison, let value):
                guard let some = KeyRange(comparison, value) else { continue }
                next = some
                self.use(QueryKey.isWhole(value))
            default: continue
            }
            range = range.map { $0.intersection(next) } ?? next
        }
        return range.map { [$0] }
    }

    private mutating func use(_ isExact: Bool) {
        self.usedCount += 1
        self.isExact = self.isExact && isExact
    }
}

extension KeyRange {
    /// The keys of the values for which a comparison may hold.
    fileprivate init?(_ comparison: RecordQuery.Condition.Comparison, _ value: JSON) {
        let key = QueryKey.of(value)
        guard let type = QueryKey.keysOfType(value) else { return nil }
        switch comparison {
        // A key that leaves digits out is also the key of smaller and of larger values.
        case .less, .lessOrEqual: self.init(from: type.lower, upTo: KeyRange.after(key))
        case .greater, .greaterOrEqual: self.init(from: key, upTo: type.upper)
        case .equal: return nil
        }
        guard QueryKey.isWhole(value) else { return }
        if comparison == .less { self.upper = key }
        if comparison == .greater { self.lower = KeyRange.after(key) ?? key }
    }

    fileprivate func after(_ beginning: [UInt8]) -> KeyRange {
        KeyRange(from: beginning + self.lower, upTo: self.upper.map { beginning + $0 } ?? KeyRange.after(beginning))
    }

    fileprivate func intersection(_ other: KeyRange) -> KeyRange {
        var range = self
        if range.lower.lexicographicallyPrecedes(other.lower) { range.lower = other.lower }
        if let upper = other.upper, range.upper.map({ upper.lexicographicallyPrecedes($0) }) ?? true {
            range.upper = upper
        }
        return range
    }
}

extension CheckedQuery {
    /// The index that finds the records of the query in its order: first the members that the condition compares with one
    /// value, then the order, or else one more member of the condition. Nil if no index can.
    ///
    /// - Parameter limits: The limits of the client; the index has no more paths than they allow.
    package func suggestedIndex(_ limits: RecordQuery.Limits) -> RecordIndex? {
        var equal: [String] = []
        var others: [String] = []
        for node in self.query.condition.conjuncts {
            switch node {
            case .compare(let path, .equal, _): equal.append(path)
            case .compare(let path, _, _), .isIn(let path, _), .startsWith(let path, _): others.append(path)
            default: break
            }
        }
        let order = self.query.order.map(\.path)
        var paths: [String] = []
        for path in equal + (order.isEmpty ? Array(others.prefix(1)) : order) where !paths.contains(path) {
            paths.append(path)
        }
        paths = Array(paths.prefix(limits.paths))
        return paths.isEmpty ? nil : RecordIndex(paths)
    }
}
