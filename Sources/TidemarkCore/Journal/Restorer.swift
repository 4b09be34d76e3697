import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Brings back what lost (SPEC §1, §4, §6).
struct Restorer {
    let turn: Turn

    private var collection: String { self.turn.collection }
    private var editor: Editor { Editor(turn: self.turn) }

    /// Brings one value back, as a new edit.
    func restore(_ number: Int64) throws(TidemarkError) {
        guard
            let entry = try self.turn.store.journal(of: nil, in: self.collection).first(where: { $0.number == number })
        else {
            throw TidemarkError(.noSuchEntry, "The journal of \(self.collection) has no entry \(number).")
        }
        try self.restore(entry)
        if !entry.isRestored { try self.turn.store.noteRestored([number], in: self.collection) }
    }

    /// Brings all that lost for one reason back.
    func restoreAll(_ reason: JournalEntry.Reason) throws(TidemarkError) -> Restoration {
        var restoration = Restoration(collection: self.collection)
        let entries = try self.turn.store.journal(of: nil, in: self.collection)
            .filter { $0.reason == reason && !$0.isRestored }
        for entry in entries {
            if try self.isOvertaken(entry) {
                let why = "\(entry.path.isEmpty ? "The record" : entry.path) was changed after the server went back."
                restoration.left.append(.init(entry: entry.number, pk: entry.pk, reason: .changedSince, why: why))
            } else if let flaw = try self.flaw(ofPuttingBack: entry) {
                restoration.left.append(
                    .init(entry: entry.number, pk: entry.pk, reason: .impossible, why: flaw.message))
            } else {
                restoration.restored.append(entry.number)
            }
        }
        guard !entries.isEmpty else { return restoration }
        try self.turn.store.noteRestored(entries.map(\.number), in: self.collection)
        try Journal(turn: self.turn).trim()
        return restoration
    }
}

extension Restorer {
    /// Whether something newer is in the place of a value that a server lost when it went back: neither that value, nor the one
    /// that the server showed there then.
    func isOvertaken(_ entry: StoredJournalEntry) throws(TidemarkError) -> Bool {
        guard entry.reason == .serverWentBack, let path = try? JSONPointer(parsing: entry.path) else { return false }
        guard let view = try self.turn.load(entry.pk).machine.view(self.turn.algebra)?.json() else { return false }
        let (present, value, shown) = (view[pointer: path], try self.value(of: entry), try self.json(entry.shown))
        return present != value && present != shown
    }

    /// Puts a value back that nobody has looked at.
    ///
    /// - Returns: Why that can't be; nil when it is done.
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
        let record = try self.turn.load(entry.pk)
        // A deletion that was made again is done.
        if entry.path.isEmpty, entry.value == nil, !record.machine.isVisible { return }
        // What was deleted here since is not wanted back.
        if record.machine.phase.state == .deleted { _ = try self.editor.visible(entry.pk) }
        guard let present = try record.machine.view(self.turn.algebra)?.json() else { return try self.restore(entry) }
        if entry.path.isEmpty, let value = try self.value(of: entry) {
            let changes = JSONPatch.diff(from: present, to: value).operations.filter { value[pointer: $0.path] != nil }
            let content = try? JSONPatch(changes).apply(to: present)
            try self.editor.edit(entry.pk) { _ in content ?? value }
        } else {
            try self.restore(entry)
        }
        try self.journalReplaced(present, of: record)
    }

    /// Journals what a value that was put back has taken the place of.
    private func journalReplaced(
        _ present: JSON, of record: Record
    ) throws(TidemarkError) {
        let confirmed = try record.machine.confirmed.content?.json()
        let now = try self.turn.load(record.pk).machine.view(self.turn.algebra)?.json()
        for operation in JSONPatch.diff(from: present, to: now).operations {
            guard let value = present[pointer: operation.path] else { continue }
            let isServers = confirmed?[pointer: operation.path] == value
            let entry = StoredJournalEntry(
                pk: record.pk, reason: .restore, lost: isServers ? .server : .client, path: operation.path.text,
                value: value.bytes, stamp: record.machine.confirmed.stamp)
            _ = try Journal(turn: self.turn).append(entry)
        }
        try Journal(turn: self.turn).trim()
    }

    private func restore(
        _ entry: StoredJournalEntry
    ) throws(TidemarkError) {
        let value = try self.value(of: entry)
        let isVisible = try self.turn.load(entry.pk).machine.isVisible
        switch (entry.path.isEmpty, value) {
        case (true, nil):
            var record = try self.editor.visible(entry.pk)
            try RecordDriver(turn: self.turn).drive(&record, .delete)
        case (true, .some(let value)):
            guard isVisible else { return try self.editor.create(value, pk: entry.pk) }
            try self.editor.edit(entry.pk) { _ in value }
        case (false, _):
            let fields = self.turn.rules.fields
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
