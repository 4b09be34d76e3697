public import TidemarkJSON

// One merge for all uses: records, conflicts, the journal, and `tidemark patch merge`.

extension FieldRules {
    /// Merges the server's and the client's record, which have the same base; in a field without a rule, the client's value
    /// wins.
    ///
    /// ```swift
    /// let rules = try FieldRules([("/count", .sum)])
    /// rules.merge(base: ["count": 5], server: ["count": 8], client: ["count": 6]).merged   // {"count":9}
    /// ```
    public func merge(base: JSON?, server: JSON?, client: JSON?) -> JSONMerge {
        self.merge(JSONMerge.Sides(base: base, server: server, client: client))
    }

    /// Merges the sides of a record.
    package func merge(_ record: JSONMerge.Sides) -> JSONMerge {
        JSONMerge.merge(
            base: record.base, server: record.server, client: record.client,
            rule: { self.decision(at: $0, in: record) }, sums: self.sums)
    }

    /// Merges the sides of a record in one of two ways.
    ///
    /// - Parameter isKeepingClient: Whether the client's value wins whenever a value would be lost.
    func merge(_ record: JSONMerge.Sides, isKeepingClient: Bool) -> JSONMerge {
        isKeepingClient ? self.mergeKeepingClient(record) : self.merge(record)
    }

    private func mergeKeepingClient(_ record: JSONMerge.Sides) -> JSONMerge {
        JSONMerge.merge(
            base: record.base, server: record.server, client: record.client,
            rule: { path in
                self.decision(at: path, in: record).map { decide in { decide($0).keepingClient } }
            },
            sums: self.sums)
    }

    /// The decision for a field of a record; nil when no rule matches it.
    package func decision(at path: JSONPointer, in record: JSONMerge.Sides) -> JSONMerge.FieldDecision? {
        guard let rule = self.rule(at: path) else { return nil }
        return { sides in
            let outcome = rule.decide(FieldConflict(sides, in: record, by: self))
            return path.isRoot ? outcome.ofRecord : outcome
        }
    }

    /// Whether a number at a path, or below it, is added up.
    package func hasAdditions(at path: JSONPointer) -> Bool {
        self.entries.contains { $0.rule.isAdditive && ($0.pattern.matches(path) || $0.pattern.reachesBelow(path)) }
    }

    /// Whether equal changes of a field are two changes (R12): true for a sum, and for an array of objects that contains
    /// sums.
    package func sums(at path: JSONPointer) -> Bool {
        guard let rule = self.rule(at: path) else { return false }
        if rule.isAdditive { return true }
        return rule.keyedBy != nil && self.entries.contains { $0.rule.isAdditive && $0.pattern.reachesBelow(path) }
    }

    /// The first rule whose pattern matches a path.
    func rule(at path: JSONPointer) -> (any FieldRule)? {
        self.entries.first { $0.pattern.matches(path) }?.rule
    }

    /// Whether a local change is applied on top of the server's value instead of replacing it.
    package func isIncremental(_ path: JSONPointer) -> Bool {
        self.rule(at: path)?.isIncremental ?? false
    }
}

extension FieldOutcome {
    /// This outcome if the client loses nothing by it, or else the client's value.
    fileprivate var keepingClient: FieldOutcome {
        switch self {
        case .client, .server, .ask, .value(_, lost: true): .client
        case .value(_, lost: false): self
        case .merged(_, let clashes): clashes.allSatisfy { $0.winner == .client } ? self : .client
        }
    }

    /// A record is an object: a rule that returns any other value does not fit.
    fileprivate var ofRecord: FieldOutcome {
        switch self {
        case .client, .server, .ask: self
        case .value(let value, _), .merged(let value, _): value?.object == nil ? .client : self
        }
    }
}
