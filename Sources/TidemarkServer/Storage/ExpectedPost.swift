import TidemarkJSON

/// A POST that a transaction is to carry out, as a storage is told of it before (``ServerStorage/expect(_:waits:)``).
public struct ExpectedPost: Sendable {
    /// Whose the collection is.
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

    /// The request ids and the records of its edits, read when they are asked for; those that will be refused for them are left out.
    ///
    /// - Parameter limit: Of how many edits.
    public func edits(limit: Int) -> [(requestID: String, pk: String)] {
        self.sources.prefix(limit).compactMap { source in
            let envelope = EditEnvelope(source, limits: self.limits)
            guard envelope.isNamed, (1...self.limits.pk).contains(envelope.pk.utf8.count) else { return nil }
            return (envelope.requestID, envelope.pk)
        }
    }
}
