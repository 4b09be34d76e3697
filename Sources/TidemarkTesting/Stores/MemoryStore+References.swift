package import TidemarkCore
import TidemarkJSON
import TidemarkMachine
package import TidemarkRules

extension MemoryStore: ReferenceStore {
    package func replaceReferences(
        of pk: String, in collection: String, by references: RecordReferences
    ) throws(TidemarkError) -> RecordReferences {
        try self.countWrite()
        let name = CodePointString(collection)
        var all = self.collection(collection).references
        let former = all[CodePointString(pk)] ?? RecordReferences()
        guard former != references else { return former }
        all[CodePointString(pk)] = references.isEmpty ? nil : references
        self.write(.references(all, of: name))
        return former
    }

    package func references(of pk: String, in collection: String) throws(TidemarkError) -> RecordReferences {
        self.references(of: RecordName(collection: collection, pk: pk))
    }

    package func recordsWithReferences(
        in collection: String, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [String] {
        let last = pk.map { CodePointString($0) }
        let names = self.collection(collection).references.keys.filter { name in last.map { name > $0 } ?? true }
        return names.sorted().prefix(limit).map(\.value)
    }

    package func eraseReferences() throws(TidemarkError) {
        try self.countWrite()
        for (name, collection) in self.contents.collections where !collection.references.isEmpty {
            self.write(.references([:], of: name))
        }
    }

    package func recordsToSend(
        in collection: String, after sequence: Int64, limit: Int
    ) throws(TidemarkError) -> [StoredRecord] {
        let children = self.children(in: collection)
        return Array(
            self.collection(collection).records(.idle).lazy.filter { record in
                record.sequence > sequence && !self.waits(record, in: collection, children)
            }.prefix(limit))
    }

    package func waitingRecords(
        in collection: String, areAwaited: Bool, limit: Int
    ) throws(TidemarkError) -> [String] {
        let (children, own) = (self.children(in: collection), self.collection(collection).references)
        let parents = self.contents.collections.values.reduce(into: Set<RecordName>()) { names, other in
            for references in other.references.values { names.formUnion(references.added) }
        }
        return self.collection(collection).records(.idle).lazy.filter { record in
            let isDropped = record.phase.state == .deleted && children[CodePointString(record.pk)] != nil
            guard isDropped || self.waits(record, in: collection, children) else { return false }
            let hasRemoved = own[CodePointString(record.pk)]?.removed.isEmpty == false
            return !areAwaited || hasRemoved || parents.contains(RecordName(collection: collection, pk: record.pk))
        }.prefix(limit).map(\.pk)
    }

    package func waits(of pk: String, in collection: String, limit: Int) throws(TidemarkError) -> [RecordWait] {
        let name = RecordName(collection: collection, pk: pk)
        let parents = self.references(of: name).added.filter(self.isMissing).sorted().prefix(limit)
        guard try self.record(pk, in: collection)?.phase.state == .deleted else {
            return parents.map { RecordWait(.parent, $0) }
        }
        let children = (self.children(in: collection)[name.pk] ?? []).sorted().prefix(limit)
        return parents.map { RecordWait(.parent, $0) } + children.map { RecordWait(.child, $0) }
    }

    package func hasRemovedNames(in collection: String) throws(TidemarkError) -> Bool {
        !self.children(in: collection).isEmpty
    }

    package func records(
        adding name: RecordName, in collection: String, limit: Int
    ) throws(TidemarkError) -> [String] {
        self.collection(collection).references.filter { $0.value.added.contains(name) }.keys.sorted().prefix(limit)
            .map(\.value)
    }

    // MARK: Two rows

    private func references(of name: RecordName) -> RecordReferences {
        self.contents.collections[name.collection]?.references[name.pk] ?? RecordReferences()
    }

    private func isMissing(_ name: RecordName) -> Bool { self.references(of: name).isMissing }

    /// The records that have ceased to name a record of a collection, by its pk.
    private func children(in collection: String) -> [CodePointString: [RecordName]] {
        let target = CodePointString(collection)
        var children: [CodePointString: [RecordName]] = [:]
        for (name, other) in self.contents.collections {
            for (pk, references) in other.references {
                for parent in references.removed where parent.collection == target {
                    children[parent.pk, default: []].append(RecordName(name, pk))
                }
            }
        }
        return children
    }

    private func waits(
        _ record: StoredRecord, in collection: String, _ children: [CodePointString: [RecordName]]
    ) -> Bool {
        let added = self.references(of: RecordName(collection: collection, pk: record.pk)).added
        guard !added.contains(where: self.isMissing) else { return true }
        guard record.phase.state == .deleted, let own = children[CodePointString(record.pk)] else { return false }
        return own.contains { !self.references(of: $0).added.contains(where: self.isMissing) }
    }
}
