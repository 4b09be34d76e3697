public import TidemarkJSON
public import TidemarkRules

extension SyncCollection {
    /// Makes or changes many records as one transaction, all of them or none: new pks are made, known ones changed.
    ///
    /// ```swift
    /// let count = try await notes.upsert([
    ///     NamedContent(pk: "1", content: ["title": "Milk"]), NamedContent(pk: "2", content: ["title": "Bread"]),
    /// ])
    /// print(count.created, count.edited)
    /// ```
    ///
    /// - Throws: ``TidemarkError/Code/invalidContent`` when a content is not an object, ``TidemarkError/Code/invalidName``,
    ///   and what the store throws.
    @discardableResult
    public func upsert(_ contents: [NamedContent]) async throws(TidemarkError) -> UpsertCount {
        try await self.client.upsert(contents, in: self.name)
    }

    /// The same for contents that are handed over one by one: of any number no more than one is in memory.
    ///
    /// ```swift
    /// let count = try await notes.upsert(from: { () throws(TidemarkError) in
    ///     readLine().map { NamedContent(pk: $0, content: ["title": JSON($0)]) }      // until the input ends
    /// })
    /// ```
    ///
    /// - Parameter next: Hands over the next content; nil at the end. It is called within the transaction, which nothing else
    ///   can come into: let it not wait for long. What it throws undoes all.
    /// - Throws: What `next` throws, and as ``upsert(_:)``.
    @discardableResult
    public func upsert(
        from next: @Sendable () throws(TidemarkError) -> NamedContent?
    ) async throws(TidemarkError) -> UpsertCount {
        try await self.client.upsert(from: next, in: self.name)
    }
}

/// What a record shall be, with its name.
public struct NamedContent: Hashable, Sendable {
    /// The name of the record.
    public var pk: String

    /// What it shall be: an object.
    public var content: JSON

    /// Names a content.
    public init(pk: String, content: JSON) {
        self.pk = pk
        self.content = content
    }
}

extension SyncCollection {
    /// What an upsert of a collection did.
    public struct UpsertCount: Hashable, Sendable {
        /// How many records were made.
        public internal(set) var created = 0

        /// How many records were there, and have the content now.
        public internal(set) var edited = 0

        /// How many records had the content already, by value.
        public internal(set) var unchanged = 0
    }
}
