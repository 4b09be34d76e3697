public import TidemarkJSON
public import TidemarkRules

extension SyncCollection {
    /// Creates records or replaces their contents, many in one transaction, all or none: a record with a new pk is created, and
    /// the content of a known one is replaced as a whole.
    ///
    /// > Important: A member that the new content lacks is removed from the record, here and, with the next sync, on all
    /// > devices. To change some members of a record, use `edit` of ``SyncRecord``.
    ///
    /// ```swift
    /// let count = try await notes.upsert([
    ///     RecordInput(pk: "1", content: ["title": "Milk"]), RecordInput(pk: "2", content: ["title": "Bread"]),
    /// ])
    /// print(count.created, count.edited)
    /// ```
    ///
    /// - Throws: ``TidemarkError/Code/invalidContent`` if a content is not an object, ``TidemarkError/Code/invalidName``, and
    ///   the errors of the store.
    @discardableResult
    public func upsert(_ contents: [RecordInput]) async throws(TidemarkError) -> UpsertCount {
        try await self.client.upsert(contents, in: self.name)
    }

    /// Creates records or replaces their contents, which are returned one by one: only one of them is in memory at a time.
    ///
    /// ```swift
    /// let count = try await notes.upsert(from: { () throws(TidemarkError) in
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
    ) async throws(TidemarkError) -> UpsertCount {
        try await self.client.upsert(from: next, in: self.name, combine: { $1 })
    }

    /// Creates or changes records whose contents are returned one by one.
    ///
    /// - Parameter combine: Makes the new content of a record that is there, from its present content and the one from `next`.
    package func upsert(
        from next: @Sendable () throws(TidemarkError) -> RecordInput?,
        combine: @Sendable (_ present: JSON, _ new: JSON) -> JSON
    ) async throws(TidemarkError) -> UpsertCount {
        try await self.client.upsert(from: next, in: self.name, combine: combine)
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

extension SyncCollection {
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
