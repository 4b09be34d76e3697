package import TidemarkJSON
import TidemarkMachine
package import TidemarkRules

// The app's calls. Each is durable when it returns (Contract §3.2), with or without a network. The calls of `SyncCollection` and
// `SyncRecord` have the same names, and document parameters and errors.

extension SyncEngine {
    package func create(
        _ content: JSON, pk: String?, in collection: String
    ) throws(TidemarkError) -> Committed<RecordEdit> {
        try self.commit(in: collection) { (transaction) throws(TidemarkError) in
            try Editor(transaction: transaction).create(content, pk: pk)
        }
    }

    /// - Parameter change: Gets the app's view, and returns the new content.
    package func edit(
        _ pk: String, in collection: String, _ change: (JSON) throws(TidemarkError) -> JSON
    ) throws(TidemarkError) -> Committed<RecordEdit> {
        try self.commit(in: collection) { (transaction) throws(TidemarkError) in
            try Editor(transaction: transaction).edit(pk, change)
        }
    }

    /// - Parameter change: Gets the app's view and the field rules of the collection, and returns the change.
    package func edit(
        _ pk: String, in collection: String,
        typed change: (JSON, FieldRules) throws(TidemarkError) -> TypedChange
    ) throws(TidemarkError) -> Committed<RecordEdit> {
        try self.commit(in: collection) { (transaction) throws(TidemarkError) in
            try Editor(transaction: transaction).edit(pk, typed: change)
        }
    }

    /// Saves a draft of a record: its changes are merged with the record that is stored now; see
    /// ``RecordDraft/save(preferring:)``.
    ///
    /// - Parameter losses: The arrays from which the draft removed values that its type does not know.
    package func save(
        _ draft: JSON, from base: JSON, of pk: String, in collection: String,
        preferring answers: [DraftConflict.Field: DraftConflict.Side] = [:], losses: [TypedChange.Loss] = []
    ) throws(TidemarkError) -> Committed<RecordEdit> {
        try self.commit(in: collection) { (transaction) throws(TidemarkError) in
            try Editor(transaction: transaction)
                .save(draft, from: base, of: pk, preferring: answers, losses: losses)
        }
    }

    package func delete(
        _ pk: String, in collection: String
    ) throws(TidemarkError) -> Committed<RecordEdit> {
        try self.commit(in: collection) { (transaction) throws(TidemarkError) in
            try Editor(transaction: transaction).delete(pk)
        }
    }

    /// Undoes an edit, as a new edit; see ``SyncRecord/undo(_:)``.
    package func undo(
        _ edit: RecordEdit, of pk: String, in collection: String
    ) throws(TidemarkError) -> Committed<RecordEdit> {
        try edit.check(isOf: pk, in: collection)
        return try self.commit(in: collection) { (transaction) throws(TidemarkError) in
            try Editor(transaction: transaction).undo(edit)
        }
    }

    package func upsert(
        _ contents: [RecordInput], in collection: String
    ) throws(TidemarkError) -> Committed<RecordInput.UpsertCount> {
        var rest = contents[...]
        return try self.upsert(from: { () throws(TidemarkError) in rest.popFirst() }, in: collection)
    }

    package func upsert(
        from next: () throws(TidemarkError) -> RecordInput?, in collection: String,
        combine: (_ present: JSON, _ new: JSON, _ fields: FieldRules) -> TypedChange = { _, new, _ in
            TypedChange(record: new)
        }
    ) throws(TidemarkError) -> Committed<RecordInput.UpsertCount> {
        try self.commit(in: collection) { (transaction) throws(TidemarkError) in
            let editor = Editor(transaction: transaction)
            var count = RecordInput.UpsertCount()
            while let record = try next() {
                let counter = try editor.upsert(record.content, pk: record.pk, combine: combine)
                count[keyPath: counter] += 1
            }
            return count
        }
    }

    package func retry(_ pk: String, in collection: String) throws(TidemarkError) -> [SyncEffect] {
        try self.commit(in: collection) { (transaction) throws(TidemarkError) in
            try Editor(transaction: transaction).retry(pk)
        }.effects
    }

    package func resign(_ pk: String, in collection: String) throws(TidemarkError) -> [SyncEffect] {
        try self.commit(in: collection) { (transaction) throws(TidemarkError) in
            try Editor(transaction: transaction).resign(pk)
        }.effects
    }

    package func restore(_ number: Int64, in collection: String) throws(TidemarkError) -> [SyncEffect] {
        try self.commit(in: collection) { (transaction) throws(TidemarkError) in
            try Restorer(transaction: transaction).restore(number)
        }.effects
    }

    package func restoreAll(
        _ reason: JournalEntry.Reason, in collection: String
    ) throws(TidemarkError) -> Committed<JournalEntry.Restoration> {
        try self.commit(in: collection) { (transaction) throws(TidemarkError) in
            try Restorer(transaction: transaction).restoreAll(reason)
        }
    }
}

// MARK: - The user's decisions

extension SyncEngine {
    /// The result of a decision.
    package enum Resolution: Hashable, Sendable {
        /// The conflict is resolved.
        case settled

        /// The record has changed meanwhile; the decision was refused and the conflict is open again (R22).
        case stale
    }

    /// Resolves a conflict.
    ///
    /// The decision is carried out on the engine's own conflict, by its rules. The app's conflict only names the decided facts: it
    /// may come from a process with other rules, or from the app itself.
    ///
    /// - Parameters:
    ///   - conflict: The conflict as the app has shown it. A decision about another state, or about other fields than those that
    ///     are asked, is stale (R22).
    ///   - large: The large merges that were made before; see ``LargeMerges``.
    /// - Throws: ``TidemarkError/Code/nothingToDecide`` if the record has no conflict, ``TidemarkError/Code/invalidContent`` if
    ///   the verdict is a merge that is not an object, ``TidemarkError/Code/recordExists`` or
    ///   ``TidemarkError/Code/invalidName`` if `keepBoth` names a pk that is taken or invalid.
    package func resolve(
        _ conflict: RecordConflict, _ verdict: Verdict, _ large: LargeMerges? = nil
    ) throws(TidemarkError) -> Committed<Resolution> {
        try self.commit(in: conflict.collection, large) { (transaction) throws(TidemarkError) in
            let question = ConflictResolution(transaction: transaction)
            var record = try transaction.load(conflict.pk)
            guard let open = try question.conflict(of: record) else {
                throw TidemarkError(
                    .nothingToDecide,
                    "“\(conflict.pk)” in \(conflict.collection) has no conflict: it is \(record.machine.phase).")
            }
            if let flaw = try question.flaw(of: verdict, about: conflict) { throw flaw }
            let driver = RecordDriver(transaction: transaction)
            let isSameState = open.question == conflict.question
            if isSameState, open.asked.map(\.path) != conflict.asked.map(\.path) {
                // The machine knows no fields, so the question is asked again here.
                if let answer = try question.answer(about: record) { try driver.drive(&record, answer) }
                return .stale
            }
            let driven = DrivenInput(verdict, about: isSameState ? open : conflict, transaction.rules.fields)
            return try driver.drive(&record, driven).isStale ? .stale : .settled
        }
    }
}
