import TidemarkJSON
import TidemarkRules

// The deletion of a record that others name by a reference.

extension RecordTransaction {
    /// What happens to the records that name a deleted one; see ``SyncRecord/delete(referring:)``.
    public enum Referring: Hashable, Sendable {
        /// They are not changed.
        case keep

        /// The record is not deleted if there are any.
        case refuse

        /// Their reference is removed: the member, or the element of an array.
        case clear

        /// They are deleted as well, with those that name them.
        case delete
    }

    /// The number of records that an error names.
    private static let namesInError = 10

    func delete(_ name: RecordName, referring others: Referring) throws(TidemarkError) -> RecordEdit {
        switch others {
        case .keep: return try self.delete(name)
        case .refuse:
            let found = try self.records(naming: name)
            guard found.isEmpty else { throw Self.refusal(of: name, found) }
            return try self.delete(name)
        case .clear:
            for other in try self.records(naming: name) { try self.remove(name, from: other) }
            return try self.delete(name)
        case .delete:
            // Each after those that it names, so that the deletes have the reverse order.
            var (found, visited, next) = ([name], Set([name]), 0)
            while next < found.count {
                for other in try self.records(naming: found[next]) where visited.insert(other).inserted {
                    found.append(other)
                }
                next += 1
            }
            for other in found.dropFirst().reversed() { _ = try self.delete(other) }
            return try self.delete(name)
        }
    }

    private func delete(_ name: RecordName) throws(TidemarkError) -> RecordEdit {
        try self.change(in: name.collection.value) { (editor) throws(TidemarkError) in
            try editor.delete(name.pk.value)
        }
    }

    private func remove(_ name: RecordName, from other: RecordName) throws(TidemarkError) {
        guard let references = self.group.engine.graph[other.collection] else { return }
        _ = try self.change(in: other.collection.value) { (editor) throws(TidemarkError) in
            try editor.edit(other.pk.value) { (view) throws(TidemarkError) in references.removing(name, from: view) }
        }
    }

    /// The other records that the app sees and that name a record, in their order.
    func records(naming name: RecordName) throws(TidemarkError) -> [RecordName] {
        let graph = self.group.engine.graph
        var found: Set<RecordName> = []
        for collection in graph.referring(to: name.collection) {
            for pointer in graph[collection]?.pointers(to: name.collection) ?? [] {
                let query = RecordQuery(where: JSONField<String>(pointer) == name.pk.value)
                let page = try self.scan(query, limit: self.most, in: collection.value).page
                found.formUnion(page.map { RecordName(collection, $0.name) })
            }
        }
        return found.subtracting([name]).sorted()
    }

    private static func refusal(of name: RecordName, _ others: [RecordName]) -> TidemarkError {
        let first = others.prefix(Self.namesInError).map(\.description).joined(separator: ", ")
        let more = others.count > Self.namesInError ? " and \(others.count - Self.namesInError) more" : ""
        return TidemarkError(
            .recordReferred,
            "\(name) was not deleted, since other records name it: \(first)\(more). Change or delete these first, or use "
                + "delete(referring: .clear) or .delete.")
    }
}
