package import TidemarkMachine

/// What the state machines of a store did, transition by transition: enough to see what went wrong on a device that is far
/// away, and to play it through again.
///
/// A store keeps one where ``SyncConfiguration/traceLimit`` says how long it may get, and ``SyncClient/trace`` reads it. It
/// has the names of collections and records, and nothing of what is in them; ``withoutNames()`` takes the names of records out
/// as well.
///
/// ```swift
/// let trace = try await client.trace.withoutNames()
/// try trace.text.write(toFile: "phone.trace", atomically: true, encoding: .utf8)
/// ```
///
/// ``differences()`` replays it: every transition has to be the one that the tables choose, and each has to begin where the
/// one before has ended.
///
/// ```swift
/// #expect(try await client.trace.differences().isEmpty)
/// ```
///
/// **As text** (``text``, `init(parsing:)`) it is a JSON object a line. The first line says what it is:
///
///     {"tidemark":"trace","version":2}
///     {"n":1,"of":"store","collection":"notes","event":"opened"}
///     {"n":2,"of":"record","collection":"notes","pk":"42","event":"edited","from":"SYNCD","to":"EDITED.idle","actions":["save","notify"]}
///     {"n":3,"of":"exchange","collection":"notes","event":"dueToPost","from":"idle","to":"posting","actions":["post"],"at":1700000000000}
///
/// | member | |
/// |---|---|
/// | `n` | grows from line to line; it counts from 1 since the store began to keep a trace |
/// | `of` | whose transition it is: `record`, `exchange`, or `store` for what concerns a collection as a whole |
/// | `event` | a case of `RecordEvent` or `ExchangeEvent`; of the store `opened` or `forgotten` |
/// | `from`, `to` | the phases before and after, as `RecordPhase` and `ExchangePhase` spell them |
/// | `actions` | what had to be done, in its order |
/// | `failure` | of an exchange that failed: the class of the failure, a case of ``FailureClass`` |
/// | `at` | of an exchange: what time it was, in milliseconds since 1970, where it was known |
///
/// A line may be left out, or all of a record or a collection, and the rest can still be replayed; a member that a reader does
/// not know is passed over.
public struct SyncTrace: Hashable, Sendable {
    /// A step, and its number.
    package struct Entry: Hashable, Sendable {
        /// Grows from entry to entry; from 1 since the store began to keep a trace.
        package var number: Int64

        /// What happened.
        package var step: Step

        /// Makes an entry.
        package init(number: Int64, step: Step) {
            self.number = number
            self.step = step
        }
    }

    /// Something that happened to a collection.
    package enum Step: Hashable, Sendable {
        /// A process took the collection up: its exchange begins anew, and of what an earlier process had sent no one knows
        /// what became (R17).
        case opened(collection: String)

        /// The collection left the store, with all its records.
        case forgotten(collection: String)

        /// A record's machine moved, or stayed.
        case record(RecordTrace)

        /// The machine of the collection's exchange moved, or stayed.
        case exchange(ExchangeTrace)

        /// The collection.
        package var collection: String {
            switch self {
            case .opened(let collection), .forgotten(let collection): collection
            case .record(let trace): trace.collection
            case .exchange(let trace): trace.collection
            }
        }
    }

    /// What happened, oldest first.
    package var entries: [Entry]

    /// Makes a trace.
    package init(entries: [Entry] = []) {
        self.entries = entries
    }
}

/// One transition of one record, as it happened.
package struct RecordTrace: Hashable, Sendable {
    /// The collection.
    package var collection: String

    /// The record.
    package var pk: String

    /// What happened.
    package var event: RecordEvent

    /// The phase before.
    package var source: RecordPhase

    /// The phase after.
    package var target: RecordPhase

    /// What had to be done.
    package var actions: RecordActions

    /// Describes a transition.
    package init(
        collection: String, pk: String, event: RecordEvent, source: RecordPhase, target: RecordPhase,
        actions: RecordActions
    ) {
        self.collection = collection
        self.pk = pk
        self.event = event
        self.source = source
        self.target = target
        self.actions = actions
    }
}

/// One transition of the exchange of a collection, as it happened.
package struct ExchangeTrace: Hashable, Sendable {
    /// The collection.
    package var collection: String

    /// What happened.
    package var event: ExchangeEvent

    /// The phase before.
    package var source: ExchangePhase

    /// The phase after.
    package var target: ExchangePhase

    /// What had to be done.
    package var actions: ExchangeActions

    /// What it failed with; nil where nothing had failed.
    package var failure: FailureClass?

    /// What time it was, from 1970-01-01T00:00:00Z and to the millisecond; nil where that was not known.
    package var time: Duration?

    /// Describes a transition.
    package init(
        collection: String, event: ExchangeEvent, source: ExchangePhase, target: ExchangePhase,
        actions: ExchangeActions, failure: FailureClass? = nil, time: Duration? = nil
    ) {
        self.collection = collection
        self.event = event
        self.source = source
        self.target = target
        self.actions = actions
        self.failure = failure
        self.time = time
    }
}
