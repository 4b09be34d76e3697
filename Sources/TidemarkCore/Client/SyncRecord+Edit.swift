public import TidemarkJSON
public import TidemarkRules

// Changing a record. If a closure throws an error of the app, the caller gets that same error, and the edit is rolled back.

extension SyncRecord where Value: Encodable {
    /// Changes the record. Durable when it returns; sent with the next sync.
    ///
    /// ```swift
    /// try await notes["42"].edit { $0.title = "Oat milk" }
    /// ```
    ///
    /// Members that the type does not know stay as they are. Only the changes of the closure are written: a member that the record lacks and for which the type has a default is not
    /// added until it gets another value, and members that an older or newer version of the type wrote stay as they are. That
    /// holds in the elements of arrays, too: an element that the closure does not change keeps its text, and a changed one
    /// its other members. An element is found by the key of the field's rule `.keyed`, or else by its member `id`, or else by
    /// its position between elements that did not change. If an element is gone with members that the type does not know,
    /// and it is not certain that the closure removed it, the array from before the edit is in the journal.
    ///
    /// The type reads the record as the closure left it. An array for which that would not hold, for example a dictionary with
    /// struct keys that another program wrote in another order, is written as one value, and the former array is in the
    /// journal.
    ///
    /// > Warning: Do not assign a copy that was read earlier, as in `{ $0 = note }`. The edit compares the copy with the record
    /// > that is stored now, and reverts every field that another device changed in between, without a conflict and without an
    /// > entry in the journal. Save a form with ``draft()``.
    ///
    /// - Returns: The change, so that ``undo(_:)`` can undo it.
    /// - Throws: ``TidemarkError/Code/noSuchRecord``, ``TidemarkError/Code/invalidContent`` if the record does not fit the type,
    ///   or the result is not an object, and the errors of the store.
    @discardableResult
    public func edit(
        _ change: @Sendable (inout Value) throws(TidemarkError) -> Void
    ) async throws(TidemarkError) -> RecordEdit {
        let dates = self.collection.dates
        return try await self.client.edit(self.pk, in: self.collection.name) { (view, fields) throws(TidemarkError) in
            try TypedChange(of: view, as: Value.self, dates: dates, by: fields, change)
        }
    }

    /// Changes the record, unless the closure throws: then nothing changes, and the caller gets the same error.
    ///
    /// ```swift
    /// try await client["products"]["42"].edit { product in
    ///     guard product.stock != 0 else { throw SoldOut() }
    ///     product.isReserved = true
    /// }
    /// ```
    ///
    /// - Returns: The change, so that ``undo(_:)`` can undo it.
    /// - Throws: The error of the closure; a ``TidemarkError`` as from the `edit` whose closure throws only that type.
    @discardableResult
    public func edit(_ change: @Sendable (inout Value) throws -> Void) async throws -> RecordEdit {
        try await RefusedByApp.rethrowing { () async throws(TidemarkError) in
            try await self.edit { (value) throws(TidemarkError) in
                try RefusedByApp.wrapping { try change(&value) }
            }
        }
    }
}

extension SyncRecord {
    /// Changes the record by an RFC 6902 patch, completely or not at all.
    ///
    /// - Returns: The change, so that ``undo(_:)`` can undo it.
    /// - Throws: ``TidemarkError/Code/patchFailed`` if the patch does not fit.
    @discardableResult
    public func edit(_ patch: JSONPatch) async throws(TidemarkError) -> RecordEdit {
        try await self.client.edit(self.pk, in: self.collection.name) { (view) throws(TidemarkError) in
            do {
                return try patch.apply(to: view) ?? .null
            } catch {
                throw TidemarkError(.patchFailed, "The patch does not fit the record: \(error).", cause: error)
            }
        }
    }
}

extension TypedChange {
    /// Makes the change of a record by a closure that sees it through a type.
    init<Value: Codable & SendableMetatype>(
        of view: JSON, as type: Value.Type, dates: JSONDates, by fields: FieldRules,
        _ change: (inout Value) throws(TidemarkError) -> Void
    ) throws(TidemarkError) {
        var value = try view.content(as: type, dates: dates)
        // JSON knows every member.
        if type == JSON.self {
            try change(&value)
            if let record = value as? JSON {
                self.init(record: record)
                return
            }
        }
        let before = try JSON.content(encoding: value, dates: dates)
        try change(&value)
        let after = try JSON.content(encoding: value, dates: dates)
        self.init(from: before, to: after, of: view, by: fields) { $0.seen(as: type, dates: dates) }
    }
}
