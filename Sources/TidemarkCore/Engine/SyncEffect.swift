/// An effect that the engine requests. The owner of the engine carries it out, and decides nothing.
///
/// The rare large cases are indirect: an import produces any number of `tell`s at once, and each would need the space of the
/// largest case.
package enum SyncEffect: Sendable {
    /// Carry out an exchange, and pass its outcome to the engine with the same token.
    indirect case send(ExchangeRequest, ExchangeToken)

    /// Call ``SyncEngine/wake(_:now:)`` at a time, since 1970-01-01T00:00:00Z.
    case wake(collection: String, at: Duration)

    /// Notify the app.
    case tell(RecordChange)

    /// Notify the app that any record of a collection may have changed: one input changed more records than
    /// ``CollectionChange/limit``.
    case tellAll(collection: String)

    /// Deliver the outcome of a write, to which ``SyncEngine/awaitOutcome(of:in:)`` gave this number.
    indirect case settle(write: Int, WriteOutcome)

    /// Raise an event: one input left so many conflicts, and so many held records, to the user. Not limited as the changes are, which a
    /// ``tellAll(collection:)`` may replace.
    case leftToUser(collection: String, conflicts: Int, held: Int)

    /// Begin a sync of a collection: the wait of one of its records for a record of another collection may have ended (R26, R27).
    case released(collection: String)

    /// Report the progress of a sync.
    case progress(SyncStatus.CollectionProgress)

    /// Deliver the report of a sync that has ended.
    indirect case finish(CollectionReport)
}

/// Identifies one exchange, so that a late or repeated answer, or one for an earlier process, is not used for another exchange.
package struct ExchangeToken: Hashable, Sendable {
    /// The name of the collection.
    package let collection: String

    /// Grows with each exchange of the engine.
    package let number: Int

    /// ``SyncEngine/number``.
    package let engine: Int
}
