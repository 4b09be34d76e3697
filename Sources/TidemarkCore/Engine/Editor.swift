import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Carries out what an app wants of its records.
struct Editor {
    let turn: Turn

    private var collection: String { self.turn.collection }
    private var driver: RecordDriver { RecordDriver(turn: self.turn) }

    func create(_ content: JSON, pk: String) throws(TidemarkError) {
        try self.turn.check(pk: pk)
        var record = try self.turn.load(pk)
        try self.create(content, of: &record)
    }

    private func create(_ content: JSON, of record: inout Record) throws(TidemarkError) {
        let pk = record.pk
        try self.check(content, pk: pk)
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
    /// - Parameter change: Gets what the app sees, and returns what it shall be.
    @discardableResult
    func edit(_ pk: String, _ change: (JSON) throws(TidemarkError) -> JSON) throws(TidemarkError) -> RecordEdit {
        var record = try self.visible(pk)
        let (view, before) = try self.view(of: record)
        let content = try change(before)
        try self.check(content, pk: pk)
        try self.driver.drive(&record, .edit(content == before ? view : RecordPayload(content)))
        return RecordEdit(collection: self.collection, pk: pk, before: before, after: content)
    }

    func delete(_ pk: String) throws(TidemarkError) -> RecordEdit {
        var record = try self.visible(pk)
        let before = try self.view(of: record).json
        try self.driver.drive(&record, .delete)
        return RecordEdit(collection: self.collection, pk: pk, before: before, after: nil)
    }

    /// - Returns: What it counts as.
    func upsert(_ content: JSON, pk: String) throws(TidemarkError) -> WritableKeyPath<SyncCollection.UpsertCount, Int> {
        try self.turn.check(pk: pk)
        var record = try self.turn.load(pk)
        guard record.machine.isVisible else {
            try self.create(content, of: &record)
            return \.created
        }
        try self.check(content, pk: pk)
        guard try self.view(of: record).json != content else { return \.unchanged }
        try self.driver.drive(&record, .edit(RecordPayload(content)))
        return \.edited
    }

    func release(_ pk: String) throws(TidemarkError) {
        var record = try self.turn.load(pk)
        guard record.machine.canReceive(.release) else {
            throw TidemarkError(
                .nothingToDecide, "“\(pk)” in \(self.collection) is not held: it is \(record.machine.phase).")
        }
        try self.driver.drive(&record, .release)
    }

    func resign(_ pk: String) throws(TidemarkError) {
        let damage = try self.turn.damage { () throws(TidemarkError) in
            var record = try self.turn.load(pk)
            guard record.machine.canReceive(.resign) else {
                // What is in step has nothing to give up, unless it can't even be read.
                if record.machine.isVisible { _ = try self.view(of: record) }
                throw TidemarkError(
                    .nothingToDecide,
                    "“\(pk)” in \(self.collection) has no pending change: it is \(record.machine.phase).")
            }
            try self.driver.drive(&record, Ruling(.resign, .resign))
        }
        if let damage { try self.giveUp(pk, damage) }
    }

    /// Gives a damaged record up: what is left of it goes to the journal as text, and the next sync reads the collection
    /// from the start, so that the server's version comes again.
    private func giveUp(_ pk: String, _ damage: TidemarkError) throws(TidemarkError) {
        // A full resync is requested between two syncs, so that the answer to each request is to what was asked.
        guard !self.turn.exchange.machine.isUnderWay else {
            throw TidemarkError(
                .recordDamaged,
                "\(damage.message) A sync of \(self.collection) is going on: resign it once that has ended.",
                cause: damage.cause)
        }
        guard let stored = try self.turn.store.record(pk, in: self.collection) else { return }
        for bytes in [stored.upload?.edit, stored.editedData].compactMap({ $0 }) {
            let text = JSON.string(JSONString(String(decoding: bytes, as: UTF8.self)))
            let entry = StoredJournalEntry(
                pk: pk, reason: .resign, lost: .client, path: "", value: text.bytes, stamp: stored.confirmed.stamp)
            _ = try Journal(turn: self.turn).append(entry)
        }
        try self.turn.store.erase(pk, in: self.collection)
        try self.turn.store.clearAside(pk, in: self.collection)
        try self.turn.change { $0.request(.wanted) }
        self.turn.tell(pk, .resignation, .absent)
    }
}

// MARK: - What the app sees

extension Editor {
    /// What the app sees of a record that it sees.
    func view(of record: Record) throws(TidemarkError) -> (payload: RecordPayload, json: JSON) {
        try self.turn.naming(record.pk) { () throws(TidemarkError) in
            guard let view = try record.machine.view(self.turn.algebra) else {
                preconditionFailure("“\(record.pk)” is visible, and shows nothing: \(record.machine.phase).")
            }
            return (view, try view.json())
        }
    }

    func visible(_ pk: String) throws(TidemarkError) -> Record {
        let record = try self.turn.load(pk)
        guard record.machine.isVisible else {
            let why = record.machine.phase == .absent ? "There is no record" : "You deleted the record"
            throw TidemarkError(.noSuchRecord, "\(why) “\(pk)” in \(self.collection).")
        }
        return record
    }

    func check(_ content: JSON, pk: String) throws(TidemarkError) {
        guard content.object != nil else {
            throw TidemarkError(
                .invalidContent, "A record is a JSON object; “\(pk)” would be \(content.text.prefix(60)).")
        }
    }
}

extension Turn {
    /// Checks the names of a record that is to be made.
    func check(pk: String) throws(TidemarkError) {
        try self.limits.check(pk, as: "a pk")
        try self.limits.check(self.collection, as: "the name of a collection")
    }
}

extension SyncLimits {
    /// Checks a name.
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

// MARK: - Taking back

extension Editor {
    /// Takes an edit back, as a new edit.
    func undo(_ edit: RecordEdit) throws(TidemarkError) -> RecordEdit {
        switch (edit.before, edit.after) {
        case (nil, nil): return edit
        // Taking back that a record was made, as the undo of a delete did, is a delete.
        case (nil, .some(let after)):
            let view = try self.view(of: try self.visible(edit.pk)).payload
            let changed = try self.turn.algebra.change(from: RecordPayload(after), to: view)
            if let changed { throw edit.overtaken(at: changed.operations.map(\.path)) }
            return try self.delete(edit.pk)
        case (.some(let before), .some(let after)):
            let fields = self.turn.rules.fields
            return try self.edit(edit.pk) { (view) throws(TidemarkError) in
                try view.taking(back: edit, from: after, to: before, by: fields)
            }
        case (.some(let before), nil):
            try self.create(before, pk: edit.pk)
            return RecordEdit(collection: self.collection, pk: edit.pk, before: nil, after: before)
        }
    }
}

extension JSON {
    /// This record without what an edit did to it. The edit is the base that both later changes grew from: what happened
    /// since is one side, going back the other, and where that is not possible without a loss it does not happen.
    fileprivate func taking(
        back edit: RecordEdit, from after: JSON, to before: JSON, by fields: FieldRules
    ) throws(TidemarkError) -> JSON {
        let merge = fields.merge(base: after, server: self, client: before)
        guard merge.clashes.isEmpty, let merged = merge.merged else {
            throw edit.overtaken(at: merge.clashes.map(\.path))
        }
        return merged
    }
}

extension RecordEdit {
    fileprivate func overtaken(at paths: [JSONPointer]) -> TidemarkError {
        let places = paths.map { $0 == .root ? "the record" : $0.text }.joined(separator: ", ")
        return TidemarkError(
            .editOvertaken,
            """
            The edit of “\(self.pk)” in \(self.collection) can't be taken back: \(places) \
            \(paths.count == 1 ? "was" : "were") changed since. Nothing was taken back; edit the record instead.
            """)
    }
}
