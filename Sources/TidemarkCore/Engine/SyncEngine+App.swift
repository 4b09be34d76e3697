package import TidemarkJSON
import TidemarkMachine
package import TidemarkRules

// What an app wants. Each call is durable when it returns (SPEC §3.2), whether or not there is a network.

extension SyncEngine {
    /// Makes a record.
    ///
    /// - Parameter pk: The name of the record; nil lets the engine make a UUID.
    /// - Throws: ``TidemarkError/Code/recordExists``, ``TidemarkError/Code/invalidContent`` when the content is not an
    ///   object, ``TidemarkError/Code/invalidName``, and what the store throws.
    package func create(
        _ content: JSON, pk: String?, in collection: String
    ) throws(TidemarkError) -> Committed<String> {
        try self.commit(in: collection) { (turn) throws(TidemarkError) in
            let name = pk ?? turn.memory.ids.uuid()
            try Editor(turn: turn).create(content, pk: name)
            return name
        }
    }

    /// Changes a record.
    ///
    /// - Parameter change: Gets what the app sees, and returns what it shall be.
    /// - Throws: ``TidemarkError/Code/noSuchRecord``, ``TidemarkError/Code/invalidContent``, what the store throws, and
    ///   what `change` throws.
    package func edit(
        _ pk: String, in collection: String, _ change: (JSON) throws(TidemarkError) -> JSON
    ) throws(TidemarkError) -> Committed<RecordEdit> {
        try self.commit(in: collection) { (turn) throws(TidemarkError) in
            try Editor(turn: turn).edit(pk, change)
        }
    }

    /// Saves a draft of a record: what the draft changed is merged with what is stored now; see ``RecordDraft/save(preferring:)``.
    ///
    /// - Parameters:
    ///   - draft: The record as the draft has it.
    ///   - base: The record that the draft was made from.
    ///   - pk: The name of the record.
    ///   - collection: Its collection.
    ///   - answers: The side that the user prefers, for each field that the user was asked about.
    /// - Throws: ``TidemarkError/Code/draftConflict`` when the user has to decide, ``TidemarkError/Code/noSuchRecord``,
    ///   ``TidemarkError/Code/invalidContent``, and what the store throws.
    package func save(
        _ draft: JSON, from base: JSON, of pk: String, in collection: String,
        preferring answers: [DraftConflict.Field: DraftConflict.Side] = [:]
    ) throws(TidemarkError) -> Committed<RecordEdit> {
        try self.commit(in: collection) { (turn) throws(TidemarkError) in
            try Editor(turn: turn).save(draft, from: base, of: pk, preferring: answers)
        }
    }

    /// Deletes a record.
    ///
    /// - Throws: ``TidemarkError/Code/noSuchRecord``, and what the store throws.
    package func delete(
        _ pk: String, in collection: String
    ) throws(TidemarkError) -> Committed<RecordEdit> {
        try self.commit(in: collection) { (turn) throws(TidemarkError) in
            try Editor(turn: turn).delete(pk)
        }
    }

    /// Takes an edit back, as a new edit; see ``SyncRecord/undo(_:)``.
    package func undo(
        _ edit: RecordEdit, of pk: String, in collection: String
    ) throws(TidemarkError) -> Committed<RecordEdit> {
        guard edit.isOf(pk, in: collection) else {
            throw TidemarkError(
                .patchFailed,
                "The edit is of “\(edit.pk)” in \(edit.collection), not of “\(pk)” in \(collection): take it back there."
            )
        }
        return try self.commit(in: collection) { (turn) throws(TidemarkError) in
            try Editor(turn: turn).undo(edit)
        }
    }

    /// Makes or changes many records as one transaction: all of them, or none.
    ///
    /// - Returns: How many were made and how many were changed, with what the app is told.
    package func upsert(
        _ contents: [NamedContent], in collection: String
    ) throws(TidemarkError) -> Committed<SyncCollection.UpsertCount> {
        var rest = contents[...]
        return try self.upsert(from: { () throws(TidemarkError) in rest.popFirst() }, in: collection)
    }

    /// The same for contents that are handed over one by one.
    ///
    /// - Parameters:
    ///   - next: Hands over the next content, within the transaction; nil at the end. What it throws undoes all.
    ///   - collection: Where they belong.
    package func upsert(
        from next: () throws(TidemarkError) -> NamedContent?, in collection: String
    ) throws(TidemarkError) -> Committed<SyncCollection.UpsertCount> {
        try self.commit(in: collection) { (turn) throws(TidemarkError) in
            let editor = Editor(turn: turn)
            var count = SyncCollection.UpsertCount()
            while let record = try next() { count[keyPath: try editor.upsert(record.content, pk: record.pk)] += 1 }
            return count
        }
    }

    /// Lets a held record try again.
    ///
    /// - Throws: ``TidemarkError/Code/nothingToDecide`` when it is not held.
    package func release(_ pk: String, in collection: String) throws(TidemarkError) -> [SyncEffect] {
        try self.commit(in: collection) { (turn) throws(TidemarkError) in try Editor(turn: turn).release(pk) }.effects
    }

    /// Gives up what was changed here and was not confirmed (R19–R21). What is lost goes to the journal.
    ///
    /// - Throws: ``TidemarkError/Code/nothingToDecide`` when nothing is pending.
    package func resign(_ pk: String, in collection: String) throws(TidemarkError) -> [SyncEffect] {
        try self.commit(in: collection) { (turn) throws(TidemarkError) in try Editor(turn: turn).resign(pk) }.effects
    }

    /// Brings a value that lost back, as a new edit.
    ///
    /// - Throws: ``TidemarkError/Code/noSuchEntry``, ``TidemarkError/Code/patchFailed`` when the place of the value is
    ///   gone, and what an edit throws.
    package func restore(_ number: Int64, in collection: String) throws(TidemarkError) -> [SyncEffect] {
        try self.commit(in: collection) { (turn) throws(TidemarkError) in
            try Restorer(turn: turn).restore(number)
        }.effects
    }

    /// Brings back all that lost for one reason, as new edits, in the order in which it lost; what was brought back so
    /// before is left alone.
    ///
    /// Nobody has looked at each of the values, so nothing is replaced silently: what stands in their place now goes to
    /// the journal (``JournalEntry/Reason/restore``), and what a record has besides stays.
    package func restoreAll(
        _ reason: JournalEntry.Reason, in collection: String
    ) throws(TidemarkError) -> Committed<Restoration> {
        try self.commit(in: collection) { (turn) throws(TidemarkError) in
            try Restorer(turn: turn).restoreAll(reason)
        }
    }
}

// MARK: - What a person decides

extension SyncEngine {
    /// What became of a decision.
    package enum Resolution: Hashable, Sendable {
        /// The conflict is settled.
        case settled

        /// The facts have moved on; the decision was refused and the question is asked anew (R22).
        case stale
    }

    /// Decides a conflict.
    ///
    /// - Parameter conflict: What the decision is about, as the app was shown it. The machine takes no decision about
    ///   anything else (R22).
    /// - Throws: ``TidemarkError/Code/nothingToDecide`` when the record is in no conflict,
    ///   ``TidemarkError/Code/invalidContent`` when the verdict is a merge that is not an object,
    ///   ``TidemarkError/Code/recordExists`` or ``TidemarkError/Code/invalidName`` when `keepBoth` names a pk that is taken
    ///   or can't be one.
    package func resolve(
        _ conflict: RecordConflict, _ verdict: Verdict
    ) throws(TidemarkError) -> Committed<Resolution> {
        try self.commit(in: conflict.collection) { (turn) throws(TidemarkError) in
            let question = Question(turn: turn)
            var record = try turn.load(conflict.pk)
            guard try question.conflict(of: record) != nil else {
                throw TidemarkError(
                    .nothingToDecide,
                    "“\(conflict.pk)” in \(conflict.collection) is in no conflict: it is \(record.machine.phase).")
            }
            if let flaw = try question.flaw(of: verdict, about: conflict.pk) { throw flaw }
            let ruling = Ruling(verdict, about: conflict, turn.rules.fields)
            return try RecordDriver(turn: turn).drive(&record, ruling).events.contains(.stale) ? .stale : .settled
        }
    }
}
