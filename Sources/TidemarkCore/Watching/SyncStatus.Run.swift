public import TidemarkMachine

extension SyncStatus {
    /// The status of a client's run loop: its obstacles, and the spent budget.
    public struct Run: Hashable, Sendable {
        /// Whether there is a network, as the app reports it.
        public let isConnected: Bool

        /// Whether the server has answered since a connection for change notifications could not be made; true if none has failed.
        public let isReachable: Bool

        /// The number of requests within the last hour; ``RunPlan/requestsPerHour`` is the limit.
        public let requests: Int

        /// The number of bytes of records that were sent and received within the last hour; ``RunPlan/bytesPerHour`` is the limit.
        public let bytes: Int

        /// When more of the budget is available again, since 1970-01-01T00:00:00Z; nil if any sync may start. The reserve for
        /// local edits (``RunPlan/requestsPerHour``) may be available earlier.
        public let budgetRenewal: Duration?

        /// Whether change notifications arrive, so that the server need not be polled.
        public let hints: Hints

        /// The status of each collection, in the order of the UTF-8 bytes of the names.
        public let collections: [CollectionRun]

        /// Makes a value for a preview or a test.
        public init(
            isConnected: Bool = true, isReachable: Bool = true, requests: Int = 0, bytes: Int = 0,
            budgetRenewal: Duration? = nil, hints: Hints = .none(why: nil, next: nil), collections: [CollectionRun] = []
        ) {
            self.isConnected = isConnected
            self.isReachable = isReachable
            self.requests = requests
            self.bytes = bytes
            self.budgetRenewal = budgetRenewal
            self.hints = hints
            self.collections = collections
        }
    }
}

extension SyncStatus.Run {
    /// Whether notifications about changed collections arrive (Contract §10).
    public enum Hints: Hashable, Sendable {
        /// Notifications arrive.
        case heard

        /// Notifications do not arrive, and the server is polled.
        ///
        /// - Parameters:
        ///   - why: What happened; nil if nothing is known yet, or if the remote has no notifications.
        ///   - next: When the client tries again, since 1970-01-01T00:00:00Z; nil during a try, or if the client will not try
        ///     again.
        case none(why: Reason?, next: Duration?)

        /// Why no change notifications arrive: a code for the app, and a sentence in English.
        public struct Reason: Hashable, Sendable, CustomStringConvertible {
            /// What prevents change notifications.
            public enum Code: Hashable, Sendable {
                /// The connection failed, or the server refused it.
                case failure(FailureClass)

                /// There are no change notifications at this URL, or a proxy blocks them.
                case unavailable

                /// The server ended the connection.
                case ended

                /// The server sent no event, not even a heartbeat, for ``RunPlan/hintTimeout``; a proxy may buffer the events.
                case silent

                /// The server sent more within a minute than ``RunPlan/hintEventsPerMinute`` or ``RunPlan/hintBytesPerMinute``.
                case flooded
            }

            /// What prevents change notifications.
            public let code: Code

            /// The reason in English; of a failure, the server's message.
            public let message: String

            /// Describes a reason.
            public init(_ code: Code, _ message: String) {
                self.code = code
                self.message = message
            }

            /// The message.
            public var description: String { self.message }
        }
    }

    /// The status of the run loop for one collection.
    public struct CollectionRun: Hashable, Sendable {
        /// What the run loop does for a collection.
        public typealias Phase = RunPhase

        /// The name of the collection.
        public let collection: String

        /// The phase.
        public let phase: Phase

        /// When the next sync starts by itself, since 1970-01-01T00:00:00Z; nil if only an event can start one.
        public let next: Duration?

        /// Makes a value.
        public init(collection: String, phase: Phase, next: Duration? = nil) {
            self.collection = collection
            self.phase = phase
            self.next = next
        }
    }
}
