import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// Taking an edit back, as a new edit.

extension Editor {
    /// Undoes an edit as a whole, or throws.
    func undo(_ edit: RecordEdit) throws(TidemarkError) -> RecordEdit {
        switch (edit.before, edit.after) {
        case (nil, nil): return edit
        // Undoing the creation of a record, for example by the undo of a delete, is a delete.
        case (nil, .some(let after)):
            let changed = try self.changes(of: try self.visible(edit.pk), since: after)
            if !changed.isEmpty { throw edit.overtaken(at: changed) }
            return try self.delete(edit.pk)
        case (.some(let before), .some(let after)):
            let fields = self.fields(toUndo: edit)
            return try self.edit(edit.pk) { (view) throws(TidemarkError) in
                try view.taking(back: edit, from: after, to: before, by: fields)
            }
        case (.some(let before), nil):
            return try self.create(before, pk: edit.pk)
        }
    }

    /// Undoes an edit as far as its fields were not changed since.
    ///
    /// - Parameter isReferred: Whether another record names the record: then its creation is not undone.
    /// - Returns: The new edit, nil if there is none; and the change that was left.
    func undoUnchanged(
        _ edit: RecordEdit, isReferred: Bool
    ) throws(TidemarkError) -> (edit: RecordEdit?, left: UndoHistory.Left?) {
        guard edit.before != edit.after else { return (nil, nil) }
        var result: (RecordEdit?, UndoHistory.Left?) = (nil, nil)
        let damage = try self.transaction.damage { () throws(TidemarkError) in
            result = try self.undoUndamaged(edit, isReferred)
        }
        return damage == nil ? result : (nil, edit.left(.damaged))
    }

    private func undoUndamaged(
        _ edit: RecordEdit, _ isReferred: Bool
    ) throws(TidemarkError) -> (edit: RecordEdit?, left: UndoHistory.Left?) {
        let record = try self.transaction.load(edit.pk)
        guard let after = edit.after else {
            return record.machine.isVisible ? (nil, edit.left(.exists)) : (try self.undo(edit), nil)
        }
        guard record.machine.isVisible else { return (nil, edit.left(.gone)) }
        guard let before = edit.before else {
            let changed = try self.changes(of: record, since: after)
            guard changed.isEmpty else { return (nil, edit.left(.changed, changed)) }
            return isReferred ? (nil, edit.left(.referred)) : (try self.delete(edit.pk), nil)
        }
        let (fields, view) = (self.fields(toUndo: edit), try self.view(of: record).json)
        let merge = fields.merge(base: after, server: view, client: before)
        let left = merge.clashes.isEmpty ? nil : edit.left(.changed, merge.clashes.map(\.path))
        guard let content = fields.settling(merge, for: .server, like: view), content != view else {
            return (nil, left)
        }
        return (try self.edit(edit.pk) { _ in content }, left)
    }

    /// The rules for the merge that undoes an edit.
    private func fields(toUndo edit: RecordEdit) -> FieldRules {
        let fields = self.transaction.rules.fields
        return edit.discards == self.transaction.memory.discards ? fields : fields.withoutAdditions
    }

    /// The fields of a record that differ from a former content.
    private func changes(of record: Record, since content: JSON) throws(TidemarkError) -> [JSONPointer] {
        let change = try self.transaction.algebra.change(
            from: RecordPayload(content), to: try self.view(of: record).payload)
        return change?.operations.map(\.path) ?? []
    }
}

extension JSON {
    /// Returns this record without the changes of an edit. The content after the edit is the base of a merge: the present
    /// record is one side, the content before the edit the other. A conflict is not resolved, so that no value is lost.
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
    fileprivate func left(_ reason: UndoHistory.Left.Reason, _ fields: [JSONPointer] = []) -> UndoHistory.Left {
        UndoHistory.Left(collection: self.collection, pk: self.pk, fields: fields, reason: reason)
    }

    fileprivate func overtaken(at paths: [JSONPointer]) -> TidemarkError {
        let places = paths.map { $0 == .root ? "the record" : $0.text }.joined(separator: ", ")
        return TidemarkError(
            .editOvertaken,
            """
            The edit of “\(self.pk)” in \(self.collection) can't be undone: \(places) \
            \(paths.count == 1 ? "was" : "were") changed since. Nothing was undone; edit the record instead.
            """)
    }
}
