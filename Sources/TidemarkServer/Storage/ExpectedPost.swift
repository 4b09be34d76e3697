import TidemarkJSON

/// A page of a feed that a request is about to read.
public struct ExpectedPage: Sendable, Hashable {
    /// The version after which the page begins: the position of the request's cursor, or 0.
    public var position: Int64
    /// How many rows are read at most, if none of them is skipped.
    public var rows: Int

    /// A page from its parts.
    public init(position: Int64, rows: Int) {
        self.position = position
        self.rows = rows
    }
}

/// A POST that a transaction is about to carry out, announced to the storage (``ServerStorage/expect(_:waits:)``).
public struct ExpectedPost: Sendable {
    /// The account of the collection.
    public let account: String
    /// The collection's name.
    public let collection: String
    /// The page that it reads after its edits; nil if its cursor can't be read.
    public let page: ExpectedPage?

    private let sources: [JSON]
    private let limits: ServerLimits

    init(account: String, collection: String, page: ExpectedPage?, sources: [JSON], limits: ServerLimits) {
        self.account = account
        self.collection = collection
        self.page = page
        self.sources = sources
        self.limits = limits
    }

    /// The request ids and the records of its edits, parsed on each call, without the edits that the server will refuse because
    /// of them.
    ///
    /// - Parameter limit: The most edits that are parsed.
    public func edits(limit: Int) -> [(requestID: String, pk: String)] {
        self.sources.prefix(limit).compactMap { source in
            let envelope = EditEnvelope(source, limits: self.limits)
            guard envelope.isNamed, (1...self.limits.pk).contains(envelope.pk.utf8.count) else { return nil }
            return (envelope.requestID, envelope.pk)
        }
    }
}

/// A GET of a collection or of a record, announced to a reader (``ServerReader/snapshot(expecting:_:)``).
public struct ExpectedRead: Sendable {
    /// The account of the collection.
    public let account: String
    /// The collection's name.
    public let collection: String
    /// The page that it reads; nil if it reads none, or if its cursor can't be read.
    public var page: ExpectedPage?
    /// The record that it reads.
    public var pk: String?
}
