package import TidemarkMachine

/// The transitions of a store's state machines: enough to see what went wrong on a distant device, and to replay it.
///
/// A store keeps a trace if ``SyncConfiguration/traceLimit`` sets its length, and ``SyncClient/trace`` reads it. It contains
/// the names of collections and records, but no content; ``withoutNames()`` removes the names of records as well.
///
/// ```swift
/// let trace = try await client.trace.withoutNames()
/// try trace.text.write(toFile: "phone.trace", atomically: true, encoding: .utf8)
/// ```
///
/// ``differences()`` replays it: every transition has to be the one in the transition table, and each has to begin in the phase
/// in which the previous one ended.
///
/// ```swift
/// #expect(try await client.trace.differences().isEmpty)
/// ```
///
/// **As text** (``text``, `init(parsing:)`) it has one JSON object in each line. The first line has the format and the version:
///
///     {"tidemark":"trace","version":3}
///     {"n":1,"of":"store","collection":"notes","event":"opened"}
///     {"n":2,"of":"record","collection":"notes","pk":"42","event":"edited","from":"SYNCD","to":"EDITED.idle","actions":["save","notify"]}
///     {"n":3,"of":"exchange","collection":"notes","event":"dueToPost","from":"idle","to":"posting","actions":["post"],"at":1700000000000}
///
/// | member | |
/// |---|---|
/// | `n` | grows from line to line; it counts from 1 since the store began to keep a trace |
/// | `of` | the machine of the transition: `record`, `exchange`, or `store` for an event of a whole collection |
/// | `event` | a case of `RecordEvent` or `ExchangeEvent`; of the store `opened` or `forgotten` |
/// | `from`, `to` | the phases before and after, as `RecordPhase` and `ExchangePhase` spell them |
/// | `actions` | the actions of the transition, in order |
/// | `failure` | of an exchange that failed: the class of the failure, a case of ``FailureClass`` |
/// | `at` | of an exchange: the time in milliseconds since 1970, if it was known |
///
/// A line may be missing, or all lines of a record or a collection, and the rest can still be replayed; a reader ignores
/// unknown members.
public struct SyncTrace: Hashable, Sendable {
    /// A step and its number.
    package struct Entry: Hashable, Sendable {
        /// Grows from entry to entry; starts at 1 when the store begins to keep a trace.
        package var number: Int64

        /// The event.
        package var step: Step
    }

    /// An event of a collection.
    package enum Step: Hashable, Sendable {
        /// A process opened the collection: its exchange starts in its initial phase, and the outcome of requests of an earlier
        /// process is unknown (R17).
        case opened(collection: String)

        /// The collection was removed from the store, with all its records.
        case forgotten(collection: String)

        /// A transition of a record's machine.
        case record(RecordTrace)

        /// A transition of the collection's exchange machine.
        case exchange(ExchangeTrace)

        /// The name of the collection.
        package var collection: String {
            switch self {
            case .opened(let collection), .forgotten(let collection): collection
            case .record(let trace): trace.collection
            case .exchange(let trace): trace.collection
            }
        }
    }

    /// The events, oldest first.
    package var entries: [Entry] = []
}

/// One transition of one record.
package struct RecordTrace: Hashable, Sendable {
    /// The name of the collection.
    package var collection: String

    /// The pk of the record.
    package var pk: String

    package var event: RecordEvent

    /// The phase before the transition.
    package var source: RecordPhase

    /// The phase after the transition.
    package var target: RecordPhase

    package var actions: RecordActions
}

/// One transition of the exchange of a collection.
package struct ExchangeTrace: Hashable, Sendable {
    /// The name of the collection.
    package var collection: String

    package var event: ExchangeEvent

    /// The phase before the transition.
    package var source: ExchangePhase

    /// The phase after the transition.
    package var target: ExchangePhase

    package var actions: ExchangeActions

    /// The class of the failure; nil if nothing failed.
    package var failure: FailureClass?

    /// The time since 1970-01-01T00:00:00Z, to the millisecond; nil if it was not known.
    package var time: Duration?
}
