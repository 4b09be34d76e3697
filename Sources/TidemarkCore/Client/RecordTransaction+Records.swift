public import TidemarkJSON
public import TidemarkRules

// The collections and records that a transaction reads and changes.

extension RecordTransaction {
    /// A collection within a transaction.
    public struct Collection<Value: Decodable & Sendable> {
        let transaction: RecordTransaction

        /// The name of the collection.
        public let name: String

        let dates: JSONDates

        /// Whether it is of the client of the transaction.
        let isOwn: Bool

        /// A record; it need not exist.
        public subscript(pk: String) -> Record<Value> { Record(collection: self, pk: pk) }

        /// A record by ``RecordValue/id``; it need not exist.
        @_disfavoredOverload
        public subscript(id: CodePointString) -> Record<Value> { self[id.value] }

        /// Creates a record.
        ///
        /// - Parameters:
        ///   - value: The content; its JSON must be an object.
        ///   - pk: The pk; nil makes a UUID.
        /// - Returns: The change; its ``RecordEdit/pk`` is the pk.
        /// - Throws: The errors of ``SyncCollection/create(_:pk:)``.
        @discardableResult
        public func create(_ value: Value, pk: String? = nil) throws(TidemarkError) -> RecordEdit
        where Value: Encodable {
            let content = try JSON.content(encoding: value, dates: self.dates)
            return try self.change { (editor) throws(TidemarkError) in try editor.create(content, pk: pk) }
        }

        /// Returns all records of a query in its order, as a page without a next one: complete before the first of them is changed.
        ///
        /// - Throws: ``TidemarkError/Code/transactionTooLarge`` if there are more than ``SyncLimits/transactionRecords``, or if
        ///   more than ``SyncLimits/transactionReads`` have to be read, as without an index; ``TidemarkError/Code/invalidQuery``.
        public func all(_ query: RecordQuery = RecordQuery()) throws(TidemarkError) -> RecordPage<Value> {
            try self.check()
            let scan = try self.transaction.scan(query, limit: self.transaction.most, in: self.name)
            let read = scan.page.compactMap { ReadRecord<Value>($0, dates: self.dates) }
            return RecordPage(read, next: nil, examined: scan.examined)
        }

        /// Returns the number of records for which the condition of a query is true; it reads at most
        /// ``SyncLimits/transactionReads``.
        public func count(_ query: RecordQuery = RecordQuery()) throws(TidemarkError) -> Int {
            try self.check()
            return try self.transaction.count(query, in: self.name)
        }

        fileprivate func check() throws(TidemarkError) {
            guard self.isOwn else {
                throw TidemarkError(
                    .transactionMisused,
                    "\(self.name) is a collection of another client: use it in a transaction of that one.")
            }
        }

        fileprivate func change(
            _ body: (Editor) throws(TidemarkError) -> RecordEdit
        ) throws(TidemarkError) -> RecordEdit {
            try self.check()
            return try self.transaction.change(in: self.name, body)
        }
    }

    /// A record within a transaction.
    public struct Record<Value: Decodable & Sendable> {
        let collection: Collection<Value>

        /// The pk of the record.
        public let pk: String

        private var transaction: RecordTransaction { self.collection.transaction }

        /// Returns the app's view of the record; nil if the record was deleted or is unknown.
        ///
        /// - Throws: ``TidemarkError/Code/invalidContent`` if the record does not fit the type.
        public func get() throws(TidemarkError) -> Value? {
            try self.collection.check()
            let part = try self.transaction.part(of: self.collection.name)
            guard let stored = try part.store.record(self.pk, in: self.collection.name),
                let content = try part.snapshot(of: stored).content
            else { return nil }
            return try content.content(as: Value.self, dates: self.collection.dates)
        }

        /// Changes the record, as `edit` of ``SyncRecord`` does. An error of the closure changes nothing, and the transaction can
        /// continue.
        @discardableResult
        public func edit(
            _ change: (inout Value) throws(TidemarkError) -> Void
        ) throws(TidemarkError) -> RecordEdit where Value: Encodable {
            let dates = self.collection.dates
            return try self.collection.change { (editor) throws(TidemarkError) in
                try editor.edit(self.pk) { (view, fields) throws(TidemarkError) in
                    try TypedChange(of: view, as: Value.self, dates: dates, by: fields, change)
                }
            }
        }

        /// Changes the record, unless the closure throws an error of yours: then nothing changes, and the transaction can continue.
        @_disfavoredOverload
        @discardableResult
        public func edit(_ change: (inout Value) throws -> Void) throws -> RecordEdit where Value: Encodable {
            do throws(TidemarkError) {
                return try self.edit { (view) throws(TidemarkError) in
                    try RefusedByApp.wrapping { try change(&view) }
                }
            } catch {
                throw (error.cause as? RefusedByApp)?.error ?? error
            }
        }

        /// Deletes the record.
        @discardableResult
        public func delete() throws(TidemarkError) -> RecordEdit {
            try self.collection.change { (editor) throws(TidemarkError) in try editor.delete(self.pk) }
        }

        /// Deletes the record, and decides about the records that name it by a reference; see ``SyncRecord/delete(referring:)``.
        ///
        /// - Returns: The change of this record; ``RecordTransaction/edits`` has the others.
        @discardableResult
        public func delete(referring others: RecordTransaction.Referring) throws(TidemarkError) -> RecordEdit {
            try self.collection.check()
            return try self.transaction.delete(
                RecordName(collection: self.collection.name, pk: self.pk), referring: others)
        }

        /// Undoes a change of this record; see ``SyncRecord/undo(_:)``.
        @discardableResult
        public func undo(_ edit: RecordEdit) throws(TidemarkError) -> RecordEdit {
            try edit.check(isOf: self.pk, in: self.collection.name)
            return try self.collection.change { (editor) throws(TidemarkError) in try editor.undo(edit) }
        }
    }
}
