/// What the engine wants done. Whoever owns the engine carries it out, and decides nothing.
///
/// What there is one of at most lies elsewhere: an import tells of any number of records at once, and each would take the room of
/// the largest.
package enum SyncEffect: Sendable {
    /// Carry out an exchange, and hand in its outcome with the same token.
    indirect case send(ExchangeRequest, ExchangeToken)

    /// Call ``SyncEngine/wake(_:now:)`` at a time, counted from 1970-01-01T00:00:00Z.
    case wake(collection: String, at: Duration)

    /// Tell the app.
    case tell(RecordChange)

    /// Tell the app that any record of a collection may have changed: one input changed more of them than
    /// ``CollectionChange/limit``, which is more than anyone is told one by one.
    case tellAll(collection: String)

    /// The outcome of a write is known, which ``SyncEngine/awaitOutcome(of:in:)`` gave this number.
    indirect case settle(write: Int, WriteOutcome)

    /// A sync goes on, or ends.
    case progress(CollectionProgress)

    /// The sync of a collection is over, for now.
    indirect case finish(CollectionReport)
}

/// Names one exchange, so that an answer that comes late, twice, or for an earlier process is not taken for another's.
package struct ExchangeToken: Hashable, Sendable {
    /// The collection.
    package let collection: String

    /// Grows with each exchange of the engine.
    package let number: Int

    /// Makes a token, as a test does that makes up an answer.
    package init(collection: String, number: Int) {
        self.collection = collection
        self.number = number
    }
}
