import TidemarkJSON

/// A POST that a transaction is about to carry out, announced to the storage (``ServerStorage/expect(_:waits:)``).
public struct ExpectedPost: Sendable {
    /// The account of the collection.
    public let account: String
    /// The collection's name.
    public let collection: String

    private let sources: [JSON]
    private let limits: ServerLimits

    init(account: String, collection: String, sources: [JSON], limits: ServerLimits) {
        self.account = account
        self.collection = collection
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
