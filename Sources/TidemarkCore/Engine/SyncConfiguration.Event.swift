public import TidemarkMachine
public import TidemarkRules

extension SyncConfiguration {
    /// An event of a client, for a log or for figures of an app: ``SyncConfiguration/onEvent``.
    ///
    /// It contains no content, no token, no pk, and no text of a server: it may be logged as it is. Its description is one line.
    ///
    /// ```swift
    /// configuration.onEvent = { event in
    ///     print(event)                       // syncEnded of notes: held; sent 2, received 40, merged 0, conflicts 0, held 1
    /// }
    /// ```
    public struct Event: Hashable, Sendable {
        /// The kind of an event. Later versions may add kinds.
        public struct Kind: Hashable, Sendable, CustomStringConvertible {
            /// The name, as it is printed.
            public let name: String

            /// Makes a kind, for a test of a handler.
            public init(_ name: String) {
                self.name = name
            }

            /// The name.
            public var description: String { self.name }

            /// A sync of a collection began, whichever caller started it.
            public static let syncStarted = Kind("syncStarted")

            /// The sync ended, with its ``Event/totals``; after an error of the store, or if the client was closed, with
            /// ``Event/error`` only.
            public static let syncEnded = Kind("syncEnded")

            /// ``Event/number`` conflicts began to wait for the user, or the question that they ask has changed.
            public static let conflict = Kind("conflict")

            /// ``Event/number`` records were held.
            public static let held = Kind("held")

            /// The server was rolled back to an earlier state, and this sync found ``Event/number`` confirmed values that it lost.
            public static let rolledBack = Kind("rolledBack")

            /// A collection is paused, with the ``Event/failure``: a policy waits for the app (``FailurePolicy``).
            public static let paused = Kind("paused")

            /// The first sync of a paused collection ended that did not pause it again.
            public static let resumed = Kind("resumed")

            /// ``SyncClient/run(_:connectivity:)`` began.
            public static let runStarted = Kind("runStarted")

            /// ``SyncClient/run(_:connectivity:)`` ended.
            public static let runEnded = Kind("runEnded")
        }

        /// The results of a sync, as numbers; the ``CollectionReport`` has the names.
        public struct Totals: Hashable, Sendable {
            /// The outcome.
            public var outcome: SyncReport.Outcome

            /// The number of records whose upload the server accepted.
            public var sent = 0

            /// The number of feed rows that changed a record here.
            public var received = 0

            /// The number of records that both sides changed and that were merged without the user.
            public var merged = 0

            /// The number of conflicts that wait for the user.
            public var conflicts = 0

            /// The number of held records and of quarantined feed items.
            public var held = 0

            /// The number of requests.
            public var requests = 0

            /// When another try is useful, since 1970-01-01T00:00:00Z; nil if there is nothing to wait for.
            public var nextTry: Duration?

            /// Makes totals without any number, for a test of a handler.
            public init(_ outcome: SyncReport.Outcome) {
                self.outcome = outcome
            }

            init(_ report: CollectionReport) {
                self.outcome = report.outcome
                self.sent = report.pushed.count
                self.received = report.pulled
                self.merged = report.merged.count
                self.conflicts = report.conflicts.count
                self.held = report.held.count
                self.requests = report.requests
                self.nextTry = report.nextTry
            }
        }

        /// The kind.
        public var kind: Kind

        /// The name of the collection; nil for the run loop.
        public var collection: String?

        /// The time of the event by the client's clock, since 1970-01-01T00:00:00Z.
        public var time: Duration

        /// The number of conflicts, of held records or of lost values; nil for any other kind.
        public var number: Int?

        /// The results of a sync that ended; nil for any other kind.
        public var totals: Totals?

        /// The class of the failure of a sync that ended, or of a pause. The message is in ``CollectionReport/failure``: it may
        /// quote the server, or name a record.
        public var failure: FailureClass?

        /// The HTTP status of that failure; nil if there was no answer.
        public var status: Int?

        /// The code of the error that ended a sync without a report; the caller of `sync` gets the whole error.
        public var error: TidemarkError.Code?

        /// Makes an event, for a test of a handler.
        public init(_ kind: Kind, of collection: String? = nil, time: Duration) {
            self.kind = kind
            self.collection = collection
            self.time = time
        }
    }
}

extension SyncConfiguration.Event: CustomStringConvertible {
    /// The event in one line, without its time: a log has its own.
    public var description: String {
        var line = self.kind.name
        if let collection = self.collection { line += " of \(collection)" }
        var parts: [String] = []
        if let totals = self.totals { parts.append("\(totals.outcome)") }
        if let number = self.number { parts.append("\(number)") }
        if let failure = self.failure { parts.append("\(failure)" + (self.status.map { " (\($0))" } ?? "")) }
        if let error = self.error { parts.append(error.name) }
        var texts = parts.isEmpty ? [] : [parts.joined(separator: ", ")]
        if let totals = self.totals {
            texts.append(
                "sent \(totals.sent), received \(totals.received), merged \(totals.merged), conflicts \(totals.conflicts), "
                    + "held \(totals.held)")
        }
        return texts.isEmpty ? line : line + ": " + texts.joined(separator: "; ")
    }
}
