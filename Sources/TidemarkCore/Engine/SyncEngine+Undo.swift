public import TidemarkJSON
import TidemarkMachine

// What an app changed, and how it is taken back.

extension SyncEngine {
    /// Changes a record, and says what that changed; see ``edit(_:in:_:)``.
    public func change(
        _ pk: String, in collection: String, _ change: (JSON) throws(TidemarkError) -> JSON
    ) throws(TidemarkError) -> (edit: RecordEdit, effects: [Effect]) {
        try self.editing { (effects) throws(TidemarkError) in
            try self.edit(pk, in: collection, change, &effects)
        }
    }

    /// Deletes a record, and says what that changed; see ``delete(_:in:)``.
    public func remove(
        _ pk: String, in collection: String
    ) throws(TidemarkError) -> (edit: RecordEdit, effects: [Effect]) {
        try self.editing { (effects) throws(TidemarkError) in
            try self.delete(pk, in: collection, &effects)
        }
    }

    /// Takes an edit back, as a new edit; see ``SyncRecord/undo(_:)``.
    public func undo(
        _ edit: RecordEdit, of pk: String, in collection: String
    ) throws(TidemarkError) -> (edit: RecordEdit, effects: [Effect]) {
        guard
            CodePointString(edit.pk) == CodePointString(pk),
            CodePointString(edit.collection) == CodePointString(collection)
        else {
            throw TidemarkError(
                .patchFailed,
                "The edit is of “\(edit.pk)” in \(edit.collection), not of “\(pk)” in \(collection): take it back there."
            )
        }
        return try self.editing { (effects) throws(TidemarkError) in
            switch (edit.before, edit.after) {
            case (let before, .some(let after)):
                // Taking back that a record was made, as the undo of a delete did, is a delete.
                guard let before else {
                    try self.checkUnchanged(edit, since: after)
                    return try self.delete(pk, in: collection, &effects)
                }
                let fields = self.configuration[collection].fields
                return try self.edit(
                    pk, in: collection,
                    { (view) throws(TidemarkError) in try view.taking(back: edit, from: after, to: before, by: fields)
                    },
                    &effects)
            case (.some(let before), nil):
                try self.create(before, pk: pk, in: collection, &effects)
                return RecordEdit(collection: collection, pk: pk, before: nil, after: before)
            case (nil, nil): return edit
            }
        }
    }

    private func editing(
        _ body: (inout [Effect]) throws(TidemarkError) -> RecordEdit
    ) throws(TidemarkError) -> (edit: RecordEdit, effects: [Effect]) {
        var edit: RecordEdit?
        let effects = try self.commit { (effects) throws(TidemarkError) in edit = try body(&effects) }
        guard let edit else { preconditionFailure("A transaction ended well without its body.") }
        return (edit, effects)
    }
}

extension SyncEngine {
    private func checkUnchanged(_ edit: RecordEdit, since after: JSON) throws(TidemarkError) {
        let record = try self.visible(edit.pk, in: edit.collection)
        let view = try self.view(of: record, in: edit.collection).json
        let changed = JSONPatch.diff(from: after, to: view).operations.map(\.path)
        guard changed.isEmpty else { throw edit.overtaken(at: changed) }
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
