package import TidemarkJSON
package import TidemarkMachine

/// A query whose paths were parsed and whose size was checked, which can be applied to any number of records.
package struct CheckedQuery: Sendable {
    package let query: RecordQuery

    /// The paths of the order.
    package let order: [(path: QueryPath, isDescending: Bool)]

    /// The parts of the condition that are all true if it is.
    package let tests: [Test]

    /// Whether records that are equal in the order follow in descending order of their pks.
    package let isTieDescending: Bool

    /// A condition with parsed paths.
    package indirect enum Test: Sendable {
        case compare(QueryPath, RecordQuery.Condition.Comparison, JSON)
        case isIn(QueryPath, [JSON])
        case startsWith(QueryPath, String)
        case contains(QueryPath, JSON, ignoringCase: Bool)
        case exists(QueryPath)
        case states(Set<SyncState>)
        case held
        case and([Test])
        case or([Test])
        case not(Test)
    }

    package init(_ query: RecordQuery, limits: RecordQuery.Limits = RecordQuery.Limits()) throws(TidemarkError) {
        self.query = query
        var order: [(path: QueryPath, isDescending: Bool)] = []
        for part in query.order {
            let path = try QueryPath(part.path, in: "An order")
            guard !path.hasStar else {
                throw TidemarkError(
                    .invalidQuery,
                    "An order: “\(part.path)” has a “*”, which names several values. Order by one of them.")
            }
            order.append((path, part.isDescending))
        }
        self.order = order
        self.isTieDescending = order.last?.isDescending ?? false
        var reader = Reader(limits: limits, parts: query.order.count)
        self.tests = try reader.tests(query.condition.conjuncts)
    }

    private struct Reader {
        let limits: RecordQuery.Limits
        var parts: Int

        mutating func tests(_ nodes: [RecordQuery.Condition.Node]) throws(TidemarkError) -> [Test] {
            var tests: [Test] = []
            for node in nodes { tests.append(try self.test(node)) }
            return tests
        }

        private mutating func test(_ node: RecordQuery.Condition.Node) throws(TidemarkError) -> Test {
            self.parts += 1
            guard self.parts <= self.limits.parts else {
                throw TidemarkError(
                    .invalidQuery,
                    "The query has more than \(self.limits.parts) parts (RecordQuery.Limits.parts). Use fewer.")
            }
            switch node {
            case .compare(let path, let comparison, let value):
                return .compare(try self.path(path), comparison, value)
            case .isIn(let path, let values):
                guard values.count <= self.limits.values else {
                    throw TidemarkError(
                        .invalidQuery,
                        "“\(path)” is compared with \(values.count) values; \(self.limits.values) are possible (RecordQuery.Limits.values)."
                    )
                }
                return .isIn(try self.path(path), values)
            case .startsWith(let path, let text): return .startsWith(try self.path(path), text)
            case .contains(let path, let value, let ignoringCase):
                return .contains(try self.path(path), value, ignoringCase: ignoringCase)
            case .exists(let path): return .exists(try self.path(path))
            case .states(let states): return .states(states)
            case .held: return .held
            case .and(let nodes): return .and(try self.tests(nodes))
            case .or(let nodes): return .or(try self.tests(nodes))
            case .not(let node): return .not(try self.test(node))
            }
        }

        private func path(_ text: String) throws(TidemarkError) -> QueryPath {
            try QueryPath(text, in: "A condition")
        }
    }
}

/// The parts of a record that a query can test.
package struct QueryRecord: Sendable {
    package let pk: String
    package let phase: RecordPhase

    /// The view of the app; nil if it can't be read.
    package let content: JSON?

    package init(pk: String, phase: RecordPhase, content: JSON?) {
        self.pk = pk
        self.phase = phase
        self.content = content
    }
}

// MARK: - Evaluation

extension CheckedQuery {
    /// Whether the app sees the record and the condition is true for it.
    package func matches(_ record: QueryRecord) -> Bool {
        record.isVisible && self.tests.allSatisfy { $0.matches(record) }
    }
}

extension QueryRecord {
    /// Whether the app sees the record.
    package var isVisible: Bool { self.phase != .absent && self.phase.state != .deleted }
}

extension CheckedQuery.Test {
    func matches(_ record: QueryRecord) -> Bool {
        switch self {
        case .compare(let path, let comparison, let value): path.any(record) { comparison.holds($0, value) }
        case .isIn(let path, let values): path.any(record) { values.contains($0) }
        case .startsWith(let path, let text): path.any(record) { $0.string?.utf8.starts(with: text.utf8) ?? false }
        case .contains(let path, let value, let ignoringCase):
            path.any(record) { $0.contains(value, ignoringCase: ignoringCase) }
        case .exists(let path): path.any(record) { _ in true }
        case .states(let states): record.phase.state.map { states.contains($0) } ?? false
        case .held: record.phase.activity == .held
        case .and(let tests): tests.allSatisfy { $0.matches(record) }
        case .or(let tests): tests.contains { $0.matches(record) }
        case .not(let test): !test.matches(record)
        }
    }
}

extension QueryPath {
    fileprivate func any(_ record: QueryRecord, _ test: (JSON) -> Bool) -> Bool {
        guard self.hasStar else { return self.value(in: record.content).map(test) ?? false }
        return self.values(in: record.content).contains(where: test)
    }
}

extension RecordQuery.Condition.Comparison {
    fileprivate func holds(_ left: JSON, _ right: JSON) -> Bool {
        switch self {
        case .equal: left == right
        case .less: left.isLess(than: right)
        case .lessOrEqual: left.isLess(than: right) || left == right
        case .greater: right.isLess(than: left)
        case .greaterOrEqual: right.isLess(than: left) || left == right
        }
    }
}

extension JSON {
    fileprivate func isLess(than other: JSON) -> Bool {
        switch (self.kindOfValue, other.kindOfValue) {
        case (.bool, .bool): self.bool == false && other.bool == true
        case (.number, .number):
            if let left = self.number, let right = other.number { left < right } else { false }
        case (.string, .string): CodePointString(self.string ?? "") < CodePointString(other.string ?? "")
        default: false
        }
    }

    fileprivate func contains(_ value: JSON, ignoringCase: Bool) -> Bool {
        if let text = self.string, let part = value.string {
            return ignoringCase ? text.lowercased().hasPart(part.lowercased()) : text.hasPart(part)
        }
        guard let elements = self.array else { return false }
        guard ignoringCase, let text = value.string?.lowercased() else { return elements.contains(value) }
        return elements.contains { $0.string?.lowercased().hasSameCodePoints(as: text) ?? false }
    }
}

extension String {
    /// Whether it contains the code points of another text.
    fileprivate func hasPart(_ part: String) -> Bool {
        let (text, part) = (Array(self.utf8), Array(part.utf8))
        guard let first = part.first else { return true }
        guard text.count >= part.count else { return false }
        // The time of a text of all the same letter is its length times that of the part, which is short.
        return (0...(text.count - part.count)).contains { start in
            text[start] == first && text[start..<(start + part.count)].elementsEqual(part)
        }
    }
}
