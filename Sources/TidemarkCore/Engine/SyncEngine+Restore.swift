import TidemarkJSON
import TidemarkMachine

// Brings back what lost (SPEC §1, §4).

extension SyncEngine {
    /// Brings a value that lost back, as a new edit.
    ///
    /// - Throws: ``TidemarkError/Code/noSuchEntry``, ``TidemarkError/Code/patchFailed`` when the place of the value is
    ///   gone, and what an edit throws.
    public func restore(_ number: Int64, in collection: String) throws(TidemarkError) -> [Effect] {
        try self.commit { (effects) throws(TidemarkError) in
            guard let entry = try self.store.journal(of: nil, in: collection).first(where: { $0.number == number })
            else {
                throw TidemarkError(.noSuchEntry, "The journal of \(collection) has no entry \(number).")
            }
            try self.restore(entry, in: collection, &effects)
        }
    }

    private func restore(
        _ entry: JournalEntry, in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) {
        let value = try entry.value.map { (bytes) throws(TidemarkError) in try Payload(bytes: bytes).json() }
        let isVisible = try self.load(entry.pk, in: collection).machine.canReceive(.delete)
        switch (entry.path.isEmpty, value) {
        case (true, nil):
            var record = try self.visible(entry.pk, in: collection)
            try self.drive(&record, .delete, in: collection, &effects)
        case (true, .some(let value)):
            guard isVisible else { return try self.create(value, pk: entry.pk, in: collection, &effects) }
            try self.edit(entry.pk, in: collection, { _ in value }, &effects)
        case (false, _):
            let fields = self.configuration[collection].fields
            try self.edit(
                entry.pk, in: collection,
                { (view) throws(TidemarkError) in try view.setting(entry.path, to: value, by: fields) }, &effects)
        }
    }
}

extension JSON {
    /// The value with another value, or (nil) none, at a path.
    fileprivate func setting(
        _ path: String, to value: JSON?, by fields: FieldRules
    ) throws(TidemarkError) -> JSON {
        guard let pointer = try? JSONPointer(parsing: path),
            let changed = fields.setting(pointer, to: value, in: self)
        else {
            throw TidemarkError(
                .patchFailed, "The value can't be brought back to \(path): what it belongs to is gone.")
        }
        return changed
    }
}
