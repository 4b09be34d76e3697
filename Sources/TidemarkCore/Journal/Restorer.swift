import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Restores lost values (Contract §1, §4, §6).
struct Restorer {
    let transaction: EngineTransaction

    private var collection: String { self.transaction.collection }
    private var editor: Editor { Editor(transaction: self.transaction) }

    /// Restores one value, as a new edit.
    func restore(_ number: Int64) throws(TidemarkError) {
        guard
            let entry = try self.transaction.store.journal(of: nil, in: self.collection).first(where: {
                $0.number == number
            })
        else {
            throw TidemarkError(.noSuchEntry, "The journal of \(self.collection) has no entry \(number).")
        }
        try self.restore(entry)
        if !entry.isRestored { try self.transaction.store.noteRestored([number], in: self.collection) }
    }

    /// Restores all values that were lost for one reason.
    func restoreAll(_ reason: JournalEntry.Reason) throws(TidemarkError) -> JournalEntry.Restoration {
        var restoration = JournalEntry.Restoration(collection: self.collection)
        let entries = try self.transaction.store.journal(of: nil, in: self.collection)
            .filter { $0.reason == reason && !$0.isRestored }
        for entry in entries {
            if try self.isOvertaken(entry) {
                let place = entry.path.isEmpty ? "The record" : entry.path
                let why = "\(place) was changed after the server was rolled back."
                restoration.left.append(.init(entry: entry.number, pk: entry.pk, reason: .changedSince, why: why))
            } else if let flaw = try self.flaw(ofPuttingBack: entry) {
                restoration.left.append(
                    .init(entry: entry.number, pk: entry.pk, reason: .impossible, why: flaw.message))
            } else {
                restoration.restored.append(entry.number)
            }
        }
        guard !entries.isEmpty else { return restoration }
        try self.transaction.store.noteRestored(entries.map(\.number), in: self.collection)
        try Journal(transaction: self.transaction).trim()
        return restoration
    }
}

extension Restorer {
    /// Whether a newer value replaced a value that a rolled-back server lost: the present value is neither the lost one, nor
    /// the one that the server showed there then.
    func isOvertaken(_ entry: StoredJournalEntry) throws(TidemarkError) -> Bool {
        guard entry.reason == .serverRolledBack, let path = try? JSONPointer(parsing: entry.path) else { return false }
        guard let view = try self.transaction.load(entry.pk).machine.view(self.transaction.algebra)?.json() else {
            return false
        }
        let (present, value, shown) = (view[pointer: path], try self.value(of: entry), try self.json(entry.shown))
        return present != value && present != shown
    }

    /// Restores a value without a decision of the user about it.
    ///
    /// - Returns: Why it can't be restored; nil if it was restored.
    func flaw(
        ofPuttingBack entry: StoredJournalEntry
    ) throws(TidemarkError) -> TidemarkError? {
        do throws(TidemarkError) {
            try self.putBack(entry)
            return nil
        } catch {
            let ofTheEntry: [TidemarkError.Code] = [
                .noSuchRecord, .patchFailed, .recordExists, .invalidContent, .invalidName,
            ]
            guard ofTheEntry.contains(error.code) else { throw error }
            return error
        }
    }

    private func putBack(
        _ entry: StoredJournalEntry
    ) throws(TidemarkError) {
        let record = try self.transaction.load(entry.pk)
        // The record is deleted already.
        if entry.path.isEmpty, entry.value == nil, !record.machine.isVisible { return }
        // A record that was deleted here since stays deleted.
        if record.machine.phase.state == .deleted { _ = try self.editor.visible(entry.pk) }
        guard let present = try record.machine.view(self.transaction.algebra)?.json() else {
            return try self.restore(entry)
        }
        if entry.path.isEmpty, let value = try self.value(of: entry) {
            let changes = JSONPatch.diff(from: present, to: value).operations.filter { value[pointer: $0.path] != nil }
            let content = try? JSONPatch(changes).apply(to: present)
            try self.editor.edit(entry.pk) { _ in content ?? value }
        } else {
            try self.restore(entry)
        }
        try self.journalReplaced(present, of: record)
    }

    /// Journals the values that a restored value has replaced.
    private func journalReplaced(
        _ present: JSON, of record: Record
    ) throws(TidemarkError) {
        let confirmed = try record.machine.confirmed.content?.json()
        let now = try self.transaction.load(record.pk).machine.view(self.transaction.algebra)?.json()
        for path in self.transaction.rules.fields.units(from: present, to: now) {
            guard let value = present[pointer: path] else { continue }
            let isServers = confirmed?[pointer: path] == value
            let entry = StoredJournalEntry(
                pk: record.pk, reason: .restore, lost: isServers ? .server : .client, path: path.text,
                value: value.bytes, version: record.machine.confirmed.version)
            _ = try Journal(transaction: self.transaction).append(entry)
        }
        try Journal(transaction: self.transaction).trim()
    }

    private func restore(
        _ entry: StoredJournalEntry
    ) throws(TidemarkError) {
        let value = try self.value(of: entry)
        let isVisible = try self.transaction.load(entry.pk).machine.isVisible
        switch (entry.path.isEmpty, value) {
        case (true, nil):
            var record = try self.editor.visible(entry.pk)
            try RecordDriver(transaction: self.transaction).drive(&record, .delete)
        case (true, .some(let value)):
            if isVisible {
                try self.editor.edit(entry.pk) { _ in value }
            } else {
                try self.editor.create(value, pk: entry.pk)
            }
        case (false, _):
            let fields = self.transaction.rules.fields
            try self.editor.edit(entry.pk) { (view) throws(TidemarkError) in
                try view.setting(entry.path, to: value, by: fields)
            }
        }
    }

    private func value(of entry: StoredJournalEntry) throws(TidemarkError) -> JSON? { try self.json(entry.value) }

    private func json(_ bytes: [UInt8]?) throws(TidemarkError) -> JSON? {
        try bytes.map { (bytes) throws(TidemarkError) in try RecordPayload(bytes: bytes).json() }
    }
}

extension JSON {
    /// Returns the JSON with another value, or (nil) no value, at a path.
    fileprivate func setting(
        _ path: String, to value: JSON?, by fields: FieldRules
    ) throws(TidemarkError) -> JSON {
        guard let pointer = try? JSONPointer(parsing: path),
            let changed = fields.setting(pointer, to: value, in: self)
        else {
            throw TidemarkError(
                .patchFailed,
                "The value can't be restored to \(path): the object or array that contained it no longer exists.")
        }
        return changed
    }
}
