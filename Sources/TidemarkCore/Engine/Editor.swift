import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Carries out the app's calls on records.
struct Editor {
    let transaction: EngineTransaction

    private var collection: String { self.transaction.collection }
    private var driver: RecordDriver { RecordDriver(transaction: self.transaction) }

    /// - Parameter pk: The pk; nil makes a UUID.
    @discardableResult
    func create(_ content: JSON, pk: String?) throws(TidemarkError) -> RecordEdit {
        let pk = pk ?? self.transaction.memory.ids.uuid()
        try self.transaction.check(pk: pk)
        var record = try self.transaction.load(pk)
        try self.create(content, of: &record)
        return self.edit(of: pk, from: nil, to: content)
    }

    private func edit(of pk: String, from before: JSON?, to after: JSON?) -> RecordEdit {
        RecordEdit(
            collection: self.collection, pk: pk, before: before, after: after,
            discards: self.transaction.memory.discards)
    }

    private func create(_ content: JSON, of record: inout Record) throws(TidemarkError) {
        let pk = record.pk
        try self.transaction.limits.check(content, as: pk)
        let input = Record.Machine.Input.create(RecordPayload(content))
        guard record.machine.canReceive(input) else {
            throw TidemarkError(
                .recordExists, "There is a record “\(pk)” in \(self.collection) already: edit it, or choose another pk."
            )
        }
        try self.driver.drive(&record, input)
    }

    /// Changes a record.
    ///
    /// - Parameter change: Gets the app's view, and returns the new content.
    @discardableResult
    func edit(_ pk: String, _ change: (JSON) throws(TidemarkError) -> JSON) throws(TidemarkError) -> RecordEdit {
        try self.edit(pk) { (view, _) throws(TidemarkError) in TypedChange(record: try change(view)) }
    }

    /// Changes a record through a type: values that the type does not know, and that may have been removed unknowingly, go to
    /// the journal.
    ///
    /// - Parameter change: Gets the app's view and the field rules of the collection, and returns the change.
    func edit(
        _ pk: String, typed change: (JSON, FieldRules) throws(TidemarkError) -> TypedChange
    ) throws(TidemarkError) -> RecordEdit {
        var record = try self.visible(pk)
        let (view, before) = try self.view(of: record)
        let changed = try change(before, self.transaction.rules.fields)
        try self.transaction.limits.check(changed.record, as: pk)
        try self.journal(changed.losses, from: before, to: changed.record, of: record)
        try self.driver.drive(&record, .edit(changed.record == before ? view : RecordPayload(changed.record)))
        return self.edit(of: pk, from: before, to: changed.record)
    }

    func delete(_ pk: String) throws(TidemarkError) -> RecordEdit {
        var record = try self.visible(pk)
        let before = try self.view(of: record).json
        try self.driver.drive(&record, .delete)
        return self.edit(of: pk, from: before, to: nil)
    }

    /// - Parameter combine: Makes the change of a record that is there, from its present content and `content`.
    /// - Returns: The counter for the result.
    func upsert(
        _ content: JSON, pk: String, combine: (_ present: JSON, _ new: JSON, _ fields: FieldRules) -> TypedChange
    ) throws(TidemarkError) -> WritableKeyPath<RecordInput.UpsertCount, Int> {
        try self.transaction.check(pk: pk)
        var record = try self.transaction.load(pk)
        guard record.machine.isVisible else {
            try self.create(content, of: &record)
            return \.created
        }
        try self.transaction.limits.check(content, as: pk)
        let present = try self.view(of: record).json
        let combined = combine(present, content, self.transaction.rules.fields)
        guard present != combined.record else { return \.unchanged }
        try self.journal(combined.losses, from: present, to: combined.record, of: record)
        try self.driver.drive(&record, .edit(RecordPayload(combined.record)))
        return \.edited
    }

    func retry(_ pk: String) throws(TidemarkError) {
        var record = try self.transaction.load(pk)
        guard record.machine.canReceive(.retry) else {
            throw TidemarkError(
                .nothingToDecide, "“\(pk)” in \(self.collection) is not held: it is \(record.machine.phase).")
        }
        try self.driver.drive(&record, .retry)
    }

    func resign(_ pk: String) throws(TidemarkError) {
        let damage = try self.transaction.damage { () throws(TidemarkError) in
            var record = try self.transaction.load(pk)
            guard record.machine.canReceive(.resign) else {
                // A record in sync has no change to resign, but reading it may show that it is damaged.
                if record.machine.isVisible { _ = try self.view(of: record) }
                throw TidemarkError(
                    .nothingToDecide,
                    "“\(pk)” in \(self.collection) has no pending change: it is \(record.machine.phase).")
            }
            try self.driver.drive(&record, DrivenInput(.resign, .resign))
        }
        if let damage { try self.giveUp(pk, damage) }
    }

    /// Resigns a damaged record: its readable parts go to the journal as text, and the next sync is a full resync, so that the
    /// server's version arrives again.
    private func giveUp(_ pk: String, _ damage: TidemarkError) throws(TidemarkError) {
        // A full resync is requested between two syncs, so that each answer fits the state in which its request was sent.
        guard !self.transaction.exchange.machine.isUnderWay else {
            throw TidemarkError(
                .recordDamaged,
                "\(damage.message) A sync of \(self.collection) is running: resign it when the sync has ended.",
                cause: damage.cause)
        }
        guard let stored = try self.transaction.store.record(pk, in: self.collection) else { return }
        for bytes in [stored.upload?.edit, stored.editedData].compactMap({ $0 }) {
            let text = JSON.string(JSONString(String(decoding: bytes, as: UTF8.self)))
            let entry = StoredJournalEntry(
                pk: pk, reason: .resign, lost: .client, path: "", value: text.bytes, version: stored.confirmed.version)
            _ = try Journal(transaction: self.transaction).append(entry)
        }
        try self.transaction.store.erase(pk, in: self.collection)
        try self.transaction.followErasure(of: pk)
        try self.transaction.store.clearQuarantine(pk, in: self.collection)
        try self.transaction.change { $0.request(.wanted) }
        self.transaction.tell(pk, .resignation, .absent)
    }
}

// MARK: - The app's view

extension Editor {
    /// Returns the app's view of a visible record.
    func view(of record: Record) throws(TidemarkError) -> (payload: RecordPayload, json: JSON) {
        try self.transaction.naming(record.pk) { () throws(TidemarkError) in
            guard let view = try record.machine.view(self.transaction.algebra) else {
                preconditionFailure("“\(record.pk)” is visible, but has no content: \(record.machine.phase).")
            }
            return (view, try view.json())
        }
    }

    func visible(_ pk: String) throws(TidemarkError) -> Record {
        let record = try self.transaction.load(pk)
        guard record.machine.isVisible else {
            let why = record.machine.phase == .absent ? "There is no record" : "You deleted the record"
            throw TidemarkError(.noSuchRecord, "\(why) “\(pk)” in \(self.collection).")
        }
        return record
    }
}

extension EngineTransaction {
    /// Checks the names of a record that is to be created.
    func check(pk: String) throws(TidemarkError) {
        try self.limits.check(pk, as: "a pk")
        try self.limits.check(self.collection, as: "the name of a collection")
    }
}

extension SyncLimits {
    /// Checks the content that a record is to have.
    func check(_ content: JSON, as pk: String) throws(TidemarkError) {
        guard content.object != nil else {
            throw TidemarkError(
                .invalidContent, "A record is a JSON object; “\(pk)” would be \(content.text.prefix(60)).")
        }
        guard content.nests(atMost: self.recordDepth) else {
            throw TidemarkError(
                .invalidContent,
                "“\(pk)” would have arrays and objects nested more than \(self.recordDepth) deep: flatten the record.")
        }
    }

    func check(_ name: String, as what: String) throws(TidemarkError) {
        guard !name.isEmpty else { throw TidemarkError(.invalidName, "An empty string is not \(what).") }
        guard name.utf8.count <= self.nameSize else {
            throw TidemarkError(
                .invalidName,
                "“\(name.prefix(40))…” has \(name.utf8.count) bytes, and \(what) has at most \(self.nameSize): choose a shorter one."
            )
        }
    }
}
