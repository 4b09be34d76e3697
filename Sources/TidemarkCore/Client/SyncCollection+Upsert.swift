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

/// What ``SyncCollection/upsert(_:)`` did.
public struct UpsertCount: Hashable, Sendable {
    /// How many records were made.
    public let created: Int

    /// How many records were there, and have the content now.
    public let edited: Int
}
