import TidemarkRules

// The account of the store, and its unsent changes.

extension SyncClient {
    /// The account whose data the store holds, as the server names it; nil before the first answer of a server.
    ///
    /// The name is opaque: compare two of them to find out whether two stores, or a store and a user, belong together.
    public var account: String? {
        get throws(TidemarkError) { try self.engine.account() }
    }

    /// The local changes in all collections that the server has not confirmed: queued, in flight, held, or waiting for a
    /// decision.
    ///
    /// ```swift
    /// let unsent = try await client.unsent
    /// if unsent.count > 0 { print("\(unsent.count) changes are only on this device") }
    /// ```
    public var unsent: UnsentChanges {
        get throws(TidemarkError) { try self.engine.unsent() }
    }
}

extension SyncClient {
    /// Changes that the server has not confirmed, over all collections.
    public struct UnsentChanges: Hashable, Sendable {
        /// The maximum number of ``names``.
        public static let namesLimit = 1_000

        /// A record with a change that the server has not confirmed.
        public struct Record: Hashable, Sendable {
            /// The name of the collection.
            public let collection: String

            /// The pk of the record.
            public let pk: String

            /// Makes a name.
            public init(collection: String, pk: String) {
                self.collection = collection
                self.pk = pk
            }
        }

        /// The number of records of a collection with changes that the server has not confirmed.
        public struct Count: Hashable, Sendable {
            /// The name of the collection.
            public let collection: String

            /// The number of records with unconfirmed changes; never 0.
            public let count: Int
        }

        /// The collections with unconfirmed changes, in the order of the UTF-8 bytes of their names.
        public let counts: [Count]

        /// The records, by collection and pk in the order of their UTF-8 bytes: at most ``namesLimit`` of them.
        public let names: [Record]

        /// The number of records with unconfirmed changes.
        public var count: Int { self.counts.reduce(0) { $0 + $1.count } }

        /// Whether the server has confirmed every change.
        public var isEmpty: Bool { self.counts.isEmpty }
    }
}
