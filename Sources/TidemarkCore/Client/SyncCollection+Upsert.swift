public import TidemarkJSON
public import TidemarkRules

extension SyncCollection {
    /// Creates records or replaces their contents, many in one transaction, all or none: a record with a new pk is created, and
    /// a known one gets the value, as an edit would give it: members that the type does not know stay.
    ///
    /// ```swift
    /// let count = try await notes.upsert([Note(title: "Milk"), Note(title: "Bread")], id: \.title)
    /// print(count.created, count.edited)
    /// ```
    ///
    /// > Important: A member that the type knows and that the new value lacks is removed from the record, here and, with the next
    /// > sync, on all devices. With `JSON` as the type that is every member that the new content lacks.
    ///
    /// - Parameters:
    ///   - values: The new contents.
    ///   - id: Returns the pk of a value.
    /// - Throws: ``TidemarkError/Code/invalidContent`` if a value does not become a JSON object,
    ///   ``TidemarkError/Code/invalidName``, and the errors of the store.
    @discardableResult
    public func upsert(
        _ values: [Value], id: (Value) -> String
    ) async throws(TidemarkError) -> RecordInput.UpsertCount where Value: Encodable {
        var inputs: [RecordInput] = []
        for value in values {
            inputs.append(RecordInput(pk: id(value), content: try JSON.content(encoding: value, dates: self.dates)))
        }
        let dates = self.dates
        return try await self.client.upsert(inputs, in: self.name) { present, new, fields in
            TypedChange(upserting: new, as: Value.self, dates: dates, into: present, by: fields)
        }
    }

    /// Creates or changes records whose contents are returned one by one.
    ///
    /// - Parameter combine: Makes the new content of a record that is there, from its present content and the one from `next`.
    package func upsert(
        from next: @Sendable () throws(TidemarkError) -> RecordInput?,
        combine: @Sendable (_ present: JSON, _ new: JSON) -> JSON
    ) async throws(TidemarkError) -> RecordInput.UpsertCount {
        try await self.client.upsert(from: next, in: self.name) { present, new, _ in
            TypedChange(record: combine(present, new))
        }
    }
}

extension SyncCollection<JSON> {
    /// Creates records or replaces their contents as a whole, many in one transaction; see ``upsert(_:id:)``.
    ///
    /// ```swift
    /// let count = try await client["notes"].upsert([
    ///     RecordInput(pk: "1", content: ["title": "Milk"]), RecordInput(pk: "2", content: ["title": "Bread"]),
    /// ])
    /// print(count.created, count.edited)
    /// ```
    @discardableResult
    public func upsert(_ contents: [RecordInput]) async throws(TidemarkError) -> RecordInput.UpsertCount {
        try await self.client.upsert(contents, in: self.name) { _, new, _ in TypedChange(record: new) }
    }

    /// Creates records or replaces their contents, which are returned one by one: only one of them is in memory at a time.
    ///
    /// ```swift
    /// let count = try await client["notes"].upsert(from: { () throws(TidemarkError) in
    ///     readLine().map { RecordInput(pk: $0, content: ["title": JSON($0)]) }      // until the input ends
    /// })
    /// ```
    ///
    /// - Parameter next: Returns the next content; nil at the end. The closure is called within the transaction, in which no
    ///   other call can run: it must return quickly. An error that the closure throws rolls the transaction back.
    /// - Throws: The errors of `next` and of ``upsert(_:)``.
    @discardableResult
    public func upsert(
        from next: @Sendable () throws(TidemarkError) -> RecordInput?
    ) async throws(TidemarkError) -> RecordInput.UpsertCount {
        try await self.upsert(from: next, combine: { $1 })
    }
}

extension TypedChange {
    /// Makes the change of a record to a value that did not come from it. If the type can't read the record, the members of the value
    /// replace those of the record, and the others stay; if the type still can't read it as the value, the value replaces the record,
    /// which is journalled.
    fileprivate init<Value: Codable>(
        upserting new: JSON, as type: Value.Type, dates: JSONDates, into present: JSON, by fields: FieldRules
    ) {
        guard type != JSON.self else {
            self.init(record: new)
            return
        }
        if let seen = present.seen(as: type, dates: dates) {
            self.init(from: seen, to: new, of: present, by: fields) { $0.seen(as: type, dates: dates) }
            return
        }
        var record = present
        for (name, value) in new.object ?? [:] { record[name] = value }
        guard record.seen(as: type, dates: dates) == new.seen(as: type, dates: dates) else {
            self.init(record: new, losing: present)
            return
        }
        self.init(record: record)
    }
}

/// The pk and the new content of a record.
public struct RecordInput: Hashable, Sendable {
    /// The pk of the record.
    public var pk: String

    /// The new content: an object.
    public var content: JSON

    /// Makes a value.
    public init(pk: String, content: JSON) {
        self.pk = pk
        self.content = content
    }

    /// Makes a value for the record with a ``RecordValue/id``.
    @_disfavoredOverload
    public init(pk: CodePointString, content: JSON) {
        self.init(pk: pk.value, content: content)
    }
}

extension RecordInput {
    /// The result of an upsert.
    public struct UpsertCount: Hashable, Sendable {
        /// The number of records that were created.
        public internal(set) var created = 0

        /// The number of existing records that were changed.
        public internal(set) var edited = 0

        /// The number of records that already had the content, by value.
        public internal(set) var unchanged = 0
    }
}
