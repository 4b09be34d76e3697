import TidemarkJSON
import TidemarkMachine
package import TidemarkRules

// Queries of the app.

extension SyncEngine {
    /// Checks a query, and chooses how to find its records.
    package func plan(
        _ query: RecordQuery, in collection: String
    ) throws(TidemarkError) -> (query: CheckedQuery, plan: QueryPlan) {
        let checked = try CheckedQuery(query, limits: self.configuration.limits.queries)
        return (checked, checked.plan(try self.indexes?.completeIndexes(in: collection) ?? []))
    }

    /// Reads some records of a page; see ``QueryScan``.
    package func step(_ scan: inout QueryScan, in collection: String) throws(TidemarkError) {
        try self.look(in: collection) { (transaction) throws(TidemarkError) in try scan.step(transaction) }
    }

    /// Counts the records of a query without reading them; nil if that is not possible.
    package func count(_ query: CheckedQuery, _ plan: QueryPlan, in collection: String) throws(TidemarkError) -> Int? {
        if query.tests.isEmpty {
            return try self.store.counts(in: collection).reduce(0) { $1.key == .deleted ? $0 : $0 + $1.value }
        }
        guard plan.isExact, case .index(let index, let ranges, _) = plan.source, let indexes else { return nil }
        var count = 0
        for range in ranges { count += try indexes.count(of: index, in: collection, range: range) }
        return count
    }
}

// MARK: - Indexes

extension SyncEngine {
    /// The store, if it keeps indexes.
    var indexes: (any IndexedStore)? { self.store as? any IndexedStore }

    /// The maximum number of rows that are added to indexes in one transaction: other calls of the client wait for it.
    package static let indexSlice = 4_000

    /// Checks the indexes of the configuration, and makes and drops indexes of the known collections.
    func declareIndexes() throws(TidemarkError) {
        _ = try self.indexes(of: "all collections", self.configuration.rules)
        for (name, rules) in self.configuration.collections { _ = try self.indexes(of: name.value, rules) }
        guard let indexes else { return }
        var names = indexes.projectedCollections
        let projected = Set(names.map { CodePointString($0) })
        for name in try self.collections() where !projected.contains(CodePointString(name)) {
            let stored = try indexes.storedIndexes(in: name)
            if !stored.isEmpty || !self.configuration[name].allIndexes.isEmpty { names.append(name) }
        }
        guard !names.isEmpty else { return }
        try self.store.transaction { () throws(TidemarkError) in
            for name in names { try self.declareIndexes(of: name) }
        }
    }

    /// Makes and drops indexes of a collection; within a transaction.
    func declareIndexes(of collection: String) throws(TidemarkError) {
        guard let indexes else { return }
        var rules = self.configuration[collection]
        if self.configuration.usesStoredIndexes {
            (rules.indexes, rules.references) = (try indexes.storedIndexes(in: collection), [:])
        }
        try indexes.declare(try self.indexes(of: collection, rules), in: collection, asGuest: self.isGuest)
    }

    private func indexes(of collection: String, _ rules: CollectionRules) throws(TidemarkError) -> RecordIndexes {
        let keys = try IndexKeys(rules.allIndexes, of: collection, limits: self.configuration.limits.queries)
        return RecordIndexes(keys, members: self.members)
    }

    /// Adds some rows to indexes and tables that are not complete.
    ///
    /// - Returns: Whether there are more rows to add now.
    package func buildIndexes(of collection: String) throws(TidemarkError) -> Bool {
        guard let indexes, try indexes.isIncomplete(collection) else { return false }
        return try self.store.transaction { () throws(TidemarkError) in
            try indexes.buildIndexes(in: collection, limit: Self.indexSlice)
        }
    }

    /// Whether the end of a sync adds rows to indexes and tables: not before the end of a full resync, since rows that come
    /// together are faster to add then.
    func buildsIndexesAfterSync(of collection: String) throws(TidemarkError) -> Bool {
        try self.store.state(of: collection).resync?.isRunning != true
    }

    /// The maximum number of differences that a check reports for a collection.
    package static let indexFaultLimit = 20

    /// Compares the indexes and the references of a collection with its records; a store without them has no difference.
    func checkIndexes(of collection: String) throws(TidemarkError) -> SyncClient.IndexCheck {
        let references = try self.referenceFaults(of: collection, limit: Self.indexFaultLimit)
        guard let indexes else { return SyncClient.IndexCheck(references: references) }
        let (complete, all) = (try indexes.completeIndexes(in: collection), try indexes.storedIndexes(in: collection))
        return SyncClient.IndexCheck(
            indexes: all, incomplete: all.filter { !complete.contains($0) },
            faults: try indexes.indexFaults(in: collection, limit: Self.indexFaultLimit), references: references)
    }
}
