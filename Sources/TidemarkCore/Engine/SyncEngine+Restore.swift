import TidemarkJSON
import TidemarkMachine

// Brings back what lost (SPEC §1, §4, §6).

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
            guard try !self.isRestored(entry, in: collection) else { return }
            try self.noteRestored([number], entry.reason, in: collection)
            if entry.reason == .serverWentBack { try self.noteValueRestored(in: collection) }
        }
    }

    /// Brings back all that lost for one reason, as new edits, in the order in which it lost; what was brought back so
    /// before is left alone.
    ///
    /// Nobody has looked at each of the values, so nothing is replaced silently: what stands in their place now goes to
    /// the journal (``JournalEntry/Reason/restore``), and what a record has besides stays.
    public func restoreAll(
        _ reason: JournalEntry.Reason, in collection: String
    ) throws(TidemarkError) -> (restoration: Restoration, effects: [Effect]) {
        var restoration = Restoration(collection: collection)
        let effects = try self.commit { (effects) throws(TidemarkError) in
            let done = try self.restored(for: reason, in: collection)
            let entries = try self.store.journal(of: nil, in: collection)
            for entry in entries where entry.reason == reason && !done.contains(entry.number) {
                if let flaw = try self.flaw(ofPuttingBack: entry, in: collection, &effects) {
                    restoration.left.append(
                        Restoration.Left(entry: entry.number, pk: entry.pk, why: flaw.message))
                } else {
                    restoration.restored.append(entry.number)
                }
            }
            guard let last = entries.last?.number, last > done.all else { return }
            try self.noteRestored(to: last, reason, in: collection)
            if reason == .serverWentBack { try self.forgetValuesLost(in: collection) }
            try self.trimJournal(of: collection)
        }
        return (restoration, effects)
    }
}

// MARK: - Inside a transaction

extension SyncEngine {
    /// Puts a value back that nobody has looked at.
    ///
    /// - Returns: Why that can't be; nil when it is done.
    func flaw(
        ofPuttingBack entry: StoredJournalEntry, in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) -> TidemarkError? {
        do throws(TidemarkError) {
            try self.putBack(entry, in: collection, &effects)
            return nil
        } catch {
            let ofTheEntry: [TidemarkError.Code] = [
                .noSuchRecord, .patchFailed, .recordExists, .invalidContent, .invalidName,
            ]
            guard ofTheEntry.contains(error.code) else { throw error }
            return error
        }
    }

    /// Which entries of a reason were brought back: all up to a number, and some behind it.
    private struct Restored {
        var all: Int64 = 0
        var some: Set<Int64> = []

        func contains(_ number: Int64) -> Bool { number <= self.all || self.some.contains(number) }
    }

    private func isRestored(_ entry: StoredJournalEntry, in collection: String) throws(TidemarkError) -> Bool {
        try self.restored(for: entry.reason, in: collection).contains(entry.number)
    }

    private func restored(
        for reason: JournalEntry.Reason, in collection: String
    ) throws(TidemarkError) -> Restored {
        let numbers = try self.store.setting(Self.restoredKey(reason, collection))?.split(separator: " ") ?? []
        let known = numbers.compactMap { Int64($0) }
        return Restored(all: known.first ?? 0, some: Set(known.dropFirst()))
    }

    /// Keeps up to where the entries of a reason were brought back.
    func noteRestored(
        to number: Int64, _ reason: JournalEntry.Reason, in collection: String
    ) throws(TidemarkError) {
        try self.store.set(Self.restoredKey(reason, collection), to: String(number))
    }

    /// Keeps that some entries of a reason were brought back, and maybe not those before them.
    func noteRestored(
        _ numbers: [Int64], _ reason: JournalEntry.Reason, in collection: String
    ) throws(TidemarkError) {
        guard !numbers.isEmpty else { return }
        let restored = try self.restored(for: reason, in: collection)
        let all = [restored.all] + restored.some.union(numbers).sorted()
        try self.store.set(
            Self.restoredKey(reason, collection), to: all.map { String($0) }.joined(separator: " "))
    }

    private static func restoredKey(_ reason: JournalEntry.Reason, _ collection: String) -> String {
        "restored/\(reason.name)/\(collection)"
    }

    private func putBack(
        _ entry: StoredJournalEntry, in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) {
        let record = try self.load(entry.pk, in: collection)
        // What was deleted here since is not wanted back.
        if record.machine.phase.state == .deleted { _ = try self.visible(entry.pk, in: collection) }
        guard let present = try record.machine.view(self.algebra(of: collection))?.json() else {
            return try self.restore(entry, in: collection, &effects)
        }
        if entry.path.isEmpty, let value = try self.value(of: entry) {
            let changes = JSONPatch.diff(from: present, to: value).operations.filter { value[pointer: $0.path] != nil }
            let content = try? JSONPatch(changes).apply(to: present)
            try self.edit(entry.pk, in: collection, { _ in content ?? value }, &effects)
        } else {
            try self.restore(entry, in: collection, &effects)
        }
        try self.journalReplaced(present, of: record, in: collection)
    }

    /// Journals what a value that was put back has taken the place of.
    private func journalReplaced(
        _ present: JSON, of record: Record, in collection: String
    ) throws(TidemarkError) {
        let confirmed = try record.machine.confirmed.content?.json()
        let now = try self.load(record.pk, in: collection).machine.view(self.algebra(of: collection))?.json()
        for operation in JSONPatch.diff(from: present, to: now).operations {
            guard let value = present[pointer: operation.path] else { continue }
            let isServers = confirmed?[pointer: operation.path] == value
            let entry = StoredJournalEntry(
                pk: record.pk, reason: .restore, lost: isServers ? .server : .client, path: operation.path.text,
                value: value.bytes, stamp: record.machine.confirmed.stamp)
            _ = try self.store.append(entry, in: collection)
        }
        try self.trimJournal(of: collection)
    }

    private func restore(
        _ entry: StoredJournalEntry, in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) {
        let value = try self.value(of: entry)
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

    private func value(of entry: StoredJournalEntry) throws(TidemarkError) -> JSON? {
        try entry.value.map { (bytes) throws(TidemarkError) in try Payload(bytes: bytes).json() }
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
