public import TidemarkJSON
import TidemarkMachine

// What an app wants. Each call is durable when it returns (SPEC §3.2), whether or not there is a network.

extension SyncEngine {
    /// Makes a record.
    ///
    /// - Parameter pk: The name of the record; nil lets the engine make a UUID.
    /// - Throws: ``TidemarkError/Code/recordExists``, ``TidemarkError/Code/invalidContent`` when the content is not an
    ///   object, ``TidemarkError/Code/invalidName``, and what the store throws.
    public func create(
        _ content: JSON, pk: String?, in collection: String
    ) throws(TidemarkError) -> (pk: String, effects: [Effect]) {
        var name = ""
        let effects = try self.commit { (effects) throws(TidemarkError) in
            name = pk ?? self.memory.generator.uuid()
            try self.create(content, pk: name, in: collection, &effects)
        }
        return (name, effects)
    }

    /// Changes a record.
    ///
    /// - Parameter change: Gets what the app sees, and returns what it shall be.
    /// - Throws: ``TidemarkError/Code/noSuchRecord``, ``TidemarkError/Code/invalidContent``, what the store throws, and
    ///   what `change` throws.
    public func edit(
        _ pk: String, in collection: String, _ change: (JSON) throws(TidemarkError) -> JSON
    ) throws(TidemarkError) -> [Effect] {
        try self.change(pk, in: collection, change).effects
    }

    /// Deletes a record.
    ///
    /// - Throws: ``TidemarkError/Code/noSuchRecord``, and what the store throws.
    public func delete(_ pk: String, in collection: String) throws(TidemarkError) -> [Effect] {
        try self.remove(pk, in: collection).effects
    }

    /// Makes or changes many records as one transaction: all of them, or none.
    ///
    /// - Returns: How many were made and how many were changed, with what the app is told.
    public func upsert(
        _ contents: [(pk: String, content: JSON)], in collection: String
    ) throws(TidemarkError) -> (created: Int, edited: Int, effects: [Effect]) {
        var (created, edited) = (0, 0)
        let effects = try self.commit { (effects) throws(TidemarkError) in
            for (pk, content) in contents {
                if try self.load(pk, in: collection).machine.canReceive(.delete) {
                    try self.edit(pk, in: collection, { _ in content }, &effects)
                    edited += 1
                } else {
                    try self.create(content, pk: pk, in: collection, &effects)
                    created += 1
                }
            }
        }
        return (created, edited, effects)
    }

    /// Lets a held record try again.
    ///
    /// - Throws: ``TidemarkError/Code/nothingToDecide`` when it is not held.
    public func release(_ pk: String, in collection: String) throws(TidemarkError) -> [Effect] {
        try self.commit { (effects) throws(TidemarkError) in
            var record = try self.load(pk, in: collection)
            guard record.machine.canReceive(.release) else {
                throw TidemarkError(
                    .nothingToDecide, "“\(pk)” in \(collection) is not held: it is \(record.machine.phase).")
            }
            try self.drive(&record, .release, in: collection, &effects)
        }
    }

    /// Gives up what was changed here and was not confirmed (R19–R21). What is lost goes to the journal.
    ///
    /// - Throws: ``TidemarkError/Code/nothingToDecide`` when nothing is pending.
    public func resign(_ pk: String, in collection: String) throws(TidemarkError) -> [Effect] {
        try self.commit { (effects) throws(TidemarkError) in
            let damage = try self.damage { () throws(TidemarkError) in
                var record = try self.load(pk, in: collection)
                guard record.machine.canReceive(.resign) else {
                    // What is in step has nothing to give up, unless it can't even be read.
                    if record.machine.canReceive(.delete) { _ = try self.view(of: record, in: collection) }
                    throw TidemarkError(
                        .nothingToDecide,
                        "“\(pk)” in \(collection) has no pending change: it is \(record.machine.phase).")
                }
                try self.drive(&record, Ruling(.resign, .resign), in: collection, &effects)
            }
            if let damage { try self.giveUpDamaged(pk, in: collection, damage, &effects) }
        }
    }
}

// MARK: - Inside a transaction

extension SyncEngine {
    func create(
        _ content: JSON, pk: String, in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) {
        try self.check(pk: pk, in: collection)
        try self.check(content, pk: pk)
        var record = try self.load(pk, in: collection)
        let input = Machine.Input.create(Payload(content))
        guard record.machine.canReceive(input) else {
            throw TidemarkError(
                .recordExists, "There is a record “\(pk)” in \(collection) already: edit it, or choose another pk.")
        }
        try self.drive(&record, input, in: collection, &effects)
    }

    @discardableResult
    func edit(
        _ pk: String, in collection: String, _ change: (JSON) throws(TidemarkError) -> JSON, _ effects: inout [Effect]
    ) throws(TidemarkError) -> RecordEdit {
        var record = try self.visible(pk, in: collection)
        let (view, before) = try self.view(of: record, in: collection)
        let content = try change(before)
        try self.check(content, pk: pk)
        try self.drive(&record, .edit(content == before ? view : Payload(content)), in: collection, &effects)
        return RecordEdit(collection: collection, pk: pk, before: before, after: content)
    }

    func delete(
        _ pk: String, in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) -> RecordEdit {
        var record = try self.visible(pk, in: collection)
        let before = try self.view(of: record, in: collection).json
        try self.drive(&record, .delete, in: collection, &effects)
        return RecordEdit(collection: collection, pk: pk, before: before, after: nil)
    }

    /// What the app sees of a record that it sees.
    func view(of record: Record, in collection: String) throws(TidemarkError) -> (payload: Payload, json: JSON) {
        try self.naming(record.pk, in: collection) { () throws(TidemarkError) in
            guard let view = try record.machine.view(self.algebra(of: collection)) else {
                preconditionFailure("“\(record.pk)” can be deleted, and shows nothing: \(record.machine.phase).")
            }
            return (view, try view.json())
        }
    }

    func visible(_ pk: String, in collection: String) throws(TidemarkError) -> Record {
        let record = try self.load(pk, in: collection)
        guard record.machine.canReceive(.delete) else {
            let why = record.machine.phase == .absent ? "There is no record" : "You deleted the record"
            throw TidemarkError(.noSuchRecord, "\(why) “\(pk)” in \(collection).")
        }
        return record
    }

    func check(pk: String, in collection: String) throws(TidemarkError) {
        let limit = self.configuration.limits.nameSize
        for (what, name) in [("a pk", pk), ("the name of a collection", collection)] {
            guard !name.isEmpty else { throw TidemarkError(.invalidName, "An empty string is not \(what).") }
            guard name.utf8.count <= limit else {
                throw TidemarkError(
                    .invalidName,
                    "“\(name.prefix(40))…” has \(name.utf8.count) bytes, and \(what) has at most \(limit): choose a shorter one."
                )
            }
        }
    }

    private func check(_ content: JSON, pk: String) throws(TidemarkError) {
        guard content.object != nil else {
            throw TidemarkError(
                .invalidContent, "A record is a JSON object; “\(pk)” would be \(content.text.prefix(60)).")
        }
    }
}
