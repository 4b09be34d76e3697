import TidemarkJSON
import TidemarkMachine
package import TidemarkRules

// What a written record says about references, and whose wait ends by that (R26, R27).

extension EngineTransaction {
    /// Follows a record that was written, or erased.
    ///
    /// - Parameter wasHeld: Whether it was held before the input.
    func follow(_ record: Record, wasHeld: Bool) throws(TidemarkError) {
        let name = RecordName(collection: self.collection, pk: record.pk)
        guard let references, self.graph.involves(name.collection) else { return }
        let now = RecordReferences(
            of: record, name, self.graph[name.collection], self.algebra, limit: self.limits.referenceNames)
        let former = try references.replaceReferences(of: record.pk, in: self.collection, by: now)
        if former.isMissing, !now.isMissing { try self.releaseRecords(naming: name, references) }
        // A delete does not wait for a child that now waits for a held record.
        let isStuckPerhaps = now.added != former.added
        for target in former.removed.union(isStuckPerhaps ? now.removed : []).sorted()
        where isStuckPerhaps || !now.removed.contains(target) {
            try self.release(target)
        }
        guard record.machine.phase.activity == .held, !wasHeld else { return }
        for collection in self.graph.collections {
            if try references.hasRemovedNames(in: collection.value) { self.release([], in: collection) }
        }
    }

    /// Removes what an erased record said about references.
    func followErasure(of pk: String) throws(TidemarkError) {
        try self.follow(Record(pk: pk), wasHeld: false)
    }

    private func releaseRecords(naming name: RecordName, _ store: any ReferenceStore) throws(TidemarkError) {
        for collection in self.graph.referring(to: name.collection) {
            let isOwn = collection == name.collection
            let limit = isOwn ? ReferenceWalk.releasedLimit + 1 : 1
            let pks = try store.records(adding: name, in: collection.value, limit: limit)
            if !pks.isEmpty { self.release(pks, in: collection) }
        }
    }

    /// Releases a delete if it does not wait any more.
    private func release(_ name: RecordName) throws(TidemarkError) {
        guard let record = try self.store.record(name.pk.value, in: name.collection.value),
            record.phase == .deleted(.idle), let rule = ReferenceRule(self), try rule.firstWait(of: name) == nil
        else { return }
        self.release([record.pk], in: name.collection)
    }

    /// Records of this collection go with the running sync; for another one the run loop begins a sync.
    private func release(_ pks: [String], in collection: CodePointString) {
        if collection == CodePointString(self.collection) {
            self.exchange.sync?.walk.release(pks)
        } else {
            self.emit(.released(collection: collection.value))
        }
    }
}

// MARK: - The declaration

extension SyncEngine {
    package static let referencesKey = "references"

    /// The size of the parts in which pending records are read when references were declared anew.
    private static let referencePart = 500

    /// Computes what the pending records say about references, if other ones are declared than those of the last process.
    func declareReferences() throws(TidemarkError) {
        guard try self.store.setting(Self.referencesKey) ?? "" != self.graph.text,
            let references = self.store as? any ReferenceStore
        else { return }
        try self.store.transaction { () throws(TidemarkError) in
            try references.eraseReferences()
            for collection in self.graph.collections { try self.declareReferences(of: collection.value, references) }
            try self.store.set(Self.referencesKey, to: self.graph.isEmpty ? nil : self.graph.text)
        }
    }

    private func declareReferences(
        of collection: String, _ references: any ReferenceStore
    ) throws(TidemarkError) {
        try self.forEachPending(of: collection) { (pk, now) throws(TidemarkError) in
            _ = try references.replaceReferences(of: pk, in: collection, by: now)
            return true
        }
    }

    /// Computes what the pending records of a collection say about references, until the function returns false.
    private func forEachPending(
        of collection: String, _ body: (String, RecordReferences) throws(TidemarkError) -> Bool
    ) throws(TidemarkError) {
        var last: String?
        let algebra = JSONChanges(fields: self.configuration[collection].fields, members: self.members)
        while true {
            let part = try self.store.records(
                in: collection, states: [.edited, .created, .deleted], after: last, limit: Self.referencePart)
            for stored in part {
                let name = RecordName(collection: collection, pk: stored.pk)
                let now =
                    (try? Record(stored)).map {
                        RecordReferences(
                            of: $0, name, self.graph[name.collection], algebra,
                            limit: self.configuration.limits.referenceNames)
                    } ?? RecordReferences(ofDamaged: stored)
                guard try body(stored.pk, now) else { return }
            }
            guard part.count == Self.referencePart, let end = part.last else { return }
            last = end.pk
        }
    }
}

// MARK: - A check

extension SyncEngine {
    /// Compares what the store has about the references of a collection with its records.
    ///
    /// - Parameter limit: The number of differences after which the comparison ends.
    /// - Returns: The differences, as texts for the user.
    package func referenceFaults(of collection: String, limit: Int) throws(TidemarkError) -> [String] {
        guard let references, self.graph.involves(CodePointString(collection)) else { return [] }
        var faults: [String] = []
        try self.forEachPending(of: collection) { (pk, now) throws(TidemarkError) in
            if try references.references(of: pk, in: collection) != now {
                faults.append("the references of “\(pk)” are not those of the record")
            }
            return faults.count < limit
        }
        var last: String?
        while faults.count < limit {
            let part = try references.recordsWithReferences(in: collection, after: last, limit: Self.referencePart)
            for pk in part where faults.count < limit {
                switch try self.store.record(pk, in: collection)?.phase {
                case .absent, .synced, nil: faults.append("“\(pk)” has references and no pending change")
                case .edited, .created, .deleted: continue
                }
            }
            guard part.count == Self.referencePart else { break }
            last = part.last
        }
        return faults
    }
}
